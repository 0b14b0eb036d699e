# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The soak run's judgement: what grows, fails and stands still is found, and nothing else."""

import csv
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

STRESS = Path(__file__).resolve().parents[2] / "stress"
sys.path.insert(0, str(STRESS))

from growth import slope, steps_up  # noqa: E402

HOUR = [i / 720 for i in range(720)]


def noisy(trend: float, seed: int = 1) -> list[float]:
    """Memory that jumps up and down by megabytes and slowly wanders, with a trend per hour."""
    choose = random.Random(seed)
    wander = 0.0
    values = []
    for time in HOUR:
        wander = 0.9 * wander + choose.gauss(0, 300)
        values.append(20000 + trend * time + wander + choose.choice([0, 0, 0, 4000]))
    return values


@pytest.mark.parametrize("seed", range(5))
def test_flat_memory_in_the_noise_is_no_growth(seed):
    found = slope(HOUR, noisy(0, seed))
    assert found.low < 200
    assert found.high > -200


@pytest.mark.parametrize("seed", range(5))
def test_growth_is_found_in_the_noise(seed):
    found = slope(HOUR, noisy(8000, seed))
    assert found.low > 1024
    assert found.value == pytest.approx(8000, rel=0.2)


def test_the_slope_of_a_line_is_exact():
    found = slope(HOUR, [3 * time for time in HOUR])
    assert found.low == pytest.approx(3)
    assert found.high == pytest.approx(3)


def test_too_few_samples_have_no_slope():
    with pytest.raises(ValueError, match="too few"):
        slope([1.0, 2.0], [5.0, 6.0])
    with pytest.raises(ValueError, match="too few"):
        slope([], [])


def test_steps_up_needs_all_of_the_last_above_all_of_the_first():
    assert steps_up([3, 3, 4, 4, 4, 5, 5, 5])
    assert not steps_up([3, 5, 4, 4, 4, 4, 5, 5])
    assert not steps_up([3] * 8)


BEATS = """
import time
for i in range(60):
    print("stress:", i, "rounds", flush=True)
    time.sleep(0.1)
    {}
"""
LEAK = "globals().setdefault('kept', []).append(bytearray(b'x' * 1000000))"
# Half of its rounds are over in the last 1.3 of 6.8 seconds; memory rose in the first five.
STARVED = """
import time
kept = []
for i in range(200):
    print("stress:", i, "rounds", flush=True)
    if i < 80:
        kept.append(bytearray(b"x" * 1000000))
    time.sleep(0.065 if i < 80 else 0.013)
"""
TELLS = """
import time
kept = []
for i in range(60):
    kept.append(bytearray(b"x" * {kept}))
    print("stress:", i, "rounds,", {in_use}, "KB in use", flush=True)
    time.sleep(0.1)
"""
FLAT_IN_USE = TELLS.format(kept=100_000, in_use="1000")
STILL = """
import signal
import time
signal.signal(signal.SIGUSR1, lambda *_: print("asked", flush=True))
print("stress: 7 rounds", flush=True)
while True:
    time.sleep(1)
"""

# Python programs in place of the stress program, and the options with which each is soaked.
CASES = {
    "beats": (BEATS.format("pass"), "--bound", "1000000"),
    "starved": (STARVED, "--bound", "10000", "--least", "1", "--sample", "0.04"),
    "leak": (BEATS.format(LEAK), "--bound", "1000000"),
    "grows in use": (TELLS.format(kept=1, in_use="1000 + 300 * i"),),
    "may grow a little": (FLAT_IN_USE, "--share", "1000"),
    "may not grow": (FLAT_IN_USE, "--share", "1"),
    "still": (STILL, "--still", "2"),
    "fails": ("raise SystemExit(3)",),
}


@dataclass
class Soak:
    """A run of tests/stress/soak, in a folder of its own."""

    folder: Path
    process: subprocess.Popen

    def end(self) -> tuple[int, str]:
        """Its status and its report."""
        report, _ = self.process.communicate(timeout=300)
        return self.process.returncode, report


def start(folder: Path, program: str, *arguments: str) -> Soak:
    script = folder / "program"
    script.write_text(f"#!{sys.executable}\n{program}")
    script.chmod(0o755)
    command = [str(STRESS / "soak"), "--program", str(script), "--folder", str(folder / "out")]
    command += ["--processes", "1", "--seconds", "6", "--sample", "0.1", "--least", "2"]
    return Soak(
        folder,
        subprocess.Popen(
            [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ),
    )


@pytest.fixture(scope="module")
def soaks(tmp_path_factory):
    """Every case, all begun at once: they sleep for seconds."""
    started = {name: start(tmp_path_factory.mktemp("soak"), *case) for name, case in CASES.items()}
    yield started
    for soak in started.values():
        soak.process.kill()
        soak.process.wait()


def test_a_program_that_beats_and_ends_is_well(soaks):
    soak = soaks["beats"]
    status, report = soak.end()
    assert status == 0, report
    assert "  ok" in report
    with (soak.folder / "out/samples.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 10
    assert int(rows[-1]["rounds"]) > int(rows[0]["rounds"])


def test_what_is_asked_for_late_by_a_starved_process_is_no_growth(soaks):
    status, report = soaks["starved"].end()
    assert status == 0, report
    assert "second half of the rounds" in report
    assert "too short" not in report


def test_a_leak_is_found(soaks):
    status, report = soaks["leak"].end()
    assert status == 1, report
    assert "FAILED: grows: memory" in report


def test_what_grows_in_use_is_found_however_flat_resident_memory_is(soaks):
    status, report = soaks["grows in use"].end()
    assert status == 1, report
    assert "FAILED: grows: memory" in report


def test_resident_memory_may_grow_a_little_where_nothing_in_use_does(soaks):
    status, report = soaks["may grow a little"].end()
    assert status == 0, report
    status, report = soaks["may not grow"].end()
    assert status == 1, report
    assert "FAILED: grows: resident memory" in report


def test_a_program_that_stands_still_is_found(soaks):
    soak = soaks["still"]
    status, report = soak.end()
    assert status == 1, report
    assert "stood still after 7 rounds" in report
    assert "asked" in (soak.folder / "out/process1.log").read_text()


def test_a_program_that_fails_is_found(soaks):
    status, report = soaks["fails"].end()
    assert status == 1, report
    assert "ended with 3" in report

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp profile --runtime`: what samples from outside say of a program on any runtime."""

import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from xomp.profile.recording.sample import Division, Lives, divide
from xomp.profile.showing import sampled
from xomp.shared.samples import PERIOD, read_samples, recording

STEP = PERIOD * 1e-9
RUNTIME = "/lib/libgomp.so.1"


def event(time: float, what: str, process: int, thread: int) -> str:
    if what == "COMM exec":
        return f"{thread} {time:.9f}: PERF_RECORD_COMM exec: some:name:{process}/{thread}\n"
    return f"{thread} {time:.9f}: PERF_RECORD_{what}({process}:{thread}):({process}:{process})\n"


def taken(time: float, thread: int, function: str, file: str) -> list[str]:
    return [f"{thread} {time:.9f}: \n", f"\t55d0 {function} ({file})\n", "\n"]


def division(lines: list[str]) -> Division:
    lives = Lives()
    return divide(list(read_samples(lives.without_events(lines))), lives, RUNTIME)


def test_samples_are_divided_by_the_file_and_function_that_they_were_in():
    lines = [
        event(9.0, "COMM exec", 7, 7),  # the program that started it
        event(10.0, "COMM exec", 7, 7),
        event(10.2, "FORK", 7, 8),
        *taken(10.3, 7, "fib", "/bin/program"),
        *taken(10.4, 8, "fib", "/bin/program"),
        *taken(10.4, 8, "gomp_barrier", RUNTIME),
        *taken(10.5, 8, "futex_wait", "/lib/libc.so.6"),
        *taken(10.6, 7, "malloc", "/lib/libc.so.6"),
        event(11.0, "EXIT", 7, 8),
        event(11.0, "EXIT", 7, 7),
    ]
    found = division(lines)
    assert (found.threads, found.elapsed) == (2, pytest.approx(1.0))
    assert (found.work, found.runtime, found.heap) == pytest.approx((2 * STEP, 2 * STEP, STEP))
    assert found.off == pytest.approx(2.0 - 5 * STEP)
    assert sum(value for _, value in sampled.parts(found, None)) == pytest.approx(found.total)
    serial = Division(1, 1.0, STEP, 0.0, 0.0)
    named = dict(sampled.parts(found, serial))
    assert named["work as on one thread"] == named["work time inflation"] == pytest.approx(STEP)
    assert sum(named.values()) == pytest.approx(found.total)


def test_of_several_processes_the_busiest_counts():
    lines = [
        event(1.0, "COMM exec", 7, 7),
        event(1.1, "FORK", 9, 9),
        event(1.2, "COMM exec", 9, 9),
        *taken(1.25, 7, "main", "/bin/sh"),
        *taken(1.3, 9, "main", "/bin/program"),
        *taken(1.4, 9, "main", "/bin/program"),
        event(1.7, "EXIT", 9, 9),
        event(2.0, "EXIT", 7, 7),
    ]
    found = division(lines)
    assert (found.threads, found.elapsed) == (1, pytest.approx(0.5))
    assert found.work == pytest.approx(2 * STEP)


def test_threads_that_follow_one_another_are_one_at_a_time():
    lines = [event(1.0, "COMM exec", 7, 7)]
    for number in range(3):
        lines.append(event(1.1 + number, "FORK", 7, 10 + number))
        lines += taken(1.2 + number, 10 + number, "work", "/bin/program")
        lines.append(event(1.3 + number, "EXIT", 7, 10 + number))
    lines.append(event(5.0, "EXIT", 7, 7))
    assert division(lines).threads == 2


def test_no_samples_are_no_division_by_zero():
    assert division([event(1.0, "COMM exec", 7, 7)]).total == 0.0


def samples_here(tmp_path) -> bool:
    command = recording(tmp_path / "data", ["true"])
    return bool(shutil.which("perf")) and subprocess.run(command, check=False).returncode == 0


@pytest.mark.parametrize("runtime", ["libgomp", "xomp"])
def test_a_program_on_another_runtime_is_divided(root, library, compile_c, tmp_path, runtime):
    if not samples_here(tmp_path):
        pytest.skip("perf cannot sample here")
    program = compile_c("fib", (root / "tests/python/known/fib.c").read_text(), "-fopenmp")
    name = str(library) if runtime == "xomp" else runtime
    done = subprocess.run(
        [root / "xomp", "profile", "--runtime", name, "--threads", "2", program, "22"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(rf"^on .*{runtime}.*\n[\d.]+ m?s on 2 threads, sampled$", done.stdout, re.M)
    for part in ("work as on one thread", "in the runtime", "without a processor"):
        assert re.search(rf"^  {part} +", done.stdout, re.MULTILINE)
    assert "no page for a browser: " in done.stderr
    assert not list(tmp_path.glob("*.profile"))


def test_the_status_is_the_programs(root, tmp_path):
    if not samples_here(tmp_path):
        pytest.skip("perf cannot sample here")
    command = [
        root / "xomp",
        "profile",
        "--runtime",
        "libgomp",
        "--no-serial",
        "sh",
        "-c",
        "exit 3",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 3
    assert "may not have loaded it" in done.stderr


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--runtime", "nothing"], "no runtime 'nothing'"),
        (["--runtime", "libgomp", "--lib", "build"], "--lib and --runtime"),
        (["--runtime", "libgomp", "--html", "page.html"], "makes no page"),
        (["--runtime", "libgomp", "--output", "logs"], "leaves no log"),
    ],
)
def test_bad_input_is_one_line(root, options, complaint):
    command = [root / "xomp", "profile", *options, "true"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("samples", "told"), [(2, False), (99, False), (100, True)])
def test_a_speed_up_of_a_few_samples_is_not_told(samples, told):
    console = Console(file=io.StringIO(), width=100)
    serial, run = Division(1, 1.0, samples * STEP, 0.0, 0.0), Division(2, 1.0, 0.4, 0.1, 0.0)
    sampled.show(console, "./fib", Path(RUNTIME), run, serial)
    page = console.file.getvalue()
    assert ("Speed-up " in page) == told
    assert (f"has {samples} samples, fewer than 100" in page) == (not told)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The division of a program's time on any runtime, as far as it can be measured from outside.

The method of paper 3, section 2: the processor clock interrupts each thread, and the file and
function that it was in decide whether it was at work or in the runtime.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from xomp.errors import CommandError
from xomp.shared.samples import KINDS, PERIOD, Sample, kind, listing, read_samples, recording

STEP = PERIOD * 1e-9
# As perf writes them: PERF_RECORD_COMM exec: name:1/1, PERF_RECORD_FORK(1:2):(1:1), _EXIT likewise.
_EVENT = re.compile(
    r"^\s*-?\d+\s+([\d.]+):\s+PERF_RECORD_(COMM exec|FORK|EXIT)(?::.*?(?=:\d+/\d+$)|)(.*)$"
)


@dataclass
class Division:
    """Seconds; the parts add up to threads x elapsed."""

    threads: int
    elapsed: float
    work: float
    runtime: float
    heap: float

    @property
    def total(self) -> float:
        return self.threads * self.elapsed

    @property
    def off(self) -> float:
        """Without a processor."""
        return self.total - self.work - self.runtime - self.heap


@dataclass
class Life:
    """A process, as the kernel tells of it."""

    begin: float = 0.0  # of the program: when it was executed
    end: float = 0.0
    most: int = 1  # threads at a time
    alive: int = 1


class Lives:
    """The processes of a run, and whose each thread is."""

    def __init__(self) -> None:
        self.lives: dict[int, Life] = {}
        self.process: dict[int, int] = {}  # of each thread

    def without_events(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines of `perf script` that tell of samples; the others are noted."""
        for line in lines:
            if found := _EVENT.match(line):
                self._note(float(found[1]), found[2], found[3])
            elif "PERF_RECORD_" not in line:
                yield line

    def _note(self, time: float, event: str, rest: str) -> None:
        process, thread = map(int, re.search(r"(\d+)[:/](\d+)", rest).groups())
        life = self.lives.setdefault(process, Life(begin=time))
        self.process[thread] = process
        if event == "COMM exec":
            life.begin = time
        elif event == "FORK" and process != thread:
            life.alive += 1
            life.most = max(life.most, life.alive)
        elif event == "EXIT":
            life.alive -= 1
            life.end = time


def divide(samples: Iterable[Sample], lives: Lives, runtime: str) -> Division:
    """Of the process that took most time. `runtime` is the file of the runtime."""
    found: dict[int, dict[str, float]] = {}
    for sample in samples:
        process = lives.process.get(sample.thread, sample.thread)
        parts = found.setdefault(process, dict.fromkeys(KINDS, 0.0))
        parts[kind(sample.function, sample.file, runtime)] += STEP
    if not found:
        return Division(1, 0.0, 0.0, 0.0, 0.0)
    process, parts = max(found.items(), key=lambda each: sum(each[1].values()))
    life = lives.lives.get(process, Life())
    elapsed = max(0.0, life.end - life.begin)
    return Division(life.most, elapsed, parts["work"], parts["runtime"], parts["heap"])


@dataclass
class Sampled:
    status: int  # of the program, as a shell gives it
    division: Division
    loaded: bool  # whether any sample was in the runtime


def sample(command: list[str], environment: dict[str, str], runtime: Path, **streams) -> Sampled:
    """Runs the program under perf."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        sys.stdout.flush()
        try:
            done = subprocess.run(recording(data, command), env=environment, **streams)
        except FileNotFoundError:
            raise CommandError(
                "perf is not installed; on another runtime a program can only be sampled"
            ) from None
        if not data.exists():
            raise CommandError("perf could not sample the program (kernel.perf_event_paranoid?)")
        script = listing(data, "--show-task-events")
        lives = Lives()
        with subprocess.Popen(
            script, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as listed:
            samples = list(read_samples(lives.without_events(listed.stdout)))
    loaded = any(each.file == str(runtime) for each in samples)
    status = 128 - done.returncode if done.returncode < 0 else done.returncode
    return Sampled(status, divide(samples, lives, str(runtime)), loaded)


def environment_of(runtime: Path, folder: Path, threads: int | None) -> dict[str, str]:
    """In which a program built by gcc, or by clang, loads this runtime."""
    for name in ("libgomp.so.1", "libomp.so.5", "libiomp5.so"):
        (folder / name).symlink_to(runtime)
    old = os.environ.get("LD_LIBRARY_PATH")
    changes = {"LD_LIBRARY_PATH": f"{folder}:{old}" if old else str(folder)}
    if threads is not None:
        changes["OMP_NUM_THREADS"] = str(threads)
    return {**os.environ, **changes}

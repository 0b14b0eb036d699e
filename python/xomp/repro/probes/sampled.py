#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sampled.py RUNTIME PROGRAM [ARGUMENTS]...: where the threads' time goes, by perf.

The method of paper 3, section 2 (HPCToolkit there): the processor clock interrupts each thread, and
the interrupted code decides whether it was at work or in the runtime. Only the timed part counts.
Adds a line `sampled` with the sums, and a line `threads` with a list by thread for each kind.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from xomp.shared.samples import KINDS, PERIOD, Sample, kind, listing, read_samples, recording

TIMED = re.compile(r"\bbegan=(\S+) seconds=(\S+)")


def divide(
    samples: Iterable[Sample], runtime: str, start: float, end: float
) -> dict[int, dict[str, float]]:
    """Seconds of each kind between two times, by thread."""
    threads: dict[int, dict[str, float]] = {}
    for sample in samples:
        if start <= sample.time <= end:
            parts = threads.setdefault(sample.thread, dict.fromkeys(KINDS, 0.0))
            parts[kind(sample.function, sample.file, runtime)] += PERIOD * 1e-9
    return threads


def lines(threads: dict[int, dict[str, float]]) -> Iterator[str]:
    """What is told: the sums, and the threads in the order in which they were made."""
    parts = [threads[thread] for thread in sorted(threads)]
    sums = (f"{name}={sum(part[name] for part in parts):.6f}" for name in KINDS)
    lists = (f"{name}={','.join(f'{part[name]:.6f}' for part in parts)}" for name in KINDS)
    yield " ".join(("sampled", *sums))
    if parts:
        yield " ".join(("threads", *lists))


def main(arguments: list[str]) -> int:
    runtime, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "perf.data"
        # The frame of the application adds how long others had the processors (frame/kept_off.h).
        environment = {**os.environ, "APP_KEPT_OFF": "1"}
        done = subprocess.run(
            recording(data, command), env=environment, stdout=subprocess.PIPE, text=True
        )
        sys.stdout.write(done.stdout)
        timed = TIMED.search(done.stdout)
        if done.returncode != 0 or timed is None:
            return done.returncode or 1
        start, seconds = float(timed[1]), float(timed[2])
        with subprocess.Popen(
            listing(data), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        ) as listed:
            samples = read_samples(listed.stdout)
            parts = divide(samples, str(Path(runtime).resolve()), start, start + seconds)
        if listed.returncode != 0:
            print("sampled: perf script failed", file=sys.stderr)
            return 1
    print(*lines(parts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

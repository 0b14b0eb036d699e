#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""latency.py PROGRAM [ARGUMENTS]...: how long loads from memory took, by the processor's samples.

Where `perf mem` is offered, the processor tells of some loads how many cycles each took (paper 3,
section 6.1). Adds a line `latency` with the number of loads by their cycles: those of 33 to 64
cycles are `le64`. The whole process counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path


def histogram(lines: Iterable[str]) -> dict[int, int]:
    """Loads by the power of two up to which their cycles are; each line is one load's cycles."""
    counts: Counter[int] = Counter()
    for line in lines:
        text = line.strip()
        if text.isdigit() and int(text) > 0:
            counts[1 << (int(text) - 1).bit_length()] += 1
    return dict(sorted(counts.items()))


def main(command: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "perf.data")
        record = ["perf", "mem", "-t", "load", "record", "-o", data, "--", *command]
        done = subprocess.run(record, stdout=subprocess.PIPE, text=True)
        sys.stdout.write(done.stdout)
        sys.stdout.flush()
        if done.returncode != 0:
            return done.returncode
        listed = subprocess.run(
            ["perf", "script", "-i", data, "-F", "weight"], capture_output=True, text=True
        )
    if listed.returncode != 0:
        sys.stderr.write(listed.stderr)
        return 1
    if counts := histogram(listed.stdout.splitlines()):
        print("latency", *(f"le{cycles}={loads}" for cycles, loads in counts.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

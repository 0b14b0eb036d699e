#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hardware.py EVENTS PROGRAM [ARGUMENTS]...: the kernel's and the processor's counters, by perf.

EVENTS are perf's names between commas. What cannot be counted here is left out of the line. The
whole process counts, not its timed part only: perf has no other way without the program's help.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def read_counts(text: str) -> dict[str, int]:
    """Of `perf stat -x,`: value, unit, event, ... per line."""
    counts = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[0].isdigit():
            counts[fields[2]] = int(fields[0])
    return counts


def main(arguments: list[str]) -> int:
    events, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "counts"
        count = ["perf", "stat", "-x", ",", "-o", str(written), "-e", events]
        status = subprocess.run([*count, "--", *command]).returncode
        counts = read_counts(written.read_text()) if written.exists() else {}
    if counts:
        print("hardware", *(f"{event}={value}" for event, value in counts.items()), flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""instructions.py PROGRAM [ARGUMENTS]...: all instructions of the process, counted by callgrind.

Needs no counters of the processor, but takes some fifty times as long.
"""

from __future__ import annotations

import re
import subprocess
import sys

COLLECTED = re.compile(r"Collected : (\d+)")


def main(command: list[str]) -> int:
    count = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*count, *command], capture_output=True, text=True)
    sys.stdout.write(done.stdout)
    if found := COLLECTED.search(done.stderr):
        print(f"instructions all={found[1]}")
    else:
        sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

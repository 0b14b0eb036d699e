#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""counted.py PROGRAM [ARGUMENTS]...: the library's own counters (XOMP_STATS), whichever it has.

A counter with a name of paper 1, section V, is told by it; another by the words that describe it.
On a runtime without such counters the line is left out.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

LINE = re.compile(r"^xomp:\s+(.*?\S)\s+(\d+)(?:\s+([A-Z][A-Z0-9_]+))?\s*$")


def read_counters(text: str) -> dict[str, int]:
    counters = {}
    for line in text.splitlines():
        if match := LINE.match(line):
            words, number, name = match.groups()
            counters[name or re.sub(r"\W+", "_", words)] = int(number)
    return counters


def main(command: list[str]) -> int:
    environment = {**os.environ, "XOMP_STATS": "verbose"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if counters := read_counters(done.stderr):
        print("counted", *(f"{name}={value}" for name, value in counters.items()))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

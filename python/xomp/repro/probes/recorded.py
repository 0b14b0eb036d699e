#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recorded.py RECORDER FROM LENGTH PROGRAM [ARGUMENTS]...: which thread ran which leaf task when.

RECORDER is bench/recorder, built. Adds a line about all leaf tasks of the timed part, and one for
each of those that began in a window of LENGTH seconds, which opens when the part FROM (0 to 1) of
all of them has begun.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

TIMED = re.compile(r"\bbegan=(\S+) seconds=(\S+)")
MOST_LINES = 5000


class Leaf(NamedTuple):
    """As in recorder.c. A node is -1 where it is not known."""

    start: float
    seconds: float
    thread: int
    processor_node: int
    data_node: int
    reserved: int


def read_leaves(data: bytes) -> list[Leaf]:
    return [Leaf(*fields) for fields in struct.iter_unpack("=ddiiii", data)]


def summary(leaves: list[Leaf]) -> str:
    placed = [leaf for leaf in leaves if leaf.data_node >= 0]
    local = sum(1 for leaf in placed if leaf.data_node == leaf.processor_node)
    seconds = sum(leaf.seconds for leaf in leaves)
    text = f"recorded leaves={len(leaves)} placed={len(placed)} local={local} work={seconds:.6f}"
    if not leaves:
        return text
    count = Counter(leaf.thread for leaf in leaves)
    return f"{text} by_thread={','.join(str(count[thread]) for thread in range(max(count) + 1))}"


def lines(leaves: list[Leaf], start: float, part: float, length: float) -> list[str]:
    """About all, which are in the order of their begin, and one for each in the window."""
    first = leaves[min(int(part * len(leaves)), len(leaves) - 1)].start if leaves else start
    shown = [leaf for leaf in leaves if first <= leaf.start < first + length]
    return [summary(leaves), *(line(leaf, first) for leaf in shown[:MOST_LINES])]


def line(leaf: Leaf, start: float) -> str:
    return (
        f"leaf thread={leaf.thread} start={leaf.start - start:.9f} seconds={leaf.seconds:.9f}"
        f" processor_node={leaf.processor_node} data_node={leaf.data_node}"
    )


def main(arguments: list[str]) -> int:
    recorder, part, length, *command = arguments
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "leaves"
        changes = {"LD_PRELOAD": recorder, "RECORDER_FILE": str(written)}
        done = subprocess.run(
            command, env={**os.environ, **changes}, stdout=subprocess.PIPE, text=True
        )
        leaves = read_leaves(written.read_bytes()) if written.exists() else []
    sys.stdout.write(done.stdout)
    timed = TIMED.search(done.stdout)
    if done.returncode != 0 or timed is None:
        return done.returncode or 1
    start, seconds = float(timed[1]), float(timed[2])
    leaves = sorted(leaf for leaf in leaves if start <= leaf.start <= start + seconds)
    print(*lines(leaves, start, float(part), float(length)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""xomp's own policies on the clock of paper_letter.py: the code of runtime/sched/papers, with the
same tasks, however busy the machine is (tests/letter/policies.cc)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from paper_letter import Task, ideal

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TEST_BUILD", ROOT / "build"))
PROGRAM = BUILD / "tests/letter/policies"
DOMAINS = {"mts": 2}  # as there
AUTO = 0  # N_victim and N_steal by the size of tasks (guidelines.h)


def written(task: Task) -> str:
    return (
        f"( {' '.join(written(each) if isinstance(each, Task) else str(each) for each in task)} )"
    )


def makespans(
    root: Task,
    name: str,
    workers: int,
    seeds: int = 5,
    victims: int = 24,
    steal: int = 32,
    interval: int = 5,
) -> list[float]:
    """As paper_letter.makespans."""
    numbers = (workers, DOMAINS.get(name, 1), seeds, victims, steal, interval)
    command = [str(PROGRAM), name, *map(str, numbers)]
    done = subprocess.run(command, input=written(root), capture_output=True, text=True, check=True)
    units = [float(line.split()[0]) for line in done.stdout.splitlines()]
    best = ideal(root, workers)
    return sorted(each / best for each in units)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine offers an experiment: processors, NUMA nodes, memory, hardware counters."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from xomp.shared import topology


@cache
def processors() -> int:
    return len(os.sched_getaffinity(0))


@cache
def nodes() -> int:
    return max(1, len(topology.read().nodes))


@cache
def memory() -> float:
    """GiB in all."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30


def architecture() -> str:
    return platform.machine()


@cache
def megahertz() -> float:
    """Of the processor's clock as the kernel shows it now; 0 where it does not."""
    found = re.search(r"^cpu MHz\s*: ([0-9.]+)", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return float(found[1]) if found else 0.0


def program(name: str) -> bool:
    return shutil.which(name) is not None


@cache
def event(name: str) -> str | None:
    """None if perf can count the event here, or why it cannot."""
    if not program("perf"):
        return "perf is not installed"
    command = ["perf", "stat", "-x", ",", "-e", name, "true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode != 0:
        return "perf refuses"
    if not lines or lines[-1].startswith("<"):
        return "this machine does not count it"
    return None

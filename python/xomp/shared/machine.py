# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What this machine offers: processors, NUMA nodes, memory, hardware counters."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from xomp.shared import topology


def processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))


@cache
def nodes() -> int:
    return max(1, len(topology.read().nodes))


def layout() -> dict:
    found = topology.read()
    return {
        "sockets": found.sockets,
        "cores": found.cores,
        "hardware_threads": len(found.processors),
        "numa_nodes": [topology.format_list(cpus) for _, cpus in found.nodes],
        "caches": [f"{count} x {name} {size}" for name, size, count in found.caches],
    }


def governor() -> str:
    try:
        return Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").read_text().strip()
    except OSError:
        return "unknown"


@cache
def memory() -> float:
    """GiB in all."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30


def architecture() -> str:
    return platform.machine()


@cache
def megahertz() -> float:
    """Of the processor's clock as the kernel shows it now; 0 where it does not."""
    found = re.match(r"[0-9.]+", topology.cpuinfo("cpu MHz"))
    return float(found[0]) if found else 0.0


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

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine as the kernel shows it under /sys: sockets, cores, NUMA nodes, caches."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Topology:
    """Counts are of what is online; `allowed` is what this process may run on."""

    model: str
    processors: list[int]
    allowed: list[int]
    cores: int
    sockets: int
    nodes: list[tuple[int, list[int]]]
    caches: list[tuple[str, str, int]]  # name, size, number of them


def parse_list(text: str) -> list[int]:
    """The numbers of a kernel list such as `0-3,8`."""
    numbers: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.extend(range(int(first), int(last or first) + 1))
    return numbers


def format_list(numbers: list[int]) -> str:
    """The kernel's way to write a sorted list of numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def read(system: Path = Path("/sys/devices/system")) -> Topology:
    """Reads the topology; what the kernel does not tell is left out, not guessed."""
    online = parse_list(_text(system / "cpu/online"))
    if not online:
        online = list(range(os.cpu_count() or 1))
    cores, sockets = set(), set()
    caches: dict[tuple[str, str], set[str]] = {}
    for number in online:
        cpu = system / f"cpu/cpu{number}"
        cores.add(_text(cpu / "topology/core_cpus_list") or str(number))
        sockets.add(_text(cpu / "topology/physical_package_id"))
        for index in sorted((cpu / "cache").glob("index*")):
            suffix = {"Data": "d", "Instruction": "i"}.get(_text(index / "type"), "")
            name = f"L{_text(index / 'level')}{suffix}"
            shared = caches.setdefault((name, _text(index / "size")), set())
            shared.add(_text(index / "shared_cpu_list"))
    nodes = []
    for folder in (system / "node").glob("node[0-9]*"):
        nodes.append((int(folder.name[4:]), parse_list(_text(folder / "cpulist"))))
    return Topology(
        model=cpuinfo("model name") or platform.machine(),
        processors=online,
        allowed=sorted(os.sched_getaffinity(0)),
        cores=len(cores),
        sockets=len(sockets),
        nodes=sorted(nodes),
        caches=sorted((name, size, len(shared)) for (name, size), shared in caches.items()),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def cpuinfo(*names: str) -> str:
    """What the kernel says of the first processor under the first of these names; "": nothing."""
    for line in _text(Path("/proc/cpuinfo")).splitlines():
        if line.startswith(names):
            return line.partition(":")[2].strip()
    return ""

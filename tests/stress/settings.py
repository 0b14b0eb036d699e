# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environments in which the stress program runs, drawn at random."""

import random
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# What every process needs: where the library is, reports on request, sanitizers that do not go on.
FIXED = {
    "XOMP_WATCHDOG": "true",
    "TSAN_OPTIONS": "halt_on_error=1",
    "ASAN_OPTIONS": "detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
# An idle thread takes the next task under this one only. The papers' algorithms run a task at once
# when its queue is full, and a task that waits for its creator stands still then.
TAKES_NEXT_TASK = "auto"
# The one scheduler with queues of locality domains: XOMP_LOCALITY=strict means something here.
KEEPS_TASKS_IN_DOMAINS = "mts"
# Described machines in place of the real one, which is the empty text: workers in several locality
# domains at different distances.
TOPOLOGIES = [
    "",
    "",
    "numa:2 core:4 pu:1",
    "numa:8 core:24 pu:1",
    "pack:2 numa:2 l3:2 core:2 pu:2",
    "numa:64 pu:1",
]


def scheduler_names() -> list[str]:
    """What XOMP_SCHEDULER accepts: the table that the library itself is compiled from."""
    text = (ROOT / "runtime/conf/schedulers.def").read_text()
    names = re.findall(r'^XOMP_SCHEDULER\(\w+, "([\w-]+)"\)', text, re.MULTILINE)
    if not names:
        raise SystemExit("runtime/conf/schedulers.def has no table of schedulers any more")
    return names


def draw_environment(choose: random.Random, build: Path, schedulers: list[str]) -> dict[str, str]:
    """One environment; the scheduler is among `schedulers`, "" for the default."""
    environment = {
        "LD_LIBRARY_PATH": str(build / "lib"),
        "XOMP_BARRIER": choose.choice(["tree", "central"]),
        "XOMP_VICTIMS": choose.choice(["1", "3", "24"]),
        "XOMP_STEAL": choose.choice(["1", "4", "32"]),
        "XOMP_INTERVAL": choose.choice(["1", "50", "10000"]),
        "XOMP_LOCAL": choose.choice(["0", "0.5", "1"]),
        "XOMP_QUEUE_SIZE": str(choose.choice([2, 4, 64, 64, 256])),
        "OMP_CANCELLATION": choose.choice(["true", "false"]),
        "OMP_MAX_TASK_PRIORITY": choose.choice(["0", "10"]),
        **FIXED,
    }
    scheduler = choose.choice(schedulers)
    if scheduler:
        environment["XOMP_SCHEDULER"] = scheduler
    topology = choose.choice(TOPOLOGIES)
    if topology:
        environment["XOMP_TOPOLOGY"] = topology
        environment["OMP_PROC_BIND"] = choose.choice(["false", "close", "spread"])
    if scheduler == KEEPS_TASKS_IN_DOMAINS:
        environment["XOMP_LOCALITY"] = choose.choice(["relaxed", "strict"])
        environment["XOMP_CHUNK"] = choose.choice(["1", "4", "256"])
    policy = choose.choice(["", "", "passive", "active"])
    if policy:
        environment["OMP_WAIT_POLICY"] = policy
    yields = choose.choice(["", "", "true", "false"])
    if yields:  # decides whether a crowded team has the flat barrier
        environment["XOMP_YIELD"] = yields
    return environment


def draw_recording(choose: random.Random, folder: str) -> dict[str, str]:
    """Now and then what goes on is recorded as well, into this folder."""
    if choose.random() < 0.75:
        return {}
    return {
        "XOMP_PERFLOG": folder,
        "XOMP_PERFLOG_LIMIT": choose.choice(["0", "128K", "1M", "8M"]),
    }


def unfit_kinds(environment: dict[str, str]) -> list[str]:
    """The kinds and scenes of the stress program that may stand still in this environment."""
    takes = environment.get("XOMP_SCHEDULER", TAKES_NEXT_TASK) == TAKES_NEXT_TASK
    return [] if takes else ["pollers"]


def in_shell(environment: dict[str, str], command: list[str]) -> str:
    """A line that runs it again."""
    assignments = [f"{name}={shlex.quote(value)}" for name, value in environment.items()]
    return " ".join([*assignments, shlex.join(command)])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process that does not go on is doing."""

import contextlib
import os
import shutil
import signal
import subprocess
import time


def ask_watchdog(pid: int, pause: float = 1.0) -> None:
    """Has the library print the state of every worker, twice: what differs still moves.

    It goes to the process's own stderr. The process was started with XOMP_WATCHDOG, or ends.
    """
    for _ in range(2):
        os.kill(pid, signal.SIGUSR1)
        time.sleep(pause)


def stacks(pid: int) -> str:
    """The stack of every thread, if there is a debugger."""
    if not shutil.which("gdb"):
        return "gdb is not installed: no stacks\n"
    orders = ["-ex", "set pagination off", "-ex", "thread apply all bt 25"]
    command = ["gdb", "-q", "-batch", "-p", str(pid), *orders]
    try:
        text = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False
        ).stdout
    except subprocess.TimeoutExpired:
        return "gdb did not end\n"
    lines = [line for line in text.splitlines() if line.startswith(("Thread ", "#"))]
    return "\n".join(lines) + "\n"


def kill_group(pid: int) -> None:
    """Ends a process that was started in a session of its own, and its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)

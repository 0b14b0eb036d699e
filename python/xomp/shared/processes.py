# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that are run in a session of their own: a time limit reaches whatever they start, and
Ctrl-C reaches this process alone, which then ends them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from typing import Any

_running: set[subprocess.Popen] = set()


def start(command: Sequence[str | os.PathLike], **more: Any) -> subprocess.Popen:
    process = subprocess.Popen(command, start_new_session=True, **more)
    _running.add(process)
    return process


def ended(process: subprocess.Popen) -> None:
    """It came to its end by itself."""
    _running.discard(process)


def end(process: subprocess.Popen) -> None:
    """Ends it and its children; it may be gone already, and they not."""
    _kill(process)
    process.wait()
    _running.discard(process)


def end_all() -> None:
    """Ends those that other threads wait for."""
    for process in list(_running):
        _kill(process)


def _kill(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)

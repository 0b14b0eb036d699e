# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp.use()`: starts the running Python program again, with xomp in front of other runtimes."""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from pathlib import Path

from xomp import __version__
from xomp.errors import CommandError, tell
from xomp.library import compare_versions, environment, find
from xomp.reach import check_start, family
from xomp.run import STARTED

COMMAND = "xomp.use()"
FORKED = (
    0x40  # PF_FORKNOEXEC of the flags in /proc/PID/stat, see proc(5): made by fork, no exec yet
)
FLAGS = 6  # which field behind the name of the program, which may hold anything, they are
RUN = "use `xomp run -- python SCRIPT`"


def in_use() -> bool:
    """What is preloaded is seen by all; a copy that some library opened for itself is not."""
    return hasattr(ctypes.CDLL(None), "xomp_version")


def use() -> None:
    if in_use():
        return
    try:
        library = find()
        changes = environment(library)
    except CommandError as error:
        raise RuntimeError(f"{COMMAND}: {error}") from None
    why_not = obstacle() or check_start(sys.executable, library, changes)
    if why_not:
        raise RuntimeError(f"{COMMAND}: {why_not}")
    compare_versions(COMMAND, library)
    tell(COMMAND, f"starts this program again, on xomp {__version__}")
    os.environ.update(changes)
    os.environ[STARTED] = str(os.getpid())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def obstacle() -> str | None:
    """Why this process cannot be started again, or what would be lost by that."""
    if os.environ.get(STARTED) == str(os.getpid()):
        return "this program was started on xomp, and the loader ignored LD_PRELOAD"
    if "ipykernel" in sys.modules:
        return "a notebook cannot be started again; use a kernel made by `xomp kernel install`"
    if hasattr(sys, "ps1") or sys.flags.interactive:
        return "an interactive session cannot be started again; use `xomp run -- python`"
    if not sys.executable or not sys.orig_argv:
        return f"this Python is part of another program; {RUN.replace('python SCRIPT', 'PROGRAM')}"
    if sys.argv[0] in ("", "-"):
        return f"a program on standard input cannot be read again; {RUN}"
    if made_by_fork():
        return f"this process is a child of fork; call it in its parent, or {RUN}"
    if threading.active_count() > 1:
        return f"too late, other threads are running; call it first of all, or {RUN}"
    loaded = openmp_runtime()
    if loaded:
        return f"too late, '{loaded}' is loaded; call it before all other imports, or {RUN}"
    return None


def made_by_fork() -> bool:
    text = Path("/proc/self/stat").read_text(errors="replace")
    return bool(int(text.rpartition(") ")[2].split()[FLAGS]) & FORKED)


def openmp_runtime() -> str | None:
    """The path of an OpenMP runtime in this process: whatever uses it may have begun."""
    lines = Path("/proc/self/maps").read_text(errors="replace").splitlines()
    paths = (slash + rest for _, slash, rest in (line.partition("/") for line in lines))
    return next((path for path in paths if family(Path(path).name)), None)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the loader can make libxomp.so the OpenMP runtime of a program, and why not. Asked before
every `xomp run`, so imports next to nothing. What a program will open while it runs is not known.
"""

from __future__ import annotations

import os
import stat
import sys

from xomp.elf_head import ElfError, ForeignElfError, Head, read_head
from xomp.library import NAMES

GNU, LLVM = "gnu", "llvm"
MOST_SCRIPTS = 5  # that the kernel follows from one to the next
IGNORED = ": the loader ignores LD_PRELOAD and LD_LIBRARY_PATH"  # how such an obstacle ends
EFFECTIVE_CAPABILITIES = 1  # the flag in the first byte of VFS_CAP_U32


class NoProgramError(Exception):
    """There is nothing to execute for a command; the text says why."""


class Program:
    """What is executed for a command: a file, or the interpreter of a script."""

    def __init__(self, name: str, path: str, scripts: list[str], head: Head) -> None:
        self.name = name
        self.path = path
        self.scripts = scripts
        self.head = head


def family(soname: str) -> str:
    """Whose OpenMP runtime such a library is; empty for none. Wheels add a hash to the name."""
    stem, dot, _ = soname.partition(".so")
    stem, _, mark = stem.partition("-")
    if not dot or mark.strip("0123456789abcdef"):
        return ""
    if stem in ("libgomp", "libxomp"):
        return GNU
    return LLVM if stem in ("libomp", "libomp5", "libiomp5") else ""


def search(name: str) -> str | None:
    """The file that the system executes for the name of a command."""
    if "/" in name:
        return name if os.path.isfile(name) else None
    for folder in os.environ.get("PATH", os.defpath).split(":"):
        path = os.path.join(folder or ".", name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def find_interpreter(path: str) -> str | None:
    """The interpreter that a script names, by its name or path, empty if it names none; None for
    what is no script."""
    with open(path, "rb") as file:
        line = file.readline(4096)
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode(errors="replace").split()
    if words and os.path.basename(words[0]) == "env":
        named = (word for word in words[1:] if not word.startswith("-") and "=" not in word)
        return next(named, words[0])
    return words[0] if words else ""


def find_program(name: str, path: str | None = None) -> Program:
    """Raises NoProgramError, ElfError or OSError."""
    path = path or search(name)
    if path is None and os.path.isdir(name):
        raise NoProgramError(f"'{name}' is a folder")
    if path is None:
        raise NoProgramError(f"no program '{name}'")
    scripts: list[str] = []
    while (interpreter := find_interpreter(path)) is not None:
        scripts.append(path)
        if not interpreter or len(scripts) > MOST_SCRIPTS:
            raise NoProgramError(f"'{path}' is a script without an interpreter")
        found = search(interpreter)
        if found is None:
            needed = f"the interpreter '{interpreter}', which is not there"
            raise NoProgramError(f"'{path}' asks for {needed}")
        path = found
    return Program(name, path, scripts, read_head(path))


def lacking(path: str) -> str:
    """What a file that is there asks for so that it can be executed, and is not there: a script's
    interpreter, or a program's loader."""
    try:
        loader = find_program(path, path).head.interpreter
    except NoProgramError as error:
        return str(error)
    except (ElfError, OSError):
        loader = ""
    needed = f"the loader '{loader}'" if loader else "something"
    return f"'{path}' asks for {needed}, which is not there"


def gained_privileges(path: str, for_anybody: bool = False) -> str | None:
    """What makes the loader ignore its variables (AT_SECURE), in this user's hands or anybody's."""
    try:
        if os.statvfs(path).f_flag & os.ST_NOSUID:
            return None
        status = os.stat(path)
    except OSError:
        return None
    mode = status.st_mode
    group = stat.S_ISGID | stat.S_IXGRP
    if for_anybody or not _keeps_rights():
        if mode & stat.S_ISUID and (for_anybody or status.st_uid != os.getuid()):
            return "is a set-user-id program"
        if mode & group == group and (for_anybody or status.st_gid != os.getgid()):
            return "is a set-group-id program"
    if for_anybody or os.getuid() != 0:
        try:
            capabilities = os.getxattr(path, "security.capability")
        except OSError:
            return None
        permitted = capabilities[4:8] + capabilities[12:16]
        if capabilities[0] & EFFECTIVE_CAPABILITIES or any(permitted):
            return "has file capabilities"
    return None


def _keeps_rights() -> bool:
    """Whether the bits are without effect (no_new_privs)."""
    with open("/proc/self/status", "rb") as file:
        return b"\nNoNewPrivs:\t1\n" in file.read()


def loaded(head: Head, path: str, environment: dict[str, str]) -> list[tuple[str, str]]:
    """Name and path of each library, "" for one that is not there, as the loader itself finds them
    in this environment. Nothing of the program is run."""
    loader = head.interpreter or read_head(os.path.realpath(sys.executable)).interpreter
    output, into = os.pipe()
    words = [loader, "--list", os.path.abspath(path)]
    actions = [
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, into, 1),
    ]
    try:
        process = os.posix_spawn(loader, words, environment, file_actions=actions)
    except OSError:
        os.close(output)
        return []
    finally:
        os.close(into)
    with os.fdopen(output, "rb") as stream:
        text = stream.read().decode(errors="replace")
    os.waitpid(process, 0)
    return [entry for line in text.splitlines() if (entry := _entry(line))]


def _entry(line: str) -> tuple[str, str] | None:
    """Of `name => path (address)`, `path (address)` or `name => not found`."""
    name, arrow, where = line.strip().rpartition(" => ")
    where = where.rpartition(" (")[0] or where
    if where.startswith("/"):
        return name or os.path.basename(where), where
    return (name, "") if arrow and where.strip() == "not found" else None


def is_same(path: str, runtime: str) -> bool:
    """Whether it is libxomp.so, or one of its other names beside it."""
    folder, name = os.path.split(os.path.realpath(path))
    return folder == os.path.dirname(runtime) and name in NAMES


def obstacle(program: Program, runtime: str, changes: dict[str, str], it: str) -> str | None:
    """Why a program, called `it`, will not run on `runtime`, the path of libxomp.so, with these
    changes to its environment; None where it does, or where that is open because it loads no OpenMP
    runtime when it starts."""
    head, library = program.head, read_head(runtime)
    if head.machine != library.machine:
        return f"{it} is for {head.machine}, and libxomp.so for {library.machine}"
    if head.statically_linked:
        return f"{it} is statically linked: what it needs is in itself"
    gains = gained_privileges(program.path)
    if gains:
        return f"{it} {gains}{IGNORED}"
    preloaded = "LD_PRELOAD" in changes
    if preloaded and any(family(name) for name in head.needed):
        return None
    found = loaded(head, program.path, {**os.environ, **changes})
    for name, where in found:
        if family(name) and where and not is_same(where, runtime):
            return None if preloaded else _elsewhere(it, head, where)
    return None


def _elsewhere(it: str, head: Head, where: str) -> str:
    why = " by its RPATH" if head.rpath else ""
    return f"{it} finds '{where}'{why}; leave out --no-preload"


def check_start(name: str, runtime: str, changes: dict[str, str]) -> str | None:
    """`obstacle` for a command; what cannot be looked at is left to the system."""
    try:
        program = find_program(name)
        it = f"'{program.path}', which runs '{name}'," if program.scripts else f"'{name}'"
        return obstacle(program, runtime, changes, it)
    except ForeignElfError as error:
        return str(error)
    except (NoProgramError, ElfError, OSError):
        return None

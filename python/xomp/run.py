# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp run`: starts a program on xomp.

Parsed by hand, because to load a library for command lines takes longer than many a program runs.
"""

from __future__ import annotations

import os
import sys

from xomp.library import LibraryError, environment, find

SCHEDULERS = (
    "auto",
    "slb",
    "xqueue1",
    "xqueue2",
    "na-rp",
    "na-ws",
    "q",
    "l",
    "cq",
    "ws",
    "mts",
)
BARRIERS = ("central", "tree")

USAGE = f"""\
Usage: xomp run [OPTIONS] [--] PROGRAM [ARGUMENTS]...

  Run a program on xomp instead of its own OpenMP runtime.

Options:
  --scheduler NAME  where tasks go (XOMP_SCHEDULER): {", ".join(SCHEDULERS)}
  --barrier NAME    how barriers end (XOMP_BARRIER): {", ".join(BARRIERS)}
  --stats           print the counters when the program ends (XOMP_STATS)
  --lib PATH        the libxomp.so to run on, or the folder that holds it
  --no-preload      set LD_LIBRARY_PATH only, for programs that must not be preloaded
  --help            show this text
"""

USAGE_ERROR, NOT_EXECUTABLE, NOT_FOUND = 2, 126, 127


class UsageError(Exception):
    """The command line is wrong; the text says how."""


class Request:
    """What the command line asks for."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        self.library: str | None = None
        self.preload = True
        self.help = False
        self.command: list[str] = []


def choice(option: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise UsageError(f"{option}: no '{value}'; there is {', '.join(known)}")
    return value


def parse(arguments: list[str]) -> Request:
    """Reads options up to `--` or the first word that is not an option; the rest is the command."""
    request = Request()
    rest = list(arguments)
    while rest and rest[0].startswith("-"):
        option, equals, value = rest.pop(0).partition("=")
        if option == "--" and not equals:
            break
        if option in ("--scheduler", "--barrier", "--lib"):
            if not equals:
                if not rest:
                    raise UsageError(f"{option} needs a value")
                value = rest.pop(0)
            if option == "--scheduler":
                request.settings["XOMP_SCHEDULER"] = choice(option, value, SCHEDULERS)
            elif option == "--barrier":
                request.settings["XOMP_BARRIER"] = choice(option, value, BARRIERS)
            else:
                request.library = value
        elif option == "--stats" and not equals:
            request.settings["XOMP_STATS"] = "1"
        elif option == "--no-preload" and not equals:
            request.preload = False
        elif option in ("--help", "-h") and not equals:
            request.help = True
        else:
            raise UsageError(f"no option '{option}'; see `xomp run --help`")
    request.command = rest
    if not rest and not request.help:
        raise UsageError("which program? see `xomp run --help`")
    return request


def main(arguments: list[str]) -> int:
    """Replaces this process by the program; returns only when that is not possible."""
    try:
        request = parse(arguments)
        if request.help:
            print(USAGE, end="")
            return 0
        changes = environment(find(request.library), request.preload)
    except (UsageError, LibraryError) as error:
        print(f"xomp run: {error}", file=sys.stderr)
        return USAGE_ERROR
    os.environ.update(changes)
    os.environ.update(request.settings)
    program = request.command[0]
    try:
        os.execvp(program, request.command)
    except FileNotFoundError:
        print(f"xomp run: no program '{program}'", file=sys.stderr)
        return NOT_FOUND
    except OSError as error:
        print(f"xomp run: cannot run '{program}': {error.strerror}", file=sys.stderr)
        return NOT_EXECUTABLE

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First step of every command, and the last: only what needs the full command line loads it, and
nothing ends in a traceback because somebody pressed Ctrl-C or has read enough."""

from __future__ import annotations

import errno
import os
import sys

from xomp.errors import BAD_INPUT, FAILED, INTERRUPTED, CommandError, tell

READER_GONE = 141  # what a shell says of a program that SIGPIPE ended


def main(arguments: list[str] | None = None, python: str | None = None) -> int:
    """Entry point of the `xomp` command; the result is the exit status. `python` is the interpreter
    of scripts that are run, where one was chosen by calling this in it."""
    try:
        try:
            status = command(sys.argv[1:] if arguments is None else arguments, python)
        except SystemExit as end:
            # rich and typer catch a broken pipe themselves, and end with a status of their own.
            if isinstance(end.__context__, BrokenPipeError):
                raise BrokenPipeError from None
            status = end.code
        sys.stdout.flush()
    except KeyboardInterrupt:
        tell("xomp", "interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        forget_output()
        return READER_GONE
    except OSError as error:
        if error.filename is not None or error.errno != errno.ENOSPC:
            raise
        forget_output()
        tell("xomp", f"cannot write the output: {error.strerror}")
        return FAILED
    return status


def remedy(name: str) -> str:
    """Where the packages of this command come from."""
    from pathlib import Path

    if (Path(__file__).resolve().parents[2] / "Makefile").exists():
        return "run `make` where there is a network"
    return (
        f"install it for {sys.executable} (of the system: apt install python3-{name}), or put a"
        " Python that has it in front on PATH"
    )


def forget_output() -> None:
    """What cannot be written would be tried once more, and complained of, at Python's exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def command(arguments: list[str], python: str | None = None) -> int:
    if arguments[:1] == ["run"]:
        from xomp import run

        asked = run.parse(arguments[1:])
        if asked is not None:
            try:
                return run.start(*asked, python)
            except CommandError as error:
                tell("xomp run", error)
                return error.status
        # Help, or a mistake: the full command line says which, in the words of all commands.
        if sys.flags.no_site:
            import site

            site.main()
    if arguments == ["--version"]:
        from xomp import __version__

        print(f"xomp {__version__}")
        return 0
    try:
        from xomp.cli.main import main as full

        return full(arguments)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "xomp":
            raise
        if arguments[:1] == ["run"]:
            what = "to show the help, or what is wrong, it needs"
            tell("xomp run", f"{what} the Python package '{error.name}', which is missing")
            return BAD_INPUT
        tell("xomp", f"the Python package '{error.name}' is missing; {remedy(error.name)}")
        return FAILED

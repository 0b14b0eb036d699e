# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First step of every command: only those that need it load the full command line."""

import sys


def main() -> int:
    """Entry point of the `xomp` command."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["run"]:
        from xomp.run import main as run

        return run(arguments[1:])
    if arguments == ["--version"]:
        from xomp import __version__

        print(f"xomp {__version__}")
        return 0
    try:
        from xomp.cli import app
    except ModuleNotFoundError as error:
        print(f"xomp: the Python package '{error.name}' is missing; run `make`", file=sys.stderr)
        return 1
    app(prog_name="xomp")
    return 0

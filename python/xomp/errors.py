# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How every command ends early: one line on standard error, `xomp COMMAND: what is wrong`, and an
exit status. Imports next to nothing, because `xomp run` pays for every import."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
NEAR = 0.66  # of the letters are the same


class CommandError(Exception):
    """Ends the command; the text is for the user."""

    status = FAILED

    def __init__(self, text: object, status: int | None = None) -> None:
        super().__init__(text)
        if status is not None:
            self.status = status


class BadInputError(CommandError):
    """Something asked for that does not exist or cannot be read."""

    status = BAD_INPUT


class InterruptedCommandError(CommandError):
    """Ctrl-C, where there is more to say about it than that."""

    status = INTERRUPTED


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """That there is no such thing; with the nearest name, or with all where none is near."""
    there = list(known)
    if near := nearest(name, there):
        return f"no {what} '{name}'; did you mean '{near}'?"
    return f"no {what} '{name}'; there are {', '.join(there) or 'none'}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant."""
    from difflib import get_close_matches

    lower = {each.lower(): each for each in reversed(list(known))}
    near = get_close_matches(name.lower(), lower, 1, NEAR)
    return lower[near[0]] if near else None


def tell(command: str, text: object) -> None:
    print(f"{command}: {text}", file=sys.stderr)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluates DejaGnu target selectors such as ``{ target { lp64 && { ! ia32 } } }``.

A leaf is either a pattern for the target triplet (``i?86-*-*``) or the name of an effective
target; what holds on this machine is asked of a function that the caller gives.
"""

from __future__ import annotations

from collections.abc import Callable

from xomp.conformance import tcl

Holds = Callable[[str], bool]


def applies(argument: str, holds: Holds) -> bool:
    """Whether a directive with the trailing argument ``target ...`` (or an expression) applies."""
    words = tcl.split_words(argument)
    if words and words[0] in ("target", "xfail"):
        words = words[1:]
    return _any_of(words, holds)


def leaves(argument: str) -> list[str]:
    """The names and triplet patterns that a selector mentions."""
    found: list[str] = []

    def note(name: str) -> bool:
        found.append(name)
        return False

    applies(argument, note)
    return found


def _any_of(words: list[str], holds: Holds) -> bool:
    if len(words) == 1:
        return _term(words[0], holds)
    if words and (words[0] == "!" or any(w in ("&&", "||") for w in words)):
        return _expression(words, holds)
    # A plain list of triplets and names selects when any of them holds. Every term is looked at,
    # so that leaves() sees them all.
    values = [_term(word, holds) for word in words]
    return any(values)


def _term(word: str, holds: Holds) -> bool:
    inner = tcl.split_words(word)
    if len(inner) == 1 and inner[0] == word:
        return holds(word)
    return _any_of(inner, holds)


def _expression(words: list[str], holds: Holds) -> bool:
    """``! term``, or terms joined by one kind of operator, read from the left."""
    at = 0

    def operand() -> bool:
        nonlocal at
        if at == len(words):
            raise tcl.TclError(f"selector ends early: {' '.join(words)}")
        word = words[at]
        at += 1
        if word == "!":
            return not operand()
        return _term(word, holds)

    value = operand()
    while at < len(words):
        operator = words[at]
        at += 1
        right = operand()
        if operator == "&&":
            value = value and right
        elif operator == "||":
            value = value or right
        else:
            raise tcl.TclError(f"unknown operator {operator!r} in a selector")
    return value

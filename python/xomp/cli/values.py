# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what stands behind an option: numbers, lists, runtimes. For `typer.Option(parser=...)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import typer

from xomp.run import MOST_THREADS
from xomp.shared.machine import processors

T = TypeVar("T")


def reader(read: Callable[[str], T]) -> Callable[[Any], T]:
    """typer sends defaults through the parser too: they are what they should be."""

    @wraps(read)
    def parser(value: Any) -> T:
        return read(value) if isinstance(value, str) else value

    return parser


@reader
def number_list(text: str) -> list[int]:
    """Numbers of threads between commas; more than any machine has are none.

    4x is four times the processors.
    """
    try:
        numbers = [
            int(part[:-1]) * processors() if part.endswith("x") else int(part)
            for part in text.split(",")
        ]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1 or max(numbers) > MOST_THREADS:
        raise typer.BadParameter(
            f"expected numbers from 1 to {MOST_THREADS} between commas, not '{text}'"
        )
    return list(dict.fromkeys(numbers))


def whole(least: int | None = None, most: int | None = None) -> Callable[[Any], int]:
    """A whole number, of a range where that is given."""
    limits = "" if least is None else f" from {least}"
    limits += "" if most is None else f" to {most}"

    @reader
    def integer(text: str) -> int:
        try:
            number = int(text)
            if (least is None or least <= number) and (most is None or number <= most):
                return number
        except ValueError:
            pass
        raise typer.BadParameter(f"expected a number{limits}, not '{text}'")

    return integer


def wholes(least: int | None = None, most: int | None = None) -> Callable[[Any], list[int]]:
    """Whole numbers of a range between commas."""
    one = whole(least, most)

    @reader
    def integers(text: str) -> list[int]:
        return list(dict.fromkeys(one(part) for part in text.split(",")))

    return integers


@reader
def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise typer.BadParameter(f"expected seconds above 0, not '{text}'")
    return value


@reader
def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1:
        raise typer.BadParameter(f"expected a number from 0 to 1, not '{text}'")
    return value


@reader
def runtime_list(text: str) -> list[str]:
    """Labels between commas; a comma before KEY= belongs to the label before it."""
    labels: list[str] = []
    for part in text.split(","):
        if labels and "=" in part and "@" not in part:
            labels[-1] += f",{part}"
        else:
            labels.append(part)
    return list(dict.fromkeys(labels))


@reader
def words(text: str) -> list[str]:
    return list(dict.fromkeys(text.split(",")))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run as one HTML file: why it lost time, timeline, threads, task sizes, graph, tables.

Also two runs side by side, and a program's processes to choose from.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.log import LogError
from xomp.profile.showing import compare
from xomp.profile.showing.html.build import page
from xomp.profile.showing.html.content import Content, collect, collect_all, typeset


def write_html(profile: Profile, path: Path) -> None:
    _write(page(collect(profile)), path)


def write_processes(profiles: Sequence[Profile], path: Path) -> None:
    """The first one is shown first."""
    _write(page(*collect_all(profiles)), path)


def write_comparison(first: Profile, second: Profile, path: Path) -> None:
    contents = collect_all((first, second))
    _write(page(*contents, comparison=_comparison(first, second, contents[0])), path)


def _comparison(first: Profile, second: Profile, content: Content) -> dict:
    numbers = {_name(place): number for number, place in enumerate(content.facts["places"])}
    return {
        "verdict": compare.verdict(first, second),
        "differences": compare.differences(first, second),
        "numbers": [_cells(row) for row in compare.numbers_beside(first, second)],
        "tasks": [
            [numbers.get(row[0], 0), *_cells(row)] for row in compare.tasks_beside(first, second)
        ],
    }


def _name(place: dict) -> str:
    name, source = place["name"], place["source"]
    return source if name == source else f"{name}, {source}"


def _cells(row: Sequence[str]) -> list[str]:
    return [row[0], *map(typeset, row[1:])]


def _write(text: str, path: Path) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LogError(f"cannot write '{path}': {error.strerror}") from error

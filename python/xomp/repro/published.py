# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The published values, transcribed: one JSON file per table or figure in published/, each with the
place in the paper where every value stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "published"


class PublishedError(Exception):
    """A file of published values that is not as README.md says; the text says where."""


class Printed(float):
    """A number that is shown with the digits with which the paper prints it: 0.890, 1.16e+06."""

    def __new__(cls, text: str) -> Printed:
        made = super().__new__(cls, text)
        made.text = text
        return made

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Published:
    paper: int
    item: str
    title: str
    source: str
    numbers: str  # "table", or in words why there are none but those of the text
    columns: tuple[str, ...]
    rows: tuple[tuple, ...]
    notes: tuple[str, ...]

    def column(self, name: str) -> tuple:
        index = self.columns.index(name)
        return tuple(row[index] for row in self.rows)

    def value(self, row: str, column: str = "value"):
        """The value in the row that begins with `row`."""
        for each in self.rows:
            if each[0] == row:
                return each[self.columns.index(column)]
        raise KeyError(f"paper {self.paper} {self.item}: no row '{row}'")


def path(paper: int, item: str) -> Path:
    return FOLDER / f"paper{paper}-{item}.json"


def load(paper: int, item: str) -> Published | None:
    """None where nothing is transcribed."""
    file = path(paper, item)
    return parse(file) if file.exists() else None


def parse(file: Path) -> Published:
    try:
        data = json.loads(file.read_text(), parse_float=Printed)
        read = Published(
            data["paper"],
            data["item"],
            data["title"],
            data["source"],
            data["numbers"],
            tuple(data["columns"]),
            tuple(map(tuple, data["rows"])),
            tuple(data.get("notes", ())),
        )
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise PublishedError(f"{file.name}: {error!r}") from error
    if file != path(read.paper, read.item):
        raise PublishedError(f"{file.name} holds paper {read.paper}, {read.item}")
    if not read.source or not read.columns:
        raise PublishedError(f"{file.name}: no source or no columns")
    for row in read.rows:
        if len(row) != len(read.columns):
            raise PublishedError(f"{file.name}: {row} has not {len(read.columns)} values")
    return read

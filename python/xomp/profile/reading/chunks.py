# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chunks of a log's file, each whole or as far as it is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from xomp.profile.reading import format as layout
from xomp.profile.reading.log import LogError

_WITH_RECORDS = (layout.CHUNK_OF_RECORDS, layout.CHUNK_OF_SLOTS)


def bytes_of(path: Path) -> np.ndarray:
    try:
        if not path.is_file():
            reason = "no such file" if not path.exists() else "not a file"
            raise LogError(f"cannot read '{path}': {reason}")
        if not path.stat().st_size:
            raise LogError(f"'{path}' is empty")
        # A file that its program still writes grows only, so that a mapping stays readable.
        return np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise LogError(f"cannot read '{path}': {error.strerror}") from error


def check_header(path: Path, data: np.ndarray) -> tuple[int, list[str]]:
    if bytes(data[:8]) != layout.MAGIC:
        raise LogError(f"'{path}' is no log of xomp")
    if len(data) < layout.HEADER_BYTES:
        raise LogError(f"'{path}' is cut off within its header")
    head = data[: layout.HEADER.itemsize].view(layout.HEADER)[0]
    if head["version"] != layout.VERSION:
        raise LogError(f"'{path}' has version {head['version']}, which this xomp does not know")
    sizes = [int(head[name]) for name in ("header_bytes", "chunk_bytes", "record_bytes")]
    if sizes != [layout.HEADER_BYTES, layout.CHUNK_BYTES, layout.RECORD_BYTES]:
        raise LogError(f"'{path}' has a damaged header")
    return int(head["pid"]), []


def pages_of(data: np.ndarray) -> dict[int, np.ndarray]:
    """A thread writes to the last chunk of its track, as it is now; by number."""
    body = data[layout.HEADER_BYTES :]
    whole = body[: len(body) - len(body) % layout.CHUNK_BYTES].view(layout.CHUNK)
    heads = whole[layout.CHUNK_HEAD]
    used = heads["magic"] == layout.CHUNK_MAGIC
    used = np.flatnonzero(used & np.isin(heads["kind"], _WITH_RECORDS))
    tracks = heads["track"][used]
    order = np.lexsort((heads["sequence"][used], tracks))
    last = order[np.diff(tracks[order], append=-1) != 0]
    return {int(number): whole[number : number + 1].copy() for number in used[last]}


class Chunks:
    """The chunks that were used, by track and sequence; one that is cut off as far as it goes."""

    def __init__(self, data: np.ndarray, pages: dict[int, np.ndarray], problems: list[str]) -> None:
        self._pages = pages
        body = data[layout.HEADER_BYTES :]
        rest = len(body) % layout.CHUNK_BYTES
        self._whole = body[: len(body) - rest].view(layout.CHUNK)
        self._cut = np.zeros(1, layout.CHUNK)
        if rest:
            self._cut.view(np.uint8)[:rest] = body[len(body) - rest :]
            problems.append(
                f"the file is cut off: {rest} bytes of its last chunk of {layout.CHUNK_BYTES} "
                "are there"
            )
        # From the file's end on: where a chunk is seen, those before it are whole. The records stay
        # where they are: a copy of the whole file would take time and room.
        heads = self._whole[::-1][layout.CHUNK_HEAD][::-1]
        self.heads = np.concatenate([heads, self._cut[layout.CHUNK_HEAD]])
        for number, page in pages.items():
            self.heads[number] = page[layout.CHUNK_HEAD][0]
        magic, kind = self.heads["magic"], self.heads["kind"]
        used = magic == layout.CHUNK_MAGIC
        foreign = int(np.count_nonzero(~used & (magic != 0)))
        if foreign:
            count = len(self._whole) + bool(rest)
            problems.append(f"{foreign} of {count} chunks are damaged and left out")
        known = np.isin(kind, (*_WITH_RECORDS, layout.CHUNK_OF_TEXT))
        strange = int(np.count_nonzero(used & ~known))
        if strange:
            problems.append(f"{strange} chunks are of a kind that this xomp does not know")
        chosen = np.flatnonzero(used & known)
        self._order = chosen[
            np.lexsort((self.heads["sequence"][chosen], self.heads["track"][chosen]))
        ]

    def of(self, *kinds: int) -> np.ndarray:
        """Their numbers."""
        return self._order[np.isin(self.heads["kind"][self._order], kinds)]

    def of_records(self) -> np.ndarray:
        """The same for records. A chunk may be there twice, as the page and as its copy: which one
        is whole depends on the moment at which its program was killed."""
        numbers = self.of(*_WITH_RECORDS)
        heads = self.heads[numbers]
        again = (np.diff(heads["track"]) == 0) & (np.diff(heads["sequence"]) == 0)
        kept = np.ones(len(numbers), dtype=bool)
        for at in np.flatnonzero(again):
            one, other = (len(self.records(numbers[each])) for each in (at, at + 1))
            if one > other:
                numbers[at + 1] = numbers[at]
            kept[at] = False
        return numbers[kept]

    def content(self, number: int) -> np.ndarray:
        """What follows the header."""
        if number in self._pages:
            return self._pages[number]["records"][0]
        at = self._whole if number < len(self._whole) else self._cut
        return at["records"][number if at is self._whole else 0]

    def records(self, number: int) -> np.ndarray:
        content, head = self.content(number), self.heads[number]
        if head["kind"] == layout.CHUNK_OF_SLOTS:
            return layout.unpacked(content, head, number in self._pages)
        return _filled(content)


def _filled(records: np.ndarray) -> np.ndarray:
    """The records up to the first that was not written."""
    kinds = records["kind"]
    if kinds[-1] and kinds.all():
        return records
    return records[: int((kinds == 0).argmax())]

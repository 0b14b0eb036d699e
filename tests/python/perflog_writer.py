# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes logs with known content, as the recorder writes them: what the tests of reports read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from xomp.profile.reading import format as layout
from xomp.profile.reading.format import Kind

TICKS_PER_US = 2000  # of the synthetic clock: 2 GHz
START = 1_000_000  # ticks before the first event


class LogWriter:
    """One process. Times are microseconds since its start, numbers or arrays."""

    def __init__(self, pid: int = 1000, threads: int = 4, ordered: bool = True) -> None:
        self.pid = pid
        self.ordered = ordered  # the records of a track are in the order of their ends
        self.tracks: dict[int, list[np.ndarray]] = {}
        self.domains: dict[int, int] = {}
        self.lines = [
            "version 0.1",
            f"pid {pid}",
            f"start {1_700_000_000_000_000_000 + pid}",
            "command ./program 42",
            f"processors {threads}",
            f"threads {threads}",
        ]
        self.ended: float | None = None
        self.last = 0.0

    def add(self, track: int, kind: Kind, begin, end, **fields) -> None:
        """One record, or as many as the longest array has elements."""
        arrays = np.broadcast_arrays(begin, end, *fields.values())
        records = np.zeros(arrays[0].size, layout.RECORD)
        records["creator_domain"] = records["data_domain"] = layout.NO_DOMAIN
        records["kind"] = kind
        for name, values in zip(("begin", "end"), arrays, strict=False):
            records[name] = START + np.rint(values.ravel() * TICKS_PER_US).astype(np.int64)
        for name, values in zip(fields, arrays[2:], strict=True):
            records[name] = values.ravel()
        self.tracks.setdefault(track, []).append(records)
        self.last = max(self.last, float(np.max(arrays[1])))

    def raw(self, track: int, records: np.ndarray) -> None:
        """Records as they are."""
        self.tracks.setdefault(track, []).append(records)

    def line(self, text: str) -> None:
        self.lines.append(text)

    def close(self, end: float | None = None) -> None:
        """An orderly end."""
        self.ended = self.last if end is None else end

    def write(self, directory: Path) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / f"{self.pid}{layout.SUFFIX}"
        path.write_bytes(self.bytes())
        return path

    def bytes(self) -> bytes:
        head = np.zeros(1, layout.HEADER)
        sizes = (layout.HEADER_BYTES, layout.CHUNK_BYTES, layout.RECORD_BYTES)
        head[0] = (layout.MAGIC, layout.VERSION, *sizes, self.pid)
        parts = [head.tobytes().ljust(layout.HEADER_BYTES, b"\0")]
        parts += self._text_chunks()
        for track in self.tracks:
            parts += self._record_chunks(track)
        return b"".join(parts)

    def _text_chunks(self) -> list[bytes]:
        last = self.last if self.ended is None else self.ended
        lines = [*self.lines, f"clock {START} 5000000000"]
        lines.append(
            f"clock {START + round(last * TICKS_PER_US)} {5_000_000_000 + last * 1000:.0f}"
        )
        if self.ended is not None:
            lines.append(f"end {START + round(self.ended * TICKS_PER_US)}")
        text = "".join(line + "\n" for line in lines).encode()
        room = layout.CHUNK_BYTES - layout.CHUNK_HEADER_BYTES
        pieces = [text[at : at + room] for at in range(0, len(text), room)]
        return [
            self._chunk(layout.CHUNK_OF_TEXT, 0xFFFFFFFF, sequence, piece)
            for sequence, piece in enumerate(pieces)
        ]

    def _record_chunks(self, track: int) -> list[bytes]:
        records = np.concatenate(self.tracks[track])
        if self.ordered:
            # A span is written when it ends; of two that end together, the inner one first.
            records = records[np.lexsort((-records["begin"], records["end"]))]
        step = layout.RECORDS_IN_CHUNK
        pieces = [records[at : at + step] for at in range(0, len(records), step)]
        return [
            self._chunk(layout.CHUNK_OF_RECORDS, track, sequence, piece.tobytes())
            for sequence, piece in enumerate(pieces)
        ]

    def _chunk(self, kind: int, track: int, sequence: int, content: bytes) -> bytes:
        head = np.zeros(1, layout.CHUNK)
        head["magic"], head["kind"] = layout.CHUNK_MAGIC, kind
        head["track"], head["sequence"] = track, sequence
        head["domain"] = self.domains.get(track, -1)
        head["thread"] = (self.pid + track) & 0xFFFFFFFF
        start = head.tobytes()[: layout.CHUNK_HEADER_BYTES]
        return (start + content).ljust(layout.CHUNK_BYTES, b"\0")

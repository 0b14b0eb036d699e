# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of an ELF file, by address: what is known of a place without debug information."""

from __future__ import annotations

from pathlib import Path

import numpy as np

PT_LOAD = 1
SHT_SYMTAB, SHT_DYNSYM = 2, 11
STT_FUNC, STT_GNU_IFUNC = 2, 10

_HEADER = np.dtype(
    [
        ("magic", "S4"),
        ("kind", "V28"),
        ("segments_at", "<u8"),
        ("sections_at", "<u8"),
        ("flags", "<u4"),
        ("size", "<u2"),
        ("segment_size", "<u2"),
        ("segments", "<u2"),
        ("section_size", "<u2"),
        ("sections", "<u2"),
        ("names", "<u2"),
    ]
)
_SEGMENT = np.dtype(
    [
        ("type", "<u4"),
        ("flags", "<u4"),
        ("offset", "<u8"),
        ("address", "<u8"),
        ("physical", "<u8"),
        ("length", "<u8"),
        ("memory", "<u8"),
        ("alignment", "<u8"),
    ]
)
_SECTION = np.dtype(
    [
        ("name", "<u4"),
        ("type", "<u4"),
        ("flags", "<u8"),
        ("address", "<u8"),
        ("offset", "<u8"),
        ("size", "<u8"),
        ("link", "<u4"),
        ("info", "<u4"),
        ("alignment", "<u8"),
        ("entry", "<u8"),
    ]
)
_SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("address", "<u8"),
        ("size", "<u8"),
    ]
)


class Functions:
    """Those of one file; of a file that cannot be read, none."""

    def __init__(self, path: Path) -> None:
        self._segments = np.zeros(0, _SEGMENT)
        self._symbols = np.zeros(0, _SYMBOL)
        self._names = b""
        try:
            if not path.is_file():  # to open a pipe would wait for somebody who writes to it
                return
            self._read(np.memmap(path, dtype=np.uint8, mode="r"))
        except (OSError, ValueError, IndexError):
            return  # not there any more, or damaged

    def _read(self, data: np.ndarray) -> None:
        head = data[: _HEADER.itemsize].view(_HEADER)[0]
        if head["magic"] != b"\x7fELF" or bytes(data[4:6]) != b"\x02\x01":
            return
        segments = _table(data, head["segments_at"], head["segments"], _SEGMENT)
        self._segments = segments[segments["type"] == PT_LOAD]
        sections = _table(data, head["sections_at"], head["sections"], _SECTION)
        for wanted in (SHT_SYMTAB, SHT_DYNSYM):
            for section in sections[sections["type"] == wanted]:
                count = section["size"] // _SYMBOL.itemsize
                symbols = _table(data, section["offset"], count, _SYMBOL)
                functions = np.isin(symbols["info"] & 15, (STT_FUNC, STT_GNU_IFUNC))
                found = symbols[functions & (symbols["section"] != 0)]
                if len(found):
                    self._symbols = found[np.argsort(found["address"], kind="stable")]
                    names = sections[int(section["link"])]
                    start = int(names["offset"])
                    self._names = bytes(data[start : start + int(names["size"])])
                    return

    def address(self, offset: int) -> int | None:
        """The address that the file gives to what stands at this offset in it."""
        start = self._segments["offset"].astype(np.int64)
        inside = (start <= offset) & (offset < start + self._segments["length"].astype(np.int64))
        if not inside.any():
            return None
        segment = self._segments[int(inside.argmax())]
        return offset - int(segment["offset"]) + int(segment["address"])

    def at(self, address: int) -> tuple[str, int]:
        """The function's name, as the linker knows it, and how far into it; "" if there is none."""
        index = int(np.searchsorted(self._symbols["address"], address, side="right")) - 1
        if index < 0:
            return "", 0
        symbol = self._symbols[index]
        distance = address - int(symbol["address"])
        if symbol["size"] and distance >= symbol["size"]:
            return "", 0
        start = int(symbol["name"])
        name = self._names[start : self._names.index(b"\0", start)]
        return name.decode(errors="replace"), distance


def _table(data: np.ndarray, at: int, count: int, entry: np.dtype) -> np.ndarray:
    start, length = int(at), int(count) * entry.itemsize
    if start + length > len(data):
        raise ValueError("a table beyond the file's end")
    return data[start : start + length].view(entry)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the loader reads first of an ELF file: for which machine it is, its interpreter, the
libraries that it needs, and where it searches them. Imports next to nothing, because `xomp run`
pays for every import. Names of structures and tags are those of the System V ABI.
"""

from __future__ import annotations

import mmap
import os
import struct

ET_EXEC, ET_DYN = 2, 3
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 14, 15, 29
DT_FLAGS_1, DF_1_PIE = 0x6FFFFFFB, 0x08000000
MACHINES = {
    3: "x86",
    20: "ppc",
    21: "ppc64le",
    40: "arm",
    62: "x86-64",
    183: "aarch64",
    243: "riscv",
}


class ElfError(Exception):
    """The file is not an ELF file that can be read here; the text says why."""


class ForeignElfError(ElfError):
    """It is one, for machines that xomp does not know."""


class Head:
    """The head of a 64-bit little-endian ELF file, and its dynamic segment."""

    def __init__(self, data: bytes | mmap.mmap, path: str) -> None:
        self.data = data
        self.interpreter = ""
        self.dynamic = False
        self.soname = self.rpath = ""
        self.needed: list[str] = []
        self.segments: list[tuple[int, int, int]] = []  # address, offset, size of what is loaded
        self.tags: dict[int, int] = {}
        if data[:4] != b"\x7fELF":
            raise ElfError(f"{path} is not an ELF file")
        try:
            if data[4] == 1:
                bits = MACHINES.get(struct.unpack_from("<H", data, 18)[0], "unknown")
                raise ForeignElfError(f"{path} is a 32-bit program ({bits})")
            if data[4:6] != b"\x02\x01":
                raise ForeignElfError(f"{path} is not a 64-bit little-endian ELF file")
            self._read()
        except (struct.error, IndexError, ValueError, TypeError) as error:
            raise ElfError(f"{path} is a damaged ELF file, or cut short") from error

    def _read(self) -> None:
        self.kind, machine = self.unpack("HH", 16)
        self.machine = MACHINES.get(machine, f"machine {machine}")
        table = self.unpack("Q", 32)[0]
        size, count = self.unpack("HH", 54)
        dynamic = None
        for entry in range(table, table + size * count, size):
            kind, _, offset, address, _, length = self.unpack("IIQQQQ", entry)
            if kind == PT_LOAD:
                self.segments.append((address, offset, length))
            elif kind == PT_INTERP:
                self.interpreter = self.data[offset : offset + length].rstrip(b"\0").decode()
            elif kind == PT_DYNAMIC:
                dynamic = offset, length
        if dynamic:
            self.dynamic = True
            self._read_dynamic(*dynamic)

    def _read_dynamic(self, offset: int, length: int) -> None:
        needed = []
        for entry in range(offset, offset + length, 16):
            tag, value = self.unpack("QQ", entry)
            if tag == 0:
                break
            if tag == DT_NEEDED:
                needed.append(value)
            else:
                self.tags[tag] = value
        self.needed = [self.string(at) for at in needed]
        self.soname = self._tagged(DT_SONAME)
        # What is searched before LD_LIBRARY_PATH; a RUNPATH takes its place, and comes after.
        self.rpath = "" if DT_RUNPATH in self.tags else self._tagged(DT_RPATH)

    def unpack(self, form: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from("<" + form, self.data, at)

    def offset(self, tag: int) -> int | None:
        """Where in the file the table lies to which a tag points."""
        address = self.tags.get(tag)
        for start, offset, length in self.segments:
            if address is not None and start <= address < start + length:
                return address - start + offset
        return None

    def string(self, at: int) -> str:
        start = self.offset(DT_STRTAB) + at
        return self.data[start : self.data.find(b"\0", start)].decode()

    def _tagged(self, tag: int) -> str:
        return self.string(self.tags[tag]) if tag in self.tags else ""

    @property
    def statically_linked(self) -> bool:
        """A program that starts without a loader. A library has no interpreter either."""
        pie = self.tags.get(DT_FLAGS_1, 0) & DF_1_PIE
        return not self.interpreter and (self.kind == ET_EXEC or (self.kind == ET_DYN and pie != 0))


def open_file(path: str) -> bytes | mmap.mmap:
    """The content of a file, read as far as it is looked at."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(file).st_size
        return mmap.mmap(file, size, access=mmap.ACCESS_READ) if size else b""
    finally:
        os.close(file)


def read_head(path: str) -> Head:
    return Head(open_file(path), path)

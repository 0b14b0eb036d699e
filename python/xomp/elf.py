# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the libraries and versioned symbols that an ELF file needs and offers.

Everything is found through the dynamic segment, as the loader does it, so files without section
headers work too. Names of structures and tags are those of the System V ABI and of GNU symbol
versioning.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 4, 5, 6, 14, 15, 29
DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE
STB_WEAK = 2
HIDDEN_VERSION = 0x8000
MACHINES = {3: "x86", 40: "arm", 62: "x86-64", 183: "aarch64", 243: "riscv"}


class ElfError(Exception):
    """The file is not an ELF file that can be read here; the text says why."""


@dataclass(frozen=True)
class Symbol:
    """A dynamic symbol; `version` is empty where the file states none."""

    name: str
    version: str = ""
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.name}@{self.version}" if self.version else self.name


@dataclass
class ElfFile:
    """The dynamic side of one file."""

    path: Path
    machine: str = ""
    interpreter: str = ""
    dynamic: bool = False
    soname: str = ""
    search_path: str = ""
    needed: list[str] = field(default_factory=list)
    imports: list[Symbol] = field(default_factory=list)
    exports: list[Symbol] = field(default_factory=list)


def read(path: Path) -> ElfFile:
    """Reads a 64-bit little-endian ELF file."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        raise ElfError(f"{path} is not an ELF file")
    if data[4:6] != b"\x02\x01":
        raise ElfError(f"{path} is not a 64-bit little-endian ELF file")
    try:
        return _Reader(data, path).file
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise ElfError(f"{path} is a damaged ELF file: {error}") from error


class _Reader:
    def __init__(self, data: bytes, path: Path) -> None:
        self.data = data
        self.file = ElfFile(path)
        self.segments: list[tuple[int, int, int]] = []  # address, offset, size of what is loaded
        self.tags: dict[int, int] = {}
        self._header()
        if self.file.dynamic:
            self._symbols(self._versions())

    def _unpack(self, form: str, at: int) -> tuple[int, ...]:
        return struct.unpack_from("<" + form, self.data, at)

    def _header(self) -> None:
        machine, table, size, count = (
            self._unpack("H", 18)[0],
            self._unpack("Q", 32)[0],
            *self._unpack("HH", 54),
        )
        self.file.machine = MACHINES.get(machine, f"machine {machine}")
        dynamic = None
        for entry in range(table, table + size * count, size):
            kind, _, offset, address, _, length = self._unpack("IIQQQQ", entry)
            if kind == PT_LOAD:
                self.segments.append((address, offset, length))
            elif kind == PT_INTERP:
                self.file.interpreter = self.data[offset : offset + length].rstrip(b"\0").decode()
            elif kind == PT_DYNAMIC:
                dynamic = offset, length
        if dynamic:
            self.file.dynamic = True
            self._dynamic(*dynamic)

    def _dynamic(self, offset: int, length: int) -> None:
        needed = []
        for entry in range(offset, offset + length, 16):
            tag, value = self._unpack("QQ", entry)
            if tag == 0:
                break
            if tag == DT_NEEDED:
                needed.append(value)
            else:
                self.tags[tag] = value
        self.file.needed = [self._string(at) for at in needed]
        if DT_SONAME in self.tags:
            self.file.soname = self._string(self.tags[DT_SONAME])
        for tag in (DT_RPATH, DT_RUNPATH):  # RUNPATH, where present, is the one that counts
            if tag in self.tags:
                self.file.search_path = self._string(self.tags[tag])

    def _offset(self, tag: int) -> int | None:
        """Where in the file the table lies to which a tag points."""
        address = self.tags.get(tag)
        for start, offset, length in self.segments:
            if address is not None and start <= address < start + length:
                return address - start + offset
        return None

    def _string(self, at: int) -> str:
        start = self._offset(DT_STRTAB) + at
        return self.data[start : self.data.index(b"\0", start)].decode()

    def _versions(self) -> dict[int, str]:
        """The names of the version indices in DT_VERSYM."""
        names = {}
        at = self._offset(DT_VERNEED)
        while at is not None:
            _, count, _, aux, step = self._unpack("HHIII", at)
            entry = at + aux
            for _ in range(count):
                _, _, index, name, aux_step = self._unpack("IHHII", entry)
                names[index] = self._string(name)
                entry += aux_step
            at = at + step if step else None
        at = self._offset(DT_VERDEF)
        while at is not None:
            _, _, index, _, _, aux, step = self._unpack("HHHHIII", at)
            names[index] = self._string(self._unpack("I", at + aux)[0])
            at = at + step if step else None
        names[1] = ""  # the file itself: no version
        return names

    def _symbol_count(self) -> int:
        """The loader never needs it, so it is found the long way: through the hash tables."""
        at = self._offset(DT_HASH)
        if at is not None:
            return self._unpack("II", at)[1]
        at = self._offset(DT_GNU_HASH)
        if at is None:
            return 0
        buckets, first, bloom, _ = self._unpack("IIII", at)
        bucket_at = at + 16 + 8 * bloom
        chain_at = bucket_at + 4 * buckets
        last = max(self._unpack(f"{buckets}I", bucket_at), default=0)
        if last < first:  # nothing is exported: the imports end where the next table begins
            return (self._offset(DT_STRTAB) - self._offset(DT_SYMTAB)) // 24
        while not self._unpack("I", chain_at + 4 * (last - first))[0] & 1:
            last += 1
        return last + 1

    def _symbols(self, versions: dict[int, str]) -> None:
        table, versym = self._offset(DT_SYMTAB), self._offset(DT_VERSYM)
        if table is None:
            return
        for index in range(1, self._symbol_count()):
            name, info, _, section = self._unpack("IBBH", table + 24 * index)
            version = 0
            if versym is not None:
                version = self._unpack("H", versym + 2 * index)[0] & ~HIDDEN_VERSION
            symbol = Symbol(self._string(name), versions.get(version, ""), info >> 4 == STB_WEAK)
            (self.file.exports if section else self.file.imports).append(symbol)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the versioned symbols that an ELF file needs and offers.

Everything is found through the dynamic segment, as the loader does it, so files without section
headers work too. Names of structures and tags are those of the System V ABI and of GNU symbol
versioning.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from xomp.elf_head import DT_STRTAB, ElfError, Head, read_head

DT_HASH, DT_SYMTAB = 4, 6
DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE
STB_WEAK = 2
HIDDEN_VERSION = 0x8000


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
    head: Head
    imports: list[Symbol] = field(default_factory=list)
    exports: list[Symbol] = field(default_factory=list)

    @property
    def soname(self) -> str:
        return self.head.soname

    @property
    def needed(self) -> list[str]:
        return self.head.needed


def read(path: Path) -> ElfFile:
    """Reads a 64-bit little-endian ELF file."""
    head = read_head(str(path))
    file = ElfFile(path, head)
    if head.dynamic:
        try:
            _Symbols(head).read(file)
        except (struct.error, IndexError, ValueError, TypeError) as error:
            raise ElfError(f"{path} is a damaged ELF file, or cut short") from error
    return file


class _Symbols:
    def __init__(self, head: Head) -> None:
        self.head = head
        self._unpack, self._offset, self._string = head.unpack, head.offset, head.string

    def read(self, file: ElfFile) -> None:
        table, versym = self._offset(DT_SYMTAB), self._offset(DT_VERSYM)
        if table is None:
            return
        versions = self._versions()
        for index in range(1, self._symbol_count()):
            name, info, _, section = self._unpack("IBBH", table + 24 * index)
            version = 0
            if versym is not None:
                version = self._unpack("H", versym + 2 * index)[0] & ~HIDDEN_VERSION
            symbol = Symbol(self._string(name), versions.get(version, ""), info >> 4 == STB_WEAK)
            (file.exports if section else file.imports).append(symbol)

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

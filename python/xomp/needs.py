# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which OpenMP runtime a program would load, and whether libxomp.so has all that it needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from xomp import elf

# libgomp under its own name or a wheel's hashed one, LLVM's and Intel's.
RUNTIME = re.compile(r"^lib(x|g|i)?omp(5|-[0-9a-f]{6,}|-[0-9]+)?\.so(\.|$)")
GNU_SYMBOL = re.compile(r"^(GOMP|GOACC|omp|ompx|acc)_")
LLVM_SYMBOL = re.compile(r"^__kmpc_")
# `name => path (address)`, or the path alone where the file's need is a path.
_LDD_LINE = re.compile(r"^\s*(?:(\S+) => )?(/\S+|not found)(?: \(0x[0-9a-f]+\))?$")


class NeedsError(Exception):
    """The program cannot be looked at; the text says why."""


@dataclass
class User:
    """A file that calls an OpenMP runtime: the program or one of its libraries."""

    path: Path
    runtimes: list[str]  # as in its DT_NEEDED
    symbols: list[elf.Symbol]
    missing: list[elf.Symbol] = field(default_factory=list)
    llvm_symbols: int = 0


@dataclass
class Needs:
    """What was found out about one program."""

    program: Path
    script: Path | None  # the script, where `program` is its interpreter
    machine: str
    dynamic: bool
    runtimes: list[tuple[str, str]]  # name, path or "not found", in the loader's order
    users: list[User]
    not_found: list[str]  # other libraries that the loader would not find


def look_at(name: str, library: str) -> Needs:
    """Looks at a program, a shared library, or a script's interpreter."""
    path, script = _locate(name)
    try:
        program = elf.read(path)
        offered = _Offer(elf.read(Path(library)))
    except (elf.ElfError, OSError) as error:
        raise NeedsError(str(error)) from error
    loaded = _loaded(path) if program.dynamic else []
    needs = Needs(path, script, program.machine, program.dynamic, [], [], [])
    files = [program]
    for soname, where in loaded:
        if RUNTIME.match(soname):
            needs.runtimes.append((soname, where))
        elif where == "not found":
            needs.not_found.append(soname)
        else:
            files.append(elf.read(Path(where)))
    for file in files:
        user = _user(file, offered)
        if user:
            needs.users.append(user)
    return needs


class _Offer:
    """The library's symbols, asked for as the loader does: without a version any will do."""

    def __init__(self, library: elf.ElfFile) -> None:
        self.versioned = {(symbol.name, symbol.version) for symbol in library.exports}
        self.names = {symbol.name for symbol in library.exports}

    def has(self, symbol: elf.Symbol) -> bool:
        if symbol.version:
            return (symbol.name, symbol.version) in self.versioned
        return symbol.name in self.names


def _user(file: elf.ElfFile, offered: _Offer) -> User | None:
    # What a file defines itself (a wrapper of omp_get_wtime, say) it does not need.
    symbols = [symbol for symbol in file.imports if GNU_SYMBOL.match(symbol.name)]
    runtimes = [name for name in file.needed if RUNTIME.match(name)]
    llvm_symbols = sum(1 for symbol in file.imports if LLVM_SYMBOL.match(symbol.name))
    if not symbols and not runtimes and not llvm_symbols:
        return None
    missing = [symbol for symbol in symbols if not symbol.weak and not offered.has(symbol)]
    return User(file.path, runtimes, symbols, missing, llvm_symbols)


def _locate(name: str) -> tuple[Path, Path | None]:
    """The ELF file to look at, and the script that names it as its interpreter."""
    found = name if Path(name).is_file() else shutil.which(name)
    if not found:
        raise NeedsError(f"no program '{name}'")
    path = Path(found)
    try:
        with path.open("rb") as stream:
            start = stream.readline(4096)
    except OSError as error:
        raise NeedsError(f"cannot read '{name}': {error.strerror}") from error
    if not start.startswith(b"#!"):
        return path, None
    words = start[2:].decode(errors="replace").split()
    if not words:
        raise NeedsError(f"'{name}' is a script without an interpreter")
    interpreter = words[0]
    if Path(interpreter).name == "env" and len(words) > 1:
        interpreter = next((word for word in words[1:] if not word.startswith("-")), interpreter)
    located = shutil.which(interpreter)
    if not located:
        raise NeedsError(f"'{name}' asks for the interpreter '{interpreter}', which is not there")
    return Path(located), path


def _loaded(path: Path) -> list[tuple[str, str]]:
    """The libraries that the loader finds for a file, by its own search (`ldd`)."""
    command = ["ldd", str(path.absolute())]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LD_TRACE")}
    environment["LC_ALL"] = "C"
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError as error:
        raise NeedsError("there is no `ldd`; install libc-bin") from error
    matches = (_LDD_LINE.match(line) for line in done.stdout.splitlines())
    pairs = (match.groups() for match in matches if match)
    return [(name or Path(where).name, where) for name, where in pairs]

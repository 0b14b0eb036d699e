# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which OpenMP runtime a program would load, and whether libxomp.so has all that it needs."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from xomp import elf
from xomp.elf_head import ElfError, ForeignElfError, read_head
from xomp.imports import Imports, is_python
from xomp.imports import look_at as look_at_imports
from xomp.library import environment, version
from xomp.reach import (
    GNU,
    LLVM,
    NoProgramError,
    Program,
    family,
    find_program,
    gained_privileges,
    is_same,
    loaded,
    obstacle,
    search,
)

SYMBOL = re.compile(r"^(GOMP|GOACC|omp|ompc|ompx|acc|kmp|kmpc|__kmpc|__kmp)_")
OWN_LIBGOMP = b"libgomp: "  # how its messages begin: in a file that has it inside

RUNTIMES = {GNU: "libgomp", LLVM: "the runtime of LLVM and Intel"}
YES, NO, PARTLY = "yes", "no", "in part"


class NeedsError(Exception):
    """The program cannot be looked at; the text says why."""


@dataclass
class User:
    """A file that calls an OpenMP runtime: the program or one of its libraries."""

    path: Path
    runtimes: list[str]  # as in its DT_NEEDED
    symbols: list[elf.Symbol]
    missing: list[elf.Symbol] = field(default_factory=list)


@dataclass
class Needs:
    """What was found out about one program."""

    program: Program | None  # None: it cannot be looked at any closer
    verdict: str  # whether `xomp run` makes it run on xomp
    because: str
    itself: str = ""  # what it is, where it is an OpenMP runtime
    runtimes: list[tuple[str, str, str]] = field(default_factory=list)  # name, alone, on xomp
    users: list[User] = field(default_factory=list)
    not_found: list[str] = field(default_factory=list)  # other libraries that are not there
    notes: list[str] = field(default_factory=list)
    imports: Imports | None = None  # of a Python script


def look_at(name: str, runtime: str) -> Needs:
    """Looks at a program, a shared library, or a script's interpreter."""
    try:
        # A file of the current folder is meant as well, which a shell would not start by its name.
        path = name if Path(name).is_file() else search(name)
        imports = look_at_imports(path) if path and is_python(path) else None
        if imports:
            program = Program(name, imports.python, [path], read_head(imports.python))
        else:
            program = find_program(name, path)
        needs = _look_closer(program, runtime, _Offer(elf.read(Path(runtime))))
        if imports:
            _add_imports(needs, imports)
        return needs
    except ForeignElfError as error:
        return Needs(None, NO, str(error))
    except (NoProgramError, ElfError) as error:
        raise NeedsError(str(error)) from error
    except OSError as error:
        raise NeedsError(f"cannot read '{error.filename or name}': {error.strerror}") from error


def _look_closer(program: Program, runtime: str, offered: _Offer) -> Needs:
    changes = environment(runtime)
    it = f"its interpreter '{program.path}'" if program.scripts else "it"
    why_not = obstacle(program, runtime, changes, it)
    needs = Needs(program, NO if why_not else YES, why_not or "")
    rights = gained_privileges(program.path, for_anybody=True)
    if rights and not why_not:
        needs.notes.append(f"For you, but not for every user: it {rights}.")
    if program.head.statically_linked or program.head.machine != read_head(runtime).machine:
        return needs
    needs.itself = "" if why_not or program.scripts else _runtime(program, runtime)
    if needs.itself:
        return needs
    files = [elf.read(Path(program.path))]
    for soname, where in loaded(program.head, program.path, dict(os.environ)):
        if family(soname):
            later = where if why_not else runtime
            needs.runtimes.append((soname, where or "not found", later or "not found"))
        elif where:
            files.append(elf.read(Path(where)))
        else:
            needs.not_found.append(soname)
    for file in files[1:]:
        offered.add(file)
    needs.users = [user for file in files if (user := _user(file, offered))]
    if not why_not:
        inside = [
            "it" if file is files[0] else str(file.path)
            for file in files
            if file.head.data.find(OWN_LIBGOMP) >= 0
        ]
        needs.verdict, needs.because = _verdict(needs, runtime, inside)
    return needs


def _runtime(program: Program, runtime: str) -> str:
    """What to say of an OpenMP runtime; empty for all else."""
    if is_same(program.path, runtime):
        return "xomp itself"
    found = version(program.path)
    if found is not None:
        return f"xomp, version {found}, in another place than '{runtime}'"
    kind = family(program.head.soname)
    if not kind:
        return ""
    return f"{RUNTIMES[kind]} itself: for programs that need it `xomp run` puts xomp in its place"


def _add_imports(needs: Needs, imports: Imports) -> None:
    """What the packages need changes the answer for an interpreter that is open."""
    needs.imports = imports
    kinds = {family(name) for found in imports.packages.values() for name in found}
    if needs.verdict != YES or not kinds:
        return
    packages = ", ".join(imports.packages)
    needed = " and ".join(name for kind, name in RUNTIMES.items() if kind in kinds)
    needs.because = f"because what it imports ({packages}) needs {needed}"


def _verdict(needs: Needs, runtime: str, inside: list[str]) -> tuple[str, str]:
    """What follows from the symbols, where nothing keeps the library out."""
    lacking = sum(len(user.missing) for user in needs.users)
    if lacking:
        symbols = "a symbol" if lacking == 1 else f"{lacking} symbols"
        return NO, f"it needs {symbols} that {runtime} lacks"
    needed = [entry for entry in needs.runtimes if family(entry[0])]
    if inside:
        return (PARTLY if needed else NO), f"{inside[0]} has a libgomp inside, statically linked"
    if not needed:
        return YES, (
            "if at all: it loads no OpenMP runtime when it starts. "
            "Where it opens or starts something that needs one, that is xomp"
        )
    if all(is_same(where, runtime) for _, where, _ in needed):
        return YES, "and without `xomp run`: the loader finds it already"
    return YES, f"because it needs {needed[0][0]}, and `xomp run` puts xomp in its place"


class _Offer:
    """The library's symbols, asked for as the loader does: without a version any will do."""

    def __init__(self, library: elf.ElfFile) -> None:
        self.versioned = {(symbol.name, symbol.version) for symbol in library.exports}
        self.names = {symbol.name for symbol in library.exports}

    def add(self, other: elf.ElfFile) -> None:
        """What is asked for by its version may be another library's: libomptarget's."""
        self.versioned.update(
            (symbol.name, symbol.version)
            for symbol in other.exports
            if symbol.version and SYMBOL.match(symbol.name)
        )

    def has(self, symbol: elf.Symbol) -> bool:
        if symbol.version:
            return (symbol.name, symbol.version) in self.versioned
        return symbol.name in self.names


def _user(file: elf.ElfFile, offered: _Offer) -> User | None:
    # What a file defines itself (a wrapper of omp_get_wtime, say) it does not need.
    symbols = [symbol for symbol in file.imports if SYMBOL.match(symbol.name)]
    runtimes = [name for name in file.needed if family(name)]
    if not symbols and not runtimes:
        return None
    missing = [symbol for symbol in symbols if not symbol.weak and not offered.has(symbol)]
    return User(file.path, runtimes, symbols, missing)

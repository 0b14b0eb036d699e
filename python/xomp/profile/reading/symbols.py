# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of code in words: function, file and line, as far as the program's files tell them."""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from xomp.profile.reading.functions import Functions
from xomp.profile.reading.log import Call, Log, Module

# Compilers put the body of a construct into a function of its own. gcc's name says which of them it
# is; clang's and flang's need not, and of tasks, and up to clang 16 of regions, they name nothing.
_BODY = re.compile(r"\._omp_fn\.\d+")
_LLVM_BODY = re.compile(r"\.omp_outlined(?:_debug__)?(?:\.\d+)?|\.\.omp_par(?:\.\d+)?")
_OUTLINED = re.compile(rf"^(.+?)(?:{_BODY.pattern}|{_LLVM_BODY.pattern})")
_NAMELESS = re.compile(r"^\.omp_(?:outlined|task_entry)\.")
_MADE_UP = re.compile(rf"{_BODY.pattern}|{_LLVM_BODY.pattern}|{_NAMELESS.pattern}")
_CLONE = re.compile(r"\.(?:part|isra|constprop|cold|lto_priv|localalias)(?:\.\d+)*")
_CLONE_NOTE = re.compile(r" \[clone ([^\]]*)\]")
_FORTRAN_MODULE = re.compile(r"^__(\w+)_MOD_(\w+)$")
_FLANG = re.compile(r"^_Q(?:[A-Z]+[a-z0-9_]*)*P([a-z0-9_]+)$")
_FLANG_MAIN = "_QQmain"
_BLOCK = re.compile(r"^(?=0x)", re.MULTILINE)
_LINE = re.compile(r"^(.*):(\d+)(?: \(discriminator \d+\))?$")
_FORTRAN_FILES = (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08")
ADDR2LINE_SECONDS = 60  # more than a large program with all its debug information needs


@dataclass(frozen=True)
class Place:
    """A place in a program."""

    address: int
    function: str = ""  # of the source: for the body of a construct the function around it
    symbol: str = ""  # of the linker; of LLVM's compilers only where it is the function's
    offset: int = 0  # within the symbol, or the module where there is none
    file: str = ""
    line: int = 0
    module: str = ""

    @property
    def source(self) -> str:
        """fib.c:12, or what comes nearest to it."""
        if self.file:
            return f"{Path(self.file).name}:{self.line}"
        if self.line:
            return f"line {self.line}"
        if self.symbol:
            # The body of a construct is known by its start, any other place by its distance.
            body = _BODY.search(self.symbol)
            distance = f"+{self.offset:#x}" if self.offset else ""
            return self.function + (body[0] if body else "") + distance
        if self.module:
            return f"{Path(self.module).name}+{self.offset:#x}"
        return f"{self.address:#x}" if self.address else "an unknown place"

    def text(self, construct: str = "") -> str:
        """task in fib, fib.c:12."""
        if not self.address:
            return construct or self.source
        if not self.function:
            return f"{construct} at {self.source}" if construct else self.source
        within = f"{construct} in {self.name}" if construct else self.name
        return within if self.source == self.name else f"{within}, {self.source}"

    @property
    def name(self) -> str:
        """The function; without a line what tells places within it apart, too."""
        return self.function if self.function and (self.file or not self.symbol) else self.source


class Symbols:
    """The places of one log. Each address is looked up once, many at a time."""

    def __init__(self, log: Log) -> None:
        self.notes: list[str] = []  # why names are missing or may be wrong
        self._started = (log.number("start") or 0) / 1e9
        self._program = log.texts.get("program", "")
        self._modules = sorted(log.modules, key=lambda module: module.start)
        self._starts = [module.start for module in self._modules]
        self._functions: dict[str, Functions] = {}
        self._known: dict[int, Place] = {}
        self._calls = log.calls
        self._said = _by_address(log.calls)
        self._around: dict[int, str] | None = None  # of bodies whose names do not say it

    def place(self, address: int, returned: bool = False) -> Place:
        """One place. A return address stands behind the call that is meant."""
        self.load([address], returned)
        return self._known[_meant(address, returned)]

    def load(self, addresses: Iterable[int], returned: bool = False) -> None:
        """Looks up all of them at once, which takes hardly longer than one."""
        wanted = {_meant(int(each), returned) for each in addresses} - self._known.keys()
        self._look_up(wanted)
        if self._around is None and any(_is_nameless(self._known[each]) for each in wanted):
            callers = {_meant(call.codeptr, True) for call in self._calls if call.body}
            callers -= self._known.keys()
            self._look_up(callers)
            self._around = self._functions_around()
            wanted |= callers
        for address in wanted:
            self._improve(address)

    def _look_up(self, wanted: Iterable[int]) -> None:
        by_module: dict[str, dict[int, int]] = defaultdict(dict)
        for address in wanted:
            module = self._module_of(address)
            if module is None:
                self._known[address] = Place(address)
                continue
            offset = address - module.start + module.offset
            self._known[address] = Place(address, module=module.path, offset=offset)
            at = self._of(module.path).address(offset)
            if at is not None:
                by_module[module.path][address] = at
        for path, places in by_module.items():
            self._name(path, places)

    def _functions_around(self) -> dict[int, str]:
        """By bodies the functions whose calls hand them over, also of bodies inside of bodies."""
        found: dict[int, str] = {}
        # What ends with a call, by a jump into the runtime, is itself called by another module.
        left = [
            call
            for call in self._calls
            if call.body and self._path_of(call.codeptr) == self._path_of(call.body)
        ]
        while True:
            before = len(found)
            for call in left:
                place = self._known[_meant(call.codeptr, True)]
                nameless = _is_nameless(place)
                name = found.get(place.address - place.offset) if nameless else place.function
                if name:
                    found.setdefault(call.body, name)
            if len(found) == before:
                return found

    def _improve(self, address: int) -> None:
        """By what the compiler says of the place; by the function around a body."""
        place, said = self._known[address], self._said.get(address)
        name, file, line = place.function, place.file, place.line
        if said:
            name = readable(said.function, said.file) or name
            # The file of debug information has its folder.
            if said.file and Path(said.file).name != Path(file).name:
                file = said.file
            line = said.line
        elif _is_nameless(place):
            name = (self._around or {}).get(address - place.offset, name)
        found = replace(place, function=name, file=file, line=line)
        made_up = said or _LLVM_BODY.search(place.symbol) or name != place.function
        module = self._module_of(address)
        if module and made_up and not file:
            offset = address - module.start + module.offset
            found = replace(found, symbol="", offset=offset)
        self._known[address] = found

    def _module_of(self, address: int) -> Module | None:
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address >= self._modules[index].end:
            return None
        return self._modules[index]

    def _path_of(self, address: int) -> str:
        module = self._module_of(address)
        return module.path if module else ""

    def _of(self, path: str) -> Functions:
        if path not in self._functions:
            self._functions[path] = Functions(Path(path))
            self._look_at_age(path)
        return self._functions[path]

    def _look_at_age(self, path: str) -> None:
        try:
            changed = Path(path).stat().st_mtime
        except OSError:
            if path.startswith("/"):
                self._note(f"{path} is not there any more: its places have no names")
            return
        if self._started and changed > self._started:
            self._note(f"{path} is newer than the log: names and lines in it may be wrong")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _name(self, path: str, places: dict[int, int]) -> None:
        functions = self._functions[path]
        found = self._addr2line(path, list(places.values()))
        lines = 0
        for (address, at), (function, where) in zip(places.items(), found, strict=True):
            symbol, offset = functions.at(at)
            line = _LINE.match(where)
            file, number = (line[1], int(line[2])) if line and line[2] != "0" else ("", 0)
            if not symbol and not file:
                lines += address in self._said
                continue
            if function in ("", "??"):
                function = symbol
            name = readable(function, file)
            self._known[address] = Place(address, name, symbol, offset, file, number, path)
            lines += bool(file or address in self._said)
        if not lines and path == self._program:
            self._note(f"{path} has no debug information: build it with -g to see lines")

    def _addr2line(self, path: str, addresses: list[int]) -> list[tuple[str, str]]:
        nothing = [("", "")] * len(addresses)
        # -a: each address before its frames, -i: those that were inlined there, innermost first.
        command = ["addr2line", "-a", "-f", "-i", "-C", "-e", path]
        text = "".join(f"{address:#x}\n" for address in addresses)
        try:
            done = subprocess.run(
                command,
                input=text,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ADDR2LINE_SECONDS,
                check=False,
            )
        except FileNotFoundError:
            self._note("there is no addr2line (binutils): places have no lines")
            return nothing
        except subprocess.TimeoutExpired:
            self._note(f"addr2line took too long for {path}: its places have no lines")
            return nothing
        found = [block.splitlines()[1:] for block in _BLOCK.split(done.stdout)[1:]]
        if len(found) != len(addresses) or any(len(lines) < 2 for lines in found):
            return nothing
        return [_frame(lines) for lines in found]


def _frame(lines: list[str]) -> tuple[str, str]:
    """The innermost function is meant; of the body of a construct the body, not what it begins
    with."""
    frames = list(zip(lines[::2], lines[1::2], strict=False))
    return frames[-1] if _MADE_UP.search(frames[-1][0]) else frames[0]


def _by_address(calls: Iterable[Call]) -> dict[int, Call]:
    """What is said of both addresses of a call, where one thing is."""
    said: dict[int, set[tuple[str, str, int]]] = defaultdict(set)
    found = {}
    for call in calls:
        for address in (_meant(call.codeptr, True), call.body):
            said[address].add((call.function, call.file, call.line))
            found[address] = call
    return {each: call for each, call in found.items() if call.line and len(said[each]) == 1}


def _is_nameless(place: Place) -> bool:
    return bool(_NAMELESS.match(place.symbol)) and bool(_NAMELESS.match(place.function))


def _meant(address: int, returned: bool) -> int:
    return address - 1 if returned and address else address


def readable(function: str, file: str = "") -> str:
    """The function of the source behind a linker's or a demangled name."""
    name = _CLONE_NOTE.sub(r"\1", function)  # fib(int) [clone ._omp_fn.0]
    outlined = _OUTLINED.match(name)
    name = _CLONE.sub("", outlined[1] if outlined else name)
    module = _FORTRAN_MODULE.match(name)
    if module:
        return module[2]
    flang = _FLANG.match(name)
    if flang or name == _FLANG_MAIN:
        return flang[1] if flang else "main program"
    if Path(file).suffix.lower() in _FORTRAN_FILES:
        return "main program" if name == "MAIN__" else name.rstrip("_")
    return _without_signature(name)


def _without_signature(name: str) -> str:
    """sort<int> of `void sort<int>(int*, long)`."""
    if "(" not in name or "operator" in name or "{lambda" in name:
        return name
    depth, begin = 0, 0
    for at, letter in enumerate(name):
        if letter == "(" and depth == 0 and at > begin and not name.startswith("(anonymous", at):
            return name[begin:at]
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif letter == " " and depth == 0:
            begin = at + 1
    return name

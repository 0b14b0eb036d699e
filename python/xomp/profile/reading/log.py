# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What one process recorded, as far as it could be read."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from xomp.errors import BadInputError
from xomp.profile.reading import format as layout
from xomp.profile.reading.clock import Clock
from xomp.profile.reading.format import Kind
from xomp.profile.reading.lines import number_in, words_of

# A record, and where it came from.
EVENT = np.dtype([*layout.RECORD.descr, ("track", "<u4"), ("domain", "<i4")])

# The region of implicit tasks that were still going on when the log ended.
OPEN_REGION = (1 << 64) - 1


class LogError(BadInputError):
    """There is nothing to read; the text says why, in one line."""


@dataclass(frozen=True)
class Track:
    """What one thread of the operating system recorded."""

    number: int
    thread: int  # the kernel's number of it
    domain: int  # -1: unknown
    missing: int  # chunks


@dataclass(frozen=True)
class Module:
    """A part of the program or of a library that is mapped to be executed."""

    start: int
    end: int
    offset: int  # in the file
    path: str


@dataclass(frozen=True)
class Call:
    """What the program's compiler says of a call of the runtime."""

    codeptr: int  # where it returns to
    body: int  # the function of the program that it hands over; 0: none
    function: str = ""
    file: str = ""
    line: int = 0  # 0: it says nothing


@dataclass
class Log:
    """What one process recorded."""

    path: Path
    pid: int
    events: np.ndarray  # of EVENT, by track and, in a track, in the order of their ends
    tracks: list[Track]
    clock: Clock
    texts: dict[str, str] = field(default_factory=dict)  # version, command, program, ...
    settings: dict[str, str] = field(default_factory=dict)
    modules: list[Module] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    hardware: dict[int, str] = field(default_factory=dict)
    ended: int | None = None  # ticks; None: the program crashed, was killed or still runs
    full: int | None = None  # ticks from which on events were summed up
    cut: int | None = None  # ticks from which on events are not looked at: there are too many
    problems: list[str] = field(default_factory=list)
    _of_kind: dict[tuple[Kind, ...], np.ndarray] = field(default_factory=dict, repr=False)
    _columns: dict[str, np.ndarray] = field(default_factory=dict, repr=False)

    def of(self, *kinds: Kind) -> np.ndarray:
        """The events of these kinds, in the order of `events`."""
        if kinds not in self._of_kind:
            codes = self.column("kind")
            self._of_kind[kinds] = self.events[layout.is_any(codes, kinds)]
        return self._of_kind[kinds]

    def column(self, name: str) -> np.ndarray:
        """One field of all events, as an array of its own: quicker to compute with."""
        if name not in self._columns:
            self._columns[name] = np.ascontiguousarray(self.events[name])
        return self._columns[name]

    def number(self, key: str) -> int | None:
        """A text that is a number: processors, threads, start."""
        try:
            return number_in(self.texts.get(key, ""))
        except ValueError:
            return None

    @property
    def command(self) -> str:
        """As one would type it."""
        words = words_of(self.texts.get("command", ""))
        if words:
            return shlex.join(words)
        return self.texts.get("command") or self.texts.get("program") or f"process {self.pid}"

    @cached_property
    def begin(self) -> int:
        """The first tick that the log knows of."""
        known = [int(self.clock.ticks[0])] if self.clock.was_read else []
        if len(self.events):
            known.append(int(self.events["begin"].min()))
        return min(known, default=int(self.clock.ticks[0]))

    @cached_property
    def end(self) -> int:
        """The last tick that the log knows of."""
        known = [self.ended] if self.ended is not None else []
        if len(self.events):
            spans = ~layout.is_any(self.column("kind"), layout.POINTS)
            known.append(int(self.events["end"].max(where=spans, initial=self.begin)))
        latest = int(self.clock.ticks[-1]) if self.clock.was_read else self.begin
        return max(known, default=latest)

    @property
    def until(self) -> int:
        """The end of the time of which all events are here."""
        known = (each for each in (self.end, self.full, self.cut) if each is not None)
        return max(self.begin, min(known))

    def nanoseconds(self, ticks: np.ndarray | int) -> np.ndarray:
        """Nanoseconds since the log's begin."""
        return self.clock.at(ticks) - self.clock.at(self.begin)

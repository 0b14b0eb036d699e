# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers for what the spans of a log name: threads, places, locks, origins, parents."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from xomp.profile.analysing.mutexes import NAMES
from xomp.profile.analysing.spans import look_up, numbered
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.format import NO_DOMAIN, Kind, is_any
from xomp.profile.reading.kinds import BODIES, CALLS, PARTS
from xomp.profile.reading.symbols import Place

SELF, LOCAL, REMOTE = 1, 2, 3  # where a task comes from, seen from who runs it; 0: no task

WITH_ID = (Kind.TASK, Kind.IMPLICIT)
MUTEX_KIND = 15  # the bits of the flags that tell


class Places:
    """Places of the source, numbered. Number 0 is no place."""

    def __init__(self) -> None:
        self.found = [Place(0)]
        self.same: dict[tuple, int] = {}


class Index:
    """Runs that are shown side by side have their places in common."""

    def __init__(self, profile: Profile, places: Places | None = None) -> None:
        self.profile, self.spans = profile, profile.spans
        self.threads = self.spans.threads["track"].astype(np.int64)  # as the log numbers them
        sizes = np.diff(np.append(self.spans.first, len(self.spans)))
        numbers = np.arange(len(self.threads), dtype=np.int32)
        self.thread = np.repeat(numbers, sizes)  # of each span
        self._numbers: dict[tuple[int, bool], int] = {(0, False): 0}
        self._shared = places or Places()
        self._places = self._shared.found
        self.place = self._place_of_spans()

    # Places of the source, which may have several addresses. Number 0 is no place.

    def _place_of_spans(self) -> np.ndarray:
        kinds, address = self.spans.kind, self.spans.column("place")
        place = np.zeros(len(self.spans), dtype=np.int32)
        symbols = self.profile.symbols
        for group, returned in ((BODIES, False), (CALLS, True)):
            mine = np.flatnonzero(is_any(kinds, group) & (address != 0))
            found, which = numbered(address[mine])
            symbols.load(found.tolist(), returned)
            numbers = [self._number(each, returned) for each in found.tolist()]
            place[mine] = np.array(numbers, dtype=np.int32)[which]
        summed = [tasks.place for tasks in self.profile.places if tasks.place]
        symbols.load(summed)
        for each in summed:
            self._number(each, False)
        # Parts of a loop, and idle times, belong to the construct that they lie in.
        parts = np.flatnonzero(is_any(kinds, PARTS))
        place[parts] = place[np.maximum(self.spans.parent[parts], 0)]
        return place

    def _number(self, address: int, returned: bool) -> int:
        key = (address, returned)
        if key not in self._numbers:
            place = self.profile.symbols.place(address, returned)
            known = (place.function, place.file, place.line) if place.file else (place.text(),)
            self._numbers[key] = self._shared.same.setdefault(known, len(self._places))
            if self._numbers[key] == len(self._places):
                self._places.append(place)
        return self._numbers[key]

    @property
    def place_count(self) -> int:
        return len(self._places)

    def place_of(self, address: int | None, returned: bool = False) -> int:
        """The number of an address; 0 if no span has it."""
        return self._numbers.get((address or 0, returned), 0)

    def split_text(self, text: str) -> tuple[str, int]:
        """The place that a text like "task in fib, fib.c:12" ends with, and the words before it."""
        found = [
            (len(place.text()), number)
            for number, place in enumerate(self._places)
            if number and text.endswith(place.text())
        ]
        length, number = max(found, default=(0, 0))
        return text[: len(text) - length].rstrip(), number

    def places(self) -> list[dict]:
        return [
            {
                "name": place.name,
                "source": place.source,
                "file": place.file,
                "line": place.line,
            }
            for place in self._places
        ]

    # Threads

    def thread_of(self, numbers: np.ndarray) -> np.ndarray:
        """Indices of threads that the log numbers so; one beyond the last for unknown ones."""
        if not len(self.threads):
            return np.zeros(len(numbers), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.threads, numbers), len(self.threads) - 1)
        return np.where(self.threads[at] == numbers, at, len(self.threads))

    # Tasks

    @cached_property
    def tasks(self) -> np.ndarray:
        return self.spans.indices(Kind.TASK)

    @cached_property
    def origin(self) -> np.ndarray:
        """Of each task, whether its creator was the thread itself, one near, or one far from it."""
        spans = self.spans
        own = spans.column("worker") == spans.column("track")
        domain, here = spans.column("creator_domain"), spans.column("domain")
        far = (domain != NO_DOMAIN) & (here >= 0) & (domain != here)
        origin = np.where(far, np.uint8(REMOTE), np.uint8(LOCAL))
        origin[own] = SELF
        origin[spans.kind != Kind.TASK] = 0
        return origin

    def parents(self, tasks: np.ndarray) -> np.ndarray:
        """The spans of the tasks' parents; -1: not in the log, or a region's implicit task."""
        spans = self.spans
        explicit = spans.kind[tasks] == Kind.TASK
        wanted = spans.column("other")[tasks]
        # Most tasks run within their parent; the others' are looked for.
        around = spans.owner[np.maximum(spans.parent[tasks], 0)]
        near = explicit & (spans.column("task")[around] == wanted)
        near &= is_any(spans.kind[around], WITH_ID)
        found = np.where(near, around, -1)
        missing = np.flatnonzero(explicit & ~near)
        found[missing] = look_up(spans.column("task"), spans.indices(*WITH_ID), wanted[missing])
        return found

    # Locks

    @cached_property
    def _locks(self) -> tuple[np.ndarray, np.ndarray]:
        mine = self.spans.indices(Kind.MUTEX_WAIT)
        address, kind = (
            self.spans.column("other")[mine],
            self.spans.column("flags")[mine] & MUTEX_KIND,
        )
        pairs = np.stack([address, kind.astype(np.uint64)], axis=1)
        found, which = np.unique(pairs, axis=0, return_inverse=True)
        lock = np.zeros(len(self.spans), dtype=np.int32)
        lock[mine] = which.ravel() + 1
        return found, lock

    @property
    def lock(self) -> np.ndarray:
        """Of each span of a lock its number, from 1 on; of others 0."""
        return self._locks[1]

    def locks(self) -> list[str]:
        return ["", *(lock_name(int(kind), int(address)) for address, kind in self._locks[0])]


def lock_name(kind: int, address: int) -> str:
    return f"{NAMES.get(kind, 'lock')} {address:#x}"

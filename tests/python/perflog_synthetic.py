# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logs of any size, made up: a program with what a report has to show.

First one thread creates tasks for all; then each thread creates its own, some of which others take;
then the program goes on alone; at last a loop with a critical section.
"""

from __future__ import annotations

import numpy as np

from perflog_writer import LogWriter
from xomp.profile.reading.format import (
    BarrierFlag,
    Kind,
    Mutex,
    MutexFlag,
    SingleFlag,
    TaskFlag,
)

TRACK = 1 << 40  # task ids: number of the track, then the count
MODULE = "module 400000 500000 0 /usr/bin/program"

# The code of the program: bodies of tasks and regions, and where constructs return to.
REGION, PRODUCED, SPLIT, LEAF, LOOP_REGION = 0x401000, 0x402000, 0x403000, 0x404000, 0x405000
CREATES, WAITS, JOINS, LOOPS, SINGLES, LOCKS = (
    0x401100,
    0x403100,
    0x401200,
    0x405100,
    0x401300,
    0x405200,
)
MUTEX = 0x7F0000001000


def program(
    workers: int, tasks: int, domains: int = 2, seed: int = 1, places: dict[int, int] | None = None
) -> LogWriter:
    """A whole run. `places` replaces addresses, by those of a program that exists."""
    writer = _Program(workers, domains, seed, places or {})
    quarter = max(1, tasks // 4)
    writer.region(1, REGION, lambda: writer.produced(quarter))
    writer.alone(0.1)
    writer.region(2, REGION, lambda: writer.spread(tasks - quarter))
    writer.alone(0.3)
    writer.region(3, LOOP_REGION, lambda: writer.loop(max(4 * workers, 64)))
    return writer.finish()


class _Writer(LogWriter):
    def add(self, track: int, kind: Kind, begin, end, **fields) -> None:
        if np.size(begin):  # where nothing happened there is nothing to write
            super().add(track, kind, begin, end, **fields)


class _Program:
    def __init__(self, workers: int, domains: int, seed: int, places: dict[int, int]) -> None:
        self.writer = _Writer(threads=workers)
        self.workers = workers
        self.domain = np.arange(workers) * domains // workers
        self.writer.domains = {track: int(self.domain[track]) for track in range(workers)}
        if not places:
            self.writer.line(MODULE)
        self.random = np.random.default_rng(seed)
        self.places = places
        self.count = np.ones(workers, dtype=np.int64)
        self.now = 5.0
        self.started = 0.0
        self.implicit = np.zeros(workers, dtype=np.int64)
        self.root = self.ids(0, 1)[0]

    def at(self, place: int) -> int:
        return self.places.get(place, place)

    def ids(self, track: int, count: int) -> np.ndarray:
        first = self.count[track]
        self.count[track] += count
        return track * TRACK + np.arange(first, first + count)

    def alone(self, share: float) -> None:
        self.now += share * self.now + 5

    def region(self, number: int, body: int, work) -> None:
        """Work gets the threads' begin in `self.begins` and leaves their ends in `self.ends`."""
        self.number = number
        begin = self.now
        self.begins = begin + 2 + np.arange(self.workers) * min(0.2, 4 / self.workers)
        for track in range(self.workers):
            self.implicit[track] = self.ids(track, 1)[0]
        self.ends = self.begins.copy()
        work()
        end = float(self.ends.max()) + 1
        for track in range(self.workers):
            name = {"task": self.implicit[track], "other": number}
            self.barrier(track, self.ends[track] + 0.05, end + 0.5)
            self.writer.add(
                track,
                Kind.IMPLICIT,
                self.begins[track],
                self.ends[track],
                place=self.at(body),
                worker=track,
                **name,
            )
        self.writer.add(
            0,
            Kind.REGION,
            begin,
            end + 1,
            task=self.root,
            other=number,
            place=self.at(body),
            worker=self.workers,
        )
        self.now = end + 2

    def barrier(self, track: int, begin: float, end: float) -> None:
        if end - begin > 0.4:
            self.writer.add(
                track,
                Kind.STALL,
                begin + 0.2,
                end - 0.1,
                task=self.implicit[track],
                other=Kind.BARRIER,
            )
        self.in_barrier(track, begin, end, JOINS, BarrierFlag.JOIN)

    def in_barrier(self, track: int, begin: float, end: float, at: int, flags: int) -> None:
        self.writer.add(
            track,
            Kind.BARRIER,
            begin,
            end,
            task=self.implicit[track],
            other=self.number,
            place=self.at(at),
            flags=flags,
        )

    def produced(self, count: int) -> None:
        """Thread 0 creates all tasks; the others wait for them, and it helps at the end."""
        ids = self.ids(0, count)
        begin = float(self.begins[0]) + 1
        creation = 0.35
        made = begin + np.arange(count) * creation
        self.writer.add(
            0,
            Kind.CREATE,
            made,
            made + 0.2,
            task=ids,
            other=self.implicit[0],
            place=self.at(CREATES),
        )
        last = float(made[-1]) + creation
        self.writer.add(
            0,
            Kind.SINGLE,
            begin - 0.5,
            begin - 0.5,  # that it ends is not seen
            task=self.implicit[0],
            place=self.at(SINGLES),
            flags=SingleFlag.EXECUTED,
        )
        self.ends[0] = last + 0.2
        others = np.arange(1, self.workers) if self.workers > 1 else np.array([0])
        runs_on = others[np.arange(count) % len(others)]
        for track in others:
            mine = ids[runs_on == track]
            ready = made[runs_on == track] + 0.3 if track else np.full(len(mine), last + 1)
            size = self.sizes(len(mine), 0.6)
            begins = _after(ready, size + 0.05, float(self.begins[track]) + 0.5)
            self.tasks(track, begins, size, mine, self.implicit[0], PRODUCED, 0)
            if len(mine):
                self.gaps(track, begins, size, float(self.begins[track]))
                self.wait(track, float(begins[-1] + size[-1]) + 0.1)

    def spread(self, count: int) -> None:
        """Each thread splits its own work; the later ones get more, and some tasks move."""
        weight = np.linspace(0.6, 1.4, self.workers)
        for track, own in enumerate(np.maximum(1, count * weight / weight.sum()).astype(int)):
            inner = 3
            outer = max(1, own // (inner + 1))
            owner = np.full(outer, track)
            moved = self.random.random(outer) < 0.15
            owner[moved] = self.random.integers(0, self.workers, int(moved.sum()))
            size = self.sizes(outer, 4.0)
            begins = _after(np.zeros(outer), size + 0.1, float(self.begins[track]) + 0.5)
            ids = np.empty(outer, dtype=np.int64)
            for creator in np.unique(owner):
                ids[owner == creator] = self.ids(int(creator), int((owner == creator).sum()))
            self.tasks(track, begins, size, ids, self.implicit[owner], SPLIT, owner)
            stolen = np.flatnonzero(owner != track)
            self.writer.add(
                track,
                Kind.STEAL,
                begins[stolen] - 0.05,
                begins[stolen],
                other=1,
                worker=owner[stolen],
                flags=(self.domain[owner[stolen]] != self.domain[track]).astype(int),
            )
            self.writer.add(track, Kind.STEAL_FAILED, begins[::7] - 0.08, begins[::7], worker=0)
            wait = begins + 0.2 * size
            length = 0.7 * size
            self.writer.add(
                track, Kind.TASKWAIT, wait, wait + length, task=ids, place=self.at(WAITS)
            )
            for part in range(inner):
                start = wait + length * (0.02 + part / inner)
                self.writer.add(
                    track,
                    Kind.TASK,
                    start,
                    start + length * (0.9 / inner),
                    task=self.ids(track, outer),
                    other=ids,
                    place=self.at(LEAF),
                    worker=track,
                    flags=TaskFlag.AT_ONCE,
                    creator_domain=self.domain[track],
                    data_domain=self.domain[track],
                )
            self.ends[track] = begins[-1] + size[-1] + 0.2

    def loop(self, chunks: int) -> None:
        for track in range(self.workers):
            begin = float(self.begins[track]) + 0.5
            own = chunks // self.workers + (track < chunks % self.workers)
            size = self.sizes(own, 2.0)
            begins = _after(np.zeros(own), size + 0.05, begin + 0.1)
            name = {"task": self.implicit[track]}
            self.writer.add(
                track, Kind.CHUNK, begins, begins + size, other=np.arange(own), place=10, **name
            )
            asks = begins + 0.3 * size
            got = asks + 0.1 + 0.3 * size * self.random.random(own)
            mutex = {"other": MUTEX, "place": self.at(LOCKS), **name}
            taken = np.where(got - asks > 0.5, MutexFlag.CONTENDED, 0) | Mutex.CRITICAL
            self.writer.add(track, Kind.MUTEX_WAIT, asks, got, flags=taken, **mutex)
            held = got + 0.1 * size
            self.writer.add(track, Kind.MUTEX_HELD, got, held, flags=Mutex.CRITICAL, **mutex)
            end = float(begins[-1] + size[-1]) + 0.2
            self.writer.add(
                track, Kind.LOOP, begin, end, other=chunks * 10, place=self.at(LOOPS), **name
            )
            self.ends[track] = end

    def sizes(self, count: int, middle: float) -> np.ndarray:
        return middle * self.random.lognormal(0, 0.7, count) + 0.05

    def tasks(self, track, begins, sizes, ids, parents, place, creators) -> None:
        creators = np.broadcast_to(creators, begins.shape)
        data = np.where(
            self.random.random(len(begins)) < 0.8, self.domain[creators], self.domain[track]
        )
        self.writer.add(
            track,
            Kind.TASK,
            begins,
            begins + sizes,
            task=ids,
            other=parents,
            place=self.at(place),
            worker=creators,
            flags=np.where(creators == track, 0, TaskFlag.TAKEN),
            creator_domain=self.domain[creators],
            data_domain=data,
        )

    def gaps(self, track: int, begins: np.ndarray, sizes: np.ndarray, first: float) -> None:
        """Stalls between tasks that lie far from each other."""
        before = np.append(first, (begins + sizes)[:-1])
        wide = begins - before > 0.3
        self.writer.add(
            track,
            Kind.STALL,
            before[wide] + 0.1,
            begins[wide] - 0.05,
            task=self.implicit[track],
            other=Kind.BARRIER,
        )

    def wait(self, track: int, end: float) -> None:
        """All that was run so far was run in a barrier before the region's end."""
        begin = max(float(self.begins[track]) + 0.05, float(self.ends[track]))
        self.in_barrier(track, begin, end, SINGLES, BarrierFlag.IMPLICIT)
        self.ends[track] = end + 0.05

    def finish(self) -> LogWriter:
        end = self.now + 5
        for track in range(self.workers):
            begin = 0 if track == 0 else 5.5
            self.writer.add(
                track, Kind.THREAD, begin, end, worker=4000 + track, flags=int(track == 0)
            )
        self.writer.close(end + 1)
        return self.writer


def _after(ready: np.ndarray, lengths: np.ndarray, first: float) -> np.ndarray:
    """Begins of tasks, one after the other, none before it is ready."""
    before = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return before + np.maximum.accumulate(np.maximum(ready, first) - before)

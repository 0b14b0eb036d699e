# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logs of programs whose trouble is known. Times are microseconds."""

from __future__ import annotations

import numpy as np

from perflog_writer import LogWriter
from xomp.profile.reading.format import Kind

TASK, OTHER_TASK, REGION, NEXT_REGION = 0x401000, 0x401100, 0x402000, 0x402100
SINGLE, LOOP, CREATE, LOCK = 0x403000, 0x403100, 0x403200, 0x403300
AT_ONCE, DEPENDENCES, TAKEN = 1, 16, 128


class Run(LogWriter):
    """Threads of one process, and regions of all of them, recorded as the runtime does it."""

    def __init__(self, threads: int, pid: int = 1000) -> None:
        super().__init__(pid=pid, threads=threads)
        self.threads = threads
        self.ids = 0
        self.joins: dict[tuple[int, int], float] = {}

    def begin_region(self, at: float) -> None:
        self.region_begin = at

    def task(self, thread: int, begin: float, length: float, **fields) -> int:
        self.ids += 1
        fields = {"other": 1, "place": TASK, "worker": 0, "task": self.ids, **fields}
        self.add(thread, Kind.TASK, begin, begin + length, **fields)
        return self.ids

    def create(self, begin: float, length: float, task: int, thread: int = 0) -> None:
        self.add(thread, Kind.CREATE, begin, begin + length, task=task, other=1, place=CREATE)

    def stall(self, thread: int, begin: float, end: float, task: int) -> None:
        if end > begin:
            self.add(thread, Kind.STALL, begin, end, task=task, other=5)

    def end_region(self, at: float, number: int = 1, place: int = REGION) -> None:
        begin = self.region_begin
        fields = {"other": number, "place": place}
        self.add(0, Kind.REGION, begin, at, worker=self.threads, **fields)
        for thread in range(self.threads):
            own = {"task": implicit(thread, number), **fields}
            # The body ends where the join begins.
            end = self.joins.pop((thread, number), at - 0.1)
            self.add(thread, Kind.IMPLICIT, begin + 0.1, end, **own)

    def barrier(
        self, thread: int, begin: float, end: float, number: int = 1, join: bool = True
    ) -> None:
        flags = 1 if join else 2
        task = implicit(thread, number)
        self.add(thread, Kind.BARRIER, begin, end, task=task, other=number, flags=flags)
        if join:
            self.joins[thread, number] = begin

    def single(self, thread: int, at: float, executes: bool, number: int = 1) -> None:
        fields = {"task": implicit(thread, number), "place": SINGLE, "flags": int(executes)}
        self.add(thread, Kind.SINGLE, at, at, **fields)

    def finish(self, end: float) -> LogWriter:
        # The runtime's threads are still there when the process ends.
        for thread in range(self.threads):
            self.add(thread, Kind.THREAD, 0, 0, worker=50 + thread, flags=2 + int(thread == 0))
        self.add(0, Kind.IMPLICIT, 0, end, task=99, other=0)
        self.add(0, Kind.THREAD, 0, end, worker=50, flags=1)
        self.close(end)
        return self


def implicit(thread: int, number: int) -> int:
    return 100_000 + 1000 * number + thread


def fill_gaps(run: Run, thread: int, busy: list[tuple[float, float]], begin: float, end: float):
    """STALLs where a thread in a barrier runs nothing."""
    at = begin
    for start, stop in sorted(busy):
        run.stall(thread, at, start, 0)
        at = max(at, stop)
    run.stall(thread, at, end, 0)


def imbalance() -> LogWriter:
    """A static loop, one part of which is four times as large as the others."""
    run = Run(4)
    run.begin_region(10)
    for thread, length in enumerate((8000, 2000, 2100, 1900)):
        run.add(thread, Kind.LOOP, 11, 11 + length, task=1, other=4, place=LOOP)
        run.barrier(thread, 11 + length, 8015)
        run.stall(thread, 11 + length + 1, 8014, 1)
    run.end_region(8016)
    return run.finish(8020)


def uneven_code() -> LogWriter:
    """A region without a loop whose threads have different parts."""
    run = Run(4)
    run.begin_region(10)
    for thread, end in enumerate((6000, 2000, 1000, 1500)):
        run.barrier(thread, end, 6005)
        run.stall(thread, end + 1, 6004, 1)
    run.end_region(6006)
    return run.finish(6010)


def one_producer() -> LogWriter:
    """A thread makes a task each 10 us; each takes 12 us, so that of three others two are idle."""
    run = Run(4)
    run.begin_region(10)
    busy: dict[int, list[tuple[float, float]]] = {1: [], 2: [], 3: []}
    for number in range(1000):
        begin = 20 + 10.0 * number
        thread = 1 + number % 3
        task = run.task(thread, begin + 6, 12, flags=TAKEN)
        run.create(begin, 5, task)
        busy[thread].append((begin + 6, begin + 18))
    end = 20 + 10.0 * 1000 + 10
    run.single(0, 15, True)
    run.barrier(0, end - 5, end)
    for thread, tasks in busy.items():
        run.barrier(thread, 12, end)
        fill_gaps(run, thread, tasks, 13, end - 1)
    run.end_region(end + 2)
    return run.finish(end + 4)


def serial_outside() -> LogWriter:
    """Between two short regions one thread computes alone."""
    run = Run(4)
    for number, begin, place in ((1, 10, REGION), (2, 7000, NEXT_REGION)):
        run.begin_region(begin)
        for thread in range(4):
            run.add(thread, Kind.LOOP, begin + 1, begin + 1000, task=1, place=LOOP)
            run.barrier(thread, begin + 1000, begin + 1002, number)
        run.end_region(begin + 1003, number, place)
    return run.finish(8005)


def serial_single() -> LogWriter:
    """In a region one thread executes a `single`, the others wait for it."""
    run = Run(4)
    run.begin_region(10)
    for thread in range(4):
        run.add(thread, Kind.LOOP, 11, 1000, task=1, place=LOOP)
        run.barrier(thread, 1000, 1002, join=False)
        first = thread == 0
        run.single(thread, 1003, first)
        run.barrier(thread, 5000 if first else 1004, 5005, join=False)
        if not first:
            run.stall(thread, 1005, 5004, 1)
        run.barrier(thread, 5006, 5007)
    run.end_region(5008)
    return run.finish(5010)


def chain() -> LogWriter:
    """Tasks with a dependence each on the one before: whoever runs it, the others wait."""
    run = Run(4)
    run.begin_region(10)
    busy: dict[int, list[tuple[float, float]]] = {thread: [] for thread in range(4)}
    for number in range(100):
        begin = 100 + 60.0 * number
        thread = number % 4
        task = run.task(thread, begin, 58, flags=DEPENDENCES)
        run.create(12 + 0.5 * number, 0.3, task)
        busy[thread].append((begin, begin + 58))
        at = 12 + 0.5 * number
        run.add(0, Kind.DEPENDENCE, at, at, task=task, other=0xD0, flags=1)
    end = 100 + 60.0 * 100
    run.single(0, 11, True)
    for thread, tasks in busy.items():
        run.barrier(thread, 64 if thread == 0 else 12, end)
        fill_gaps(run, thread, tasks, 65 if thread == 0 else 13, end - 1)
    run.end_region(end + 1)
    return run.finish(end + 2)


def too_fine() -> LogWriter:
    """All threads make tasks of 0.1 us, at a price of 0.3 us each."""
    run = Run(4)
    run.begin_region(10)
    count = 5000
    begins = 12 + 0.5 * np.arange(count)
    for thread in range(4):
        ids = np.arange(count) + 1 + thread * count
        run.add(thread, Kind.CREATE, begins, begins + 0.3, task=ids, other=1, place=CREATE)
        fields = {"task": ids, "other": 1, "place": TASK, "worker": thread}
        run.add(thread, Kind.TASK, begins + 0.35, begins + 0.45, **fields)
        run.barrier(thread, 12 + 0.5 * count, 12 + 0.5 * count + 5)
    run.end_region(12 + 0.5 * count + 6)
    return run.finish(12 + 0.5 * count + 8)


def one_thread_makes_tiny_tasks(length: float, apart: float) -> LogWriter:
    """They run at once, and begin so many microseconds apart; the others find nothing."""
    run = Run(4)
    run.begin_region(10)
    count = 20_000
    begins = 12 + apart * np.arange(count)
    end = 12 + apart * count + 2
    ids = np.arange(count) + 1
    run.add(0, Kind.TASK, begins, begins + length, task=ids, other=1, place=TASK, flags=AT_ONCE)
    run.single(0, 11, True)
    run.barrier(0, end - 1, end)
    for thread in (1, 2, 3):
        run.barrier(thread, 12, end)
        run.stall(thread, 13, end - 0.1, 1)
    run.end_region(end + 1)
    return run.finish(end + 2)


def too_fine_at_once() -> LogWriter:
    """One thread makes tasks of 40 ns."""
    return one_thread_makes_tiny_tasks(length=0.04, apart=0.05)


def too_fine_loop() -> LogWriter:
    """As before, but that making the tasks takes most of the time."""
    return one_thread_makes_tiny_tasks(length=0.01, apart=0.12)


def too_few() -> LogWriter:
    """Three equal tasks for eight threads."""
    run = Run(8)
    run.begin_region(10)
    for thread in range(8):
        run.barrier(thread, 12 if thread else 20, 5030)
        if 1 <= thread <= 3:
            task = run.task(thread, 20, 5000 + thread, flags=TAKEN)
            run.create(12 + thread, 0.5, task)
            run.stall(thread, 5020 + thread, 5029, 1)
        else:
            run.stall(thread, 21, 5029, 1)
    run.end_region(5031)
    return run.finish(5035)


def too_coarse() -> LogWriter:
    """Many small tasks, and one that takes as long as all others together."""
    run = Run(4)
    run.begin_region(10)
    for number in range(99):
        thread = 1 + number % 3
        task = run.task(thread, 40 + 60.0 * (number // 3), 58, flags=TAKEN)
        run.create(12 + 0.2 * number, 0.1, task)
    big = run.task(0, 40, 6000)
    run.create(33, 0.1, big)
    run.single(0, 11, True)
    run.barrier(0, 35, 6050)
    for thread in (1, 2, 3):
        run.barrier(thread, 12, 6050)
        run.stall(thread, 13, 40, 1)
        run.stall(thread, 40 + 60.0 * 33, 6049, 1)
    run.end_region(6051)
    return run.finish(6055)


def busy_tasks(threads: int, length: float, pid: int = 1000, remote: bool = False) -> LogWriter:
    """Nothing wrong but, with `remote`, where half of the tasks run; or on one thread, serially."""
    run = Run(threads, pid)
    run.begin_region(10)
    count = 400 // threads
    run.domains = {thread: thread % 2 for thread in range(threads)}
    end = 20 + (length + 0.5) * count
    for thread in range(threads):
        for number in range(count):
            data = (thread + number) % 2 if remote else thread % 2
            begin = 20 + (length + 0.5) * number
            run.task(
                thread, begin, length, data_domain=data, creator_domain=thread % 2, worker=thread
            )
        run.barrier(thread, 15, end + 2)
    run.end_region(end + 3)
    return run.finish(end + 5)


def remote() -> LogWriter:
    """Tasks take 30 us beside their data and 90 us elsewhere; half of them run elsewhere."""
    run = Run(4)
    run.domains = {thread: thread % 2 for thread in range(4)}
    run.begin_region(10)
    end = 0.0
    for thread in range(4):
        at = 20.0
        for number in range(100):
            here = number % 2 == 0
            length = 30.0 if here else 90.0
            data = thread % 2 if here else 1 - thread % 2
            run.task(thread, at, length, data_domain=data, creator_domain=thread % 2, worker=thread)
            at += length + 0.5
        end = max(end, at)
    for thread in range(4):
        run.barrier(thread, 15, end + 2)
    run.end_region(end + 3)
    return run.finish(end + 5)


def mutex() -> LogWriter:
    """Four threads take turns in a critical section that is held most of the time."""
    run = Run(4)
    run.begin_region(10)
    for turn in range(100):
        for thread in range(4):
            # Ready at the begin of the turn; each waits for those before it.
            begin = 20 + 40.0 * turn
            fields = {"task": 1, "other": 0xABC, "place": LOCK, "flags": 17}
            taken = begin + 9.5 * thread + 0.1
            run.add(thread, Kind.MUTEX_WAIT, begin, taken, **fields)
            run.add(thread, Kind.MUTEX_HELD, taken, taken + 9, **fields)
    for thread in range(4):
        run.barrier(thread, 4025, 4030)
    run.end_region(4032)
    return run.finish(4035)


def waits_after_each_task() -> LogWriter:
    """One thread makes each task, and waits for it before it makes the next."""
    run = Run(2)
    run.begin_region(10)
    busy = []
    for number in range(100):
        begin = 20 + 60.0 * number
        task = run.task(1, begin + 21, 38, flags=TAKEN)
        run.create(begin, 20, task)
        run.stall(0, begin + 21, begin + 59, 0)
        run.add(0, Kind.TASKWAIT, begin + 20, begin + 59, task=0, place=CREATE)
        busy.append((begin + 21, begin + 59))
    run.single(0, 11, True)
    run.barrier(0, 6021, 6023)
    run.barrier(1, 12, 6023)
    fill_gaps(run, 1, busy, 13, 6022)
    run.end_region(6024)
    return run.finish(6026)


def fine_chunks() -> LogWriter:
    """A loop handed out in chunks of two iterations that take 0.1 us, each at a price of 0.4 us."""
    run = Run(2)
    run.begin_region(10)
    begins = 12 + 0.5 * np.arange(5000)
    for thread in range(2):
        fields = {"task": 1, "other": np.arange(5000), "place": 2}
        run.add(thread, Kind.CHUNK, begins, begins + 0.1, **fields)
        run.add(thread, Kind.LOOP, 11, 2512, task=1, other=20000, place=LOOP, flags=2)
        run.barrier(thread, 2512, 2513)
    run.end_region(2514)
    return run.finish(2516)


def large_chunks() -> LogWriter:
    """A loop in three chunks of 300 iterations, for two threads."""
    run = Run(2)
    run.begin_region(10)
    for thread, chunks in enumerate(((0, 1), (2,))):
        for turn, chunk in enumerate(chunks):
            begin = 12 + 1000.0 * turn
            fields = {"task": 1, "other": 300 * chunk, "place": 300}
            run.add(thread, Kind.CHUNK, begin, begin + 999, **fields)
        end = 12 + 1000.0 * len(chunks)
        run.add(thread, Kind.LOOP, 11, end, task=1, other=900, place=LOOP, flags=2)
        run.stall(thread, end + 1, 2014, 1)
        run.barrier(thread, end, 2015)
    run.end_region(2016)
    return run.finish(2020)


def frequent_barriers() -> LogWriter:
    """A barrier behind every 4 us of work in one region, at which nobody works for 15 us."""
    run = Run(2)
    run.begin_region(10)
    for turn in range(200):
        begin = 20 + 20.0 * turn
        for thread in range(2):
            run.stall(thread, begin + 5, begin + 19, 1)
            run.barrier(thread, begin + 4, begin + 20, join=False)
    run.end_region(4021)
    return run.finish(4025)


def short_regions() -> LogWriter:
    """A region for every few microseconds of work."""
    run = Run(4)
    for number in range(1, 201):
        begin = 20.0 * number
        run.begin_region(begin)
        for thread in range(4):
            run.barrier(thread, begin + 8, begin + 15, number)
        run.end_region(begin + 19, number)
    return run.finish(4060)

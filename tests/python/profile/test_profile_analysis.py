# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is computed from a log, beside answers that are known or found the slow way."""

import random

import numpy as np
import pytest

import perflog_scenarios as scenarios
from perflog_writer import TICKS_PER_US, LogWriter
from xomp.profile.analysing import strict
from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.dependences import find_dependences
from xomp.profile.analysing.hardware import totals
from xomp.profile.analysing.spans import State, build
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import data_domains, decades_of
from xomp.profile.analysing.walk import Link
from xomp.profile.reading.files import read
from xomp.profile.reading.format import Access, Kind
from xomp.profile.reading.kinds import AT_ONCE_REASONS
from xomp.profile.reading.log import Log
from xomp.profile.showing.numbers import numbers

BODY, REGION, CALL = 0x401000, 0x402000, 0x403000
AT_ONCE, UNDEFERRED, DEPENDENCES, TAKEN = 1, 2, 16, 128


def logged(writer: LogWriter, tmp_path) -> Log:
    if writer.ended is None:
        writer.close()
    (log,) = read(writer.write(tmp_path))
    return log


def region(writer: LogWriter, threads: int, begin: float, end: float, number: int = 77) -> None:
    """A region of all threads; implicit task t has the id 1000 + t."""
    writer.add(0, Kind.REGION, begin, end, other=number, place=REGION, worker=threads)
    for thread in range(threads):
        fields = {"task": 1000 + thread, "other": number, "place": REGION, "worker": thread}
        writer.add(thread, Kind.IMPLICIT, begin + 0.5, end - 0.5, **fields)


def threads_of(writer: LogWriter, threads: int, end: float) -> None:
    for thread in range(threads):
        writer.add(thread, Kind.THREAD, 0, end, worker=5000 + thread, flags=thread == 0)


# Nesting


def test_time_belongs_to_the_innermost_span(tmp_path):
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 100)
    writer.add(0, Kind.REGION, 10, 90, place=REGION, other=1, worker=1)
    writer.add(0, Kind.IMPLICIT, 12, 88, task=1, place=REGION, other=1)
    writer.add(0, Kind.TASK, 20, 60, task=2, other=1, place=BODY, flags=AT_ONCE)
    writer.add(0, Kind.TASKWAIT, 30, 50, task=2)
    writer.add(0, Kind.TASK, 35, 40, task=3, other=2, place=BODY)
    writer.add(0, Kind.STALL, 40, 50, task=2, other=4)
    spans = build(logged(writer, tmp_path))
    found = dict(zip(spans.kind.tolist(), spans.exclusive / TICKS_PER_US, strict=True))
    assert found[Kind.THREAD] == pytest.approx(20)
    assert found[Kind.REGION] == pytest.approx(4)
    assert found[Kind.IMPLICIT] == pytest.approx(36)
    assert found[Kind.TASKWAIT] == pytest.approx(5)
    assert found[Kind.STALL] == pytest.approx(10)
    tasks = spans.indices(Kind.TASK)
    assert (spans.own_work[tasks] / TICKS_PER_US).tolist() == [20, 5]


def random_nest(writer: LogWriter, track: int, rng: random.Random) -> None:
    kinds = [Kind.TASK, Kind.TASKWAIT, Kind.STALL, Kind.CREATE, Kind.MUTEX_WAIT, Kind.CHUNK]

    def fill(begin: int, end: int, depth: int) -> None:
        at = begin
        while at < end and depth < 12:
            length = rng.randint(0, max(1, (end - at) // 2))
            stop = min(end, at + length)
            writer.add(track, rng.choice(kinds), at, stop, task=rng.randint(1, 99))
            if stop - at > 2:
                fill(at + rng.randint(0, 1), stop - rng.randint(0, 1), depth + 1)
            at = stop + rng.choice([0, 0, 1, 5])

    fill(0, 3000, 0)


def slow_exclusive(log: Log, track: int) -> dict[tuple, int]:
    """With a stack, moment by moment: ticks by (kind, begin, end)."""
    rows = [e for e in log.events if e["track"] == track and e["end"] > e["begin"]]
    begun = sorted(
        range(len(rows)), key=lambda i: (int(rows[i]["begin"]), -int(rows[i]["end"]), -i)
    )
    parents: dict[int, int] = {}
    stack: list[int] = []
    for index in begun:
        while stack and rows[stack[-1]]["end"] <= rows[index]["begin"]:
            stack.pop()
        if stack:
            parents[index] = stack[-1]
        stack.append(index)
    own = {i: int(rows[i]["end"] - rows[i]["begin"]) for i in begun}
    for child, parent in parents.items():
        own[parent] -= int(rows[child]["end"] - rows[child]["begin"])
    found: dict[tuple, int] = {}
    for i, ticks in own.items():
        key = tuple(int(rows[i][name]) for name in ("kind", "begin", "end"))
        found[key] = found.get(key, 0) + ticks
    return found


@pytest.mark.parametrize("seed", range(8))
def test_nesting_is_what_a_stack_finds(tmp_path, seed):
    writer = LogWriter(threads=2)
    rng = random.Random(seed)
    for track in (0, 1):
        random_nest(writer, track, rng)
    log = logged(writer, tmp_path)
    spans = build(log)
    for number, track in enumerate((0, 1)):
        here = spans.track_of(np.arange(len(spans))) == number
        found: dict[tuple, int] = {}
        for i in np.flatnonzero(here & (spans.kind != Kind.THREAD)):
            key = tuple(int(spans.column(name)[i]) for name in ("kind", "begin", "end"))
            found[key] = found.get(key, 0) + int(spans.exclusive[i])
        assert found == slow_exclusive(log, track)


def test_the_pieces_cover_each_thread_without_gap_or_overlap(tmp_path):
    writer = LogWriter(threads=2)
    rng = random.Random(1)
    for track in (0, 1):
        random_nest(writer, track, rng)
    spans = build(logged(writer, tmp_path))
    assert spans.piece_ticks.min() > 0
    for number, first in enumerate(spans.first):
        mine = spans.track_of(spans.piece_span) == number
        assert (spans.piece_begin[mine][1:] == spans.piece_end[mine][:-1]).all()
        assert spans.piece_ticks[mine].sum() == spans.duration[first]


def test_a_barrier_in_another_one_which_only_a_damaged_log_has_is_no_end(tmp_path):
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 100)
    region(writer, 1, 10, 90)
    writer.add(0, Kind.BARRIER, 20, 40, task=1000, other=77, place=CALL)
    writer.add(0, Kind.BARRIER, 25, 30, task=1000, other=5, place=CALL)
    assert Profile(logged(writer, tmp_path)).critical > 0


def test_a_tasks_data_are_where_those_of_the_task_above_it_are(tmp_path):
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 100)
    rows = ((2, 1, 255), (3, 2, 1), (4, 3, 255), (5, 4, 255), (6, 3, 0), (7, 7, 255))
    for task, parent, domain in rows:
        fields = {"task": task, "other": parent, "place": BODY, "data_domain": domain}
        writer.add(0, Kind.TASK, 10 * task, 10 * task + 5, **fields)
    spans = build(logged(writer, tmp_path))
    tasks = spans.indices(Kind.TASK)
    assert data_domains(spans, tasks).tolist() == [255, 1, 1, 1, 0, 255]
    assert tasks.tolist() == spans.indices(Kind.TASK).tolist()


# Where the time went


def test_work_overhead_and_idle_add_up_to_threads_times_elapsed(tmp_path):
    for seed in range(4):
        writer = LogWriter(pid=seed + 1, threads=3)
        for track in range(3):
            random_nest(writer, track, random.Random(seed * 3 + track))
        losses = Profile(logged(writer, tmp_path)).losses
        assert losses.work + losses.overhead + losses.idle == pytest.approx(losses.total)


def test_loss_is_divided_as_paper_3_has_it(tmp_path):
    """Two threads: the second one joins for 40 of 100 microseconds, and waits for 10 of them."""
    writer = LogWriter(threads=2)
    threads_of(writer, 2, 100)
    region(writer, 2, 50, 90)
    writer.add(0, Kind.CREATE, 52, 57, task=9, other=1000, place=CALL)
    writer.add(1, Kind.BARRIER, 60, 89.5, task=1001, other=77, flags=1)
    writer.add(1, Kind.STALL, 79.5, 89.5, task=1001, other=5)
    losses = Profile(logged(writer, tmp_path)).losses
    assert losses.threads == 2
    by_state = losses.by_state * 1e6
    assert by_state[State.CREATE] == pytest.approx(5)
    assert by_state[State.SCHEDULE] == pytest.approx(19.5)
    assert by_state[State.STALL] == pytest.approx(10)
    assert by_state[State.OUTSIDE] == pytest.approx(61)
    assert losses.work * 1e6 == pytest.approx(200 - 5 - 19.5 - 10 - 61 - 1)
    assert losses.inflation is None


def test_work_beyond_the_serial_runs_is_inflation(tmp_path):
    writers = []
    for pid, work in ((1, 100), (2, 60)):
        writer = LogWriter(pid=pid, threads=1)
        threads_of(writer, 1, work)
        writers.append(logged(writer, tmp_path / str(pid)))
    losses = Profile(*writers).losses
    assert losses.serial * 1e6 == pytest.approx(60)
    assert losses.inflation * 1e6 == pytest.approx(40)
    assert losses.efficiency == pytest.approx(0.6)


def test_threads_that_come_and_go_do_not_count_twice(tmp_path):
    writer = LogWriter(threads=2)
    writer.add(0, Kind.THREAD, 0, 100, flags=1)
    for track, begin, end in ((1, 10, 40), (2, 40, 70)):
        writer.add(track, Kind.THREAD, begin, end)
        writer.add(track, Kind.TASK, begin + 1, end - 1, task=track, place=BODY)
    losses = Profile(logged(writer, tmp_path)).losses
    assert losses.threads == 2
    assert losses.total * 1e6 == pytest.approx(200)
    assert losses.idle * 1e6 == pytest.approx(44)


def test_threads_without_a_region_do_not_count(tmp_path):
    writer = LogWriter(threads=1)
    for track in range(3):
        writer.add(track, Kind.THREAD, 0, 100, flags=1)
    assert Profile(logged(writer, tmp_path)).losses.threads == 1


def test_load_balance_error_is_that_of_paper_4(tmp_path):
    writer = LogWriter(threads=4)
    for track, work in enumerate((80, 40, 40, 40)):
        writer.add(track, Kind.THREAD, 0, 100)
        writer.add(track, Kind.TASK, 0, work, task=track + 1, place=BODY)
    assert Profile(logged(writer, tmp_path)).losses.imbalance == pytest.approx(0.6)


def test_idle_time_is_laid_on_the_code_that_ran_meanwhile(tmp_path):
    """Of four threads one runs alone for 40 microseconds, then two for 30, then all for 30."""
    writer = LogWriter(threads=4)
    for track, begin in enumerate((0, 40, 70, 70)):
        writer.add(track, Kind.THREAD, 0, 100)
        writer.add(track, Kind.TASK, begin, 100, task=track + 1, place=BODY + track)
    profile = Profile(logged(writer, tmp_path))
    found = {culprit.place: culprit for culprit in profile.culprits}
    assert found[BODY].idle * 1e6 == pytest.approx(40 * 3 + 30)
    assert found[BODY + 1].idle * 1e6 == pytest.approx(30)
    assert found[BODY].alone * 1e6 == pytest.approx(40)
    assert profile.blame.by_busy * 1e6 == pytest.approx([0, 40, 30, 0, 30])
    assert sum(each.idle for each in found.values()) == pytest.approx(profile.losses.idle)


def test_idle_time_while_nobody_ran_is_counted_apart(tmp_path):
    writer = LogWriter(threads=2)
    for track in (0, 1):
        writer.add(track, Kind.THREAD, 0, 100)
        writer.add(track, Kind.TASK, 0, 75, task=track + 1, place=BODY)
    blame = Profile(logged(writer, tmp_path)).blame
    assert blame.nobody * 1e6 == pytest.approx(50)
    assert blame.of_span.sum() == 0


# The task graph


def test_tasks_that_run_at_once_are_parallel_in_the_graph(tmp_path):
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 60)
    for number in range(3):
        begin = 10 + 10 * number
        writer.add(
            0, Kind.TASK, begin, begin + 10, task=number + 1, place=BODY, flags=AT_ONCE, other=1
        )
    writer.add(0, Kind.TASKWAIT, 40, 50, task=1)
    profile = Profile(logged(writer, tmp_path))
    # 10 before the tasks, one task, 10 behind the wait.
    assert profile.critical * 1e6 == pytest.approx(30)
    assert profile.graph.parallelism == pytest.approx(50 / 30)


def test_undeferred_tasks_are_part_of_their_creators_way(tmp_path):
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 60)
    for number in range(3):
        begin = 10 + 10 * number
        writer.add(
            0, Kind.TASK, begin, begin + 10, task=number + 1, place=BODY, flags=UNDEFERRED, other=1
        )
    assert Profile(logged(writer, tmp_path)).critical * 1e6 == pytest.approx(60)


def test_a_chain_of_dependences_is_as_long_as_its_tasks(tmp_path):
    writer = LogWriter(threads=2)
    threads_of(writer, 2, 100)
    region(writer, 2, 0.5, 99)
    for number in range(8):
        begin = 2 + number
        fields = {"task": number + 1, "other": 1000, "place": CALL}
        writer.add(0, Kind.CREATE, begin * 0.1, begin * 0.1 + 0.05, **fields)
        begin = 10 + 10 * number
        fields = {"task": number + 1, "other": 1000, "place": BODY, "flags": DEPENDENCES}
        writer.add(number % 2, Kind.TASK, begin, begin + 9, **fields)
        made = 0.2 + 0.1 * number
        writer.add(0, Kind.DEPENDENCE, made, made, task=number + 1, other=0xD0, flags=1)
    profile = Profile(logged(writer, tmp_path))
    assert profile.links(Link.DEPENDENCE) == 7
    (task,) = (part for part in profile.on_path if part.kind == Kind.TASK)
    assert (task.place, task.parts) == (BODY, 8)
    assert task.seconds * 1e6 == pytest.approx(72)
    assert task.longest * 1e6 == pytest.approx(9)


def slow_predecessors(accesses: list[tuple[int, int, int]]) -> set[tuple[int, int]]:
    """Pairs of tasks, by the words of the specification; accesses are (task, item, kind)."""
    found = set()
    for index, (task, item, kind) in enumerate(accesses):
        # Back to the nearest access that is not of the same unordered kind, and those like it.
        barrier = None
        for other, where, sort in reversed(accesses[:index]):
            if where != item:
                continue
            if barrier is None:
                if sort == kind and kind != Access.OUT:
                    continue
                barrier = sort
            elif sort != barrier or barrier == Access.OUT:
                break
            found.add((task, other))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_dependences_are_those_of_the_specification(tmp_path, seed):
    rng = random.Random(seed)
    writer = LogWriter(threads=1)
    accesses = []
    for task in range(1, 25):
        writer.add(0, Kind.TASK, 100 + 2 * task, 101 + 2 * task, task=task, other=1000, place=BODY)
        for item in rng.sample(range(4), 2):
            accesses.append((task, item, rng.choice([0, 0, 1, 2, 3])))
    for number, (task, item, kind) in enumerate(accesses):
        writer.add(0, Kind.DEPENDENCE, number, number, task=task, other=item, flags=kind)
    spans = build(logged(writer, tmp_path))
    found = find_dependences(spans)
    ids = spans.column("task")
    pairs = {
        (int(ids[task]), int(ids[before]))
        for task, group in zip(found.task, found.group, strict=True)
        for before in found.of(group)
    }
    assert pairs == slow_predecessors(accesses)


def test_the_same_item_of_other_parents_is_another(tmp_path):
    writer = LogWriter(threads=1)
    for task, parent in ((1, 1000), (2, 2000)):
        writer.add(0, Kind.TASK, 10 * task, 10 * task + 5, task=task, other=parent, place=BODY)
        writer.add(0, Kind.DEPENDENCE, task, task, task=task, other=0xD0, flags=1)
    assert not len(find_dependences(build(logged(writer, tmp_path))).task)


def test_code_of_a_single_lasts_to_the_next_construct(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.IMPLICIT, 0, 100, task=1000, other=77, place=REGION)
    writer.add(0, Kind.SINGLE, 10, 10, task=1000, place=CALL, flags=1)
    writer.add(0, Kind.TASK, 20, 30, task=1, other=1000, place=BODY, flags=AT_ONCE)
    writer.add(0, Kind.BARRIER, 20, 25, task=5, other=78)  # of another region inside
    writer.add(0, Kind.BARRIER, 60, 70, task=1000, other=77, flags=2)
    writer.add(0, Kind.SINGLE, 80, 80, task=1000, place=CALL + 16, flags=1)
    writer.add(0, Kind.SINGLE, 90, 90, task=1000, place=CALL + 32)  # executed by another thread
    spans = build(logged(writer, tmp_path))
    singles = spans.indices(Kind.SINGLE)
    assert (spans.duration[singles] / TICKS_PER_US).tolist() == [50, 10]


def test_the_domain_of_a_thread_is_that_of_its_implicit_task(tmp_path):
    writer = LogWriter(threads=1)
    writer.domains = {0: 5}
    for begin, domain in ((10, 0), (40, 1)):
        fields = {"other": begin, "place": REGION, "creator_domain": domain}
        writer.add(0, Kind.IMPLICIT, begin, begin + 10, task=begin, **fields)
        # In the join behind it.
        writer.add(0, Kind.TASK, begin + 15, begin + 20, task=begin + 1, place=BODY)
    writer.add(1, Kind.TASK, 0, 20, task=9, place=BODY)
    log = logged(writer, tmp_path)
    assert log.of(Kind.TASK)["domain"].tolist() == [0, 1, -1]


def test_the_initial_task_is_code_outside_of_regions(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 0, flags=3)
    writer.add(0, Kind.IMPLICIT, 0, 100, task=1, other=0)
    writer.close(100)
    (culprit,) = Profile(logged(writer, tmp_path)).culprits
    assert culprit.kind == Kind.THREAD
    assert culprit.work * 1e6 == pytest.approx(100)


def test_a_lock_may_be_held_beyond_the_task_that_took_it(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.TASK, 0, 50, task=1, place=BODY)
    writer.add(0, Kind.MUTEX_WAIT, 39, 40, task=1, other=0xAB, place=CALL, flags=2)
    writer.add(0, Kind.MUTEX_HELD, 40, 70, task=1, other=0xAB, place=CALL, flags=2)
    writer.add(0, Kind.TASK, 60, 100, task=2, place=BODY)
    profile = Profile(logged(writer, tmp_path))
    tasks = profile.spans.indices(Kind.TASK)
    assert (profile.spans.own_work[tasks] / TICKS_PER_US).tolist() == [49, 40]
    assert profile.mutexes[0].held * 1e6 == pytest.approx(30)


def test_threads_that_the_process_ends_with_were_there_until_then(tmp_path):
    writer = LogWriter(threads=2)
    writer.add(0, Kind.THREAD, 0, 0, flags=3)
    writer.add(0, Kind.THREAD, 0, 100, flags=1)
    writer.add(1, Kind.THREAD, 10, 10, flags=2)
    writer.add(1, Kind.TASK, 10, 30, task=1, place=BODY)
    # A track that one thread left and another took.
    writer.add(2, Kind.THREAD, 20, 20, flags=2)
    writer.add(2, Kind.THREAD, 20, 40)
    writer.add(2, Kind.THREAD, 50, 50, flags=2)
    writer.add(2, Kind.TASK, 50, 60, task=2, place=BODY)
    spans = build(logged(writer, tmp_path))
    ends = spans.duration[spans.first] / TICKS_PER_US
    assert ends.tolist() == [100, 90, 80]


def test_a_barrier_joins_the_longest_of_all_threads(tmp_path):
    writer = LogWriter(threads=2)
    threads_of(writer, 2, 100)
    region(writer, 2, 0, 100)
    for thread, (first, second) in enumerate(((30, 40), (10, 20))):
        place = {"task": 1000 + thread, "other": 77}
        writer.add(thread, Kind.BARRIER, 0.5 + first, 40, **place)
        writer.add(thread, Kind.BARRIER, 40 + second, 99.5, flags=1, **place)
    profile = Profile(logged(writer, tmp_path))
    assert profile.critical * 1e6 == pytest.approx(70)


def test_a_taskgroup_waits_for_grandchildren_and_a_taskwait_does_not(tmp_path):
    for kind, expected in ((Kind.TASKWAIT, 66), (Kind.TASKGROUP, 110)):
        writer = LogWriter(pid=int(kind), threads=2)
        threads_of(writer, 2, 200)
        # A child of 10 makes a grandchild of 50; the thread works 55 behind its wait.
        writer.add(0, Kind.CREATE, 1, 1.0005, task=1, other=0, place=CALL)
        writer.add(1, Kind.TASK, 10, 20, task=1, other=0, place=BODY)
        writer.add(1, Kind.CREATE, 14, 14.0005, task=2, other=1, place=CALL)
        writer.add(1, Kind.TASK, 30, 80, task=2, other=1, place=BODY)
        writer.add(0, kind, 1.0005, 145, task=0)
        log = logged(writer, tmp_path)
        # 1, then the child's 4 and the grandchild's 50, or the child's 10; then 55.
        assert Profile(log).critical * 1e6 == pytest.approx(expected, abs=0.01)


class Tree:
    """A random fork-join program, run by one thread at once; its span is known by recursion."""

    def __init__(self, seed: int, tmp_path) -> None:
        self.rng = random.Random(seed)
        self.writer = LogWriter(threads=1)
        self.clock, self.work, self.count = 0, 0, 1
        span, left = self.task(0, 0)
        self.span = max(span, left)
        self.writer.add(0, Kind.THREAD, 0, self.clock, flags=1)
        self.profile = Profile(logged(self.writer, tmp_path))

    def spend(self) -> int:
        ticks = self.rng.randint(1, 9)
        self.clock += ticks
        self.work += ticks
        return ticks

    def task(self, number: int, depth: int) -> tuple[int, int]:
        """Runs a task: when its code ends, and when all that it made ends, from its begin."""
        now = self.spend()
        children, everything = 0, 0
        for _ in range(self.rng.randint(0, 5) if depth < 6 else 0):
            what = self.rng.random()
            if what < 0.6:
                self.count += 1
                child, begin = self.count, self.clock
                flags = UNDEFERRED if self.rng.random() < 0.2 else AT_ONCE
                end, last = self.task(child, depth + 1)
                fields = {"task": child, "other": number, "place": BODY, "flags": flags}
                self.writer.add(0, Kind.TASK, begin, self.clock, **fields)
                children, everything = max(children, now + end), max(everything, now + last)
                if flags == UNDEFERRED:
                    now += end
            else:
                kind = Kind.TASKWAIT if what < 0.8 else Kind.TASKGROUP
                self.writer.add(0, kind, self.clock, self.clock + 3, task=number)
                self.clock += 3
                now = max(now, everything if kind == Kind.TASKGROUP else children)
            now += self.spend()
        return now, max(now, children, everything)


@pytest.mark.parametrize("few", [1, strict.FEW])
@pytest.mark.parametrize("seed", range(40))
def test_the_critical_path_is_what_recursion_finds(tmp_path, seed, few, monkeypatch):
    """With many steps walked, and with as few as can be."""
    monkeypatch.setattr(strict, "FEW", few)
    tree = Tree(seed, tmp_path)
    graph = tree.profile.graph
    assert graph.work / TICKS_PER_US == pytest.approx(tree.work)
    assert graph.critical / TICKS_PER_US == pytest.approx(tree.span)
    # And the path that is shown is as long.
    shown = np.array(graph.path.end) - np.array(graph.path.begin)
    assert shown.min() >= 0
    assert shown.sum() == graph.critical


# Tasks by place


def test_decades_are_exact_at_their_borders():
    assert decades_of(np.array([1, 9, 10, 99, 100, 999, 1000, 10**6])).tolist() == [
        *(0, 0, 1, 1, 2, 2, 3, 6)
    ]


def test_tasks_are_counted_by_place_decade_and_who_ran_them(tmp_path):
    writer = LogWriter(threads=3)
    writer.domains = {0: 0, 1: 0, 2: 1}
    fields = {"other": 1000, "place": BODY, "worker": 0, "creator_domain": 0}
    writer.add(0, Kind.TASK, 0, 0.01, task=1, flags=AT_ONCE, **fields)
    writer.add(1, Kind.TASK, 1, 1.1, task=2, flags=TAKEN, data_domain=0, **fields)
    writer.add(2, Kind.TASK, 2, 4, task=3, flags=TAKEN, data_domain=0, **fields)
    (tasks,) = Profile(logged(writer, tmp_path)).places
    assert (tasks.ran_self, tasks.ran_local, tasks.ran_remote) == (1, 1, 1)
    assert (tasks.placed, tasks.misplaced, tasks.taken, tasks.at_once) == (2, 1, 2, 1)
    assert tasks.decades[:5].tolist() == [0, 1, 1, 1, 0]
    assert (tasks.smallest, tasks.median, tasks.largest) == (20, 200, 4000)


def test_tasks_run_at_once_are_counted_by_reason(tmp_path):
    writer = LogWriter(threads=1)
    flags = {
        "at_once_said": [AT_ONCE | UNDEFERRED] * 4,
        "at_once_outside": [AT_ONCE | 1 << 6] * 3,
        "at_once_full": [AT_ONCE | 2 << 6 | DEPENDENCES] * 2,
        "at_once_bytes": [AT_ONCE | 3 << 6],
    }
    assert list(flags) == [column for column, _ in AT_ONCE_REASONS]
    older, discarded = AT_ONCE, 64  # an older log; a task that was not run at once
    every = [flag for each in flags.values() for flag in each] + [older, discarded, 0, TAKEN]
    for number, flag in enumerate(every):
        writer.add(0, Kind.TASK, number, number + 0.5, task=1 + number, place=BODY, flags=flag)
    profile = Profile(logged(writer, tmp_path))
    tasks = profile.tasks
    assert {name: number for name, _, number in tasks.why_at_once} == {
        name: len(each) for name, each in flags.items()
    }
    assert (tasks.at_once, tasks.taken) == (11, 1)
    shown = {number.key: number.value for number in numbers(profile)}
    assert shown["at_once_full"] == pytest.approx(2 / len(every))


def test_steals_and_gifts_are_told_apart(tmp_path):
    writer = LogWriter(threads=1)
    for at, (kind, flags) in enumerate(
        [(Kind.STEAL, 0), (Kind.STEAL, 1), (Kind.STEAL, 3), (Kind.STEAL_FAILED, 0)]
    ):
        writer.add(0, kind, at, at, other=2, worker=1, flags=flags)
    writer.add(0, Kind.SUMMARY, 1, 9, task=40, other=0, worker=Kind.STEAL_FAILED)
    steals = Profile(logged(writer, tmp_path)).steals
    assert (steals.moves, steals.given, steals.remote, steals.failed) == (2, 1, 2, 41)


def test_tasks_that_were_summed_up_count(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.TASK, 0, 1, task=1, place=BODY)
    writer.add(0, Kind.SUMMARY, 1, 50, task=700, other=70_000, place=BODY, flags=2, worker=2)
    writer.add(0, Kind.SUMMARY, 1, 50, task=9, other=90_000, place=0, flags=4, worker=2)
    first, second = sorted(Profile(logged(writer, tmp_path)).places, key=lambda t: -t.place)
    assert (first.count, first.recorded, second.count) == (701, 1, 9)
    assert first.mean * 1e6 == pytest.approx((35 + 1) / 701)
    assert first.decades[2] == 700


def test_waits_for_a_lock_are_added_up_by_place(tmp_path):
    writer = LogWriter(threads=2)
    for track in (0, 1):
        for turn in range(3):
            begin = 20 * turn + 10 * track
            fields = {"task": 1, "other": 0xAB, "place": CALL, "flags": 1 + 16 * (turn > 0)}
            writer.add(track, Kind.MUTEX_WAIT, begin, begin + 2 + turn, **fields)
            writer.add(track, Kind.MUTEX_HELD, begin + 2 + turn, begin + 8, **fields)
    (waits,) = Profile(logged(writer, tmp_path)).mutexes
    assert (waits.count, waits.contended, waits.name) == (6, 4, "critical section")
    assert waits.waited * 1e6 == pytest.approx(18)
    assert waits.longest * 1e6 == pytest.approx(4)
    assert waits.held * 1e6 == pytest.approx(30)


def test_hardware_counters_are_added_up_thread_by_thread(tmp_path):
    writer = LogWriter(threads=2)
    writer.line("hardware 0 instructions")
    writer.line("hardware 2 cache misses")
    for at, value in ((1, 100), (5, 350), (9, 30), (12, 50)):  # another thread takes the track
        writer.add(0, Kind.HARDWARE, at, at, task=0, other=value)
    writer.add(1, Kind.HARDWARE, 2, 2, task=0, other=7)
    writer.add(1, Kind.HARDWARE, 3, 3, task=2, other=11)
    log = logged(writer, tmp_path)
    assert totals(log) == {"instructions": 350 + 50 + 7, "cache misses": 11}


def test_an_empty_log_has_no_surprises(tmp_path):
    writer = LogWriter(threads=1)
    writer.close(10)
    profile = Profile(logged(writer, tmp_path))
    assert profile.losses.threads == 1
    assert profile.graph.critical == 0
    assert (profile.places, profile.mutexes, profile.culprits) == ([], [], [])
    assert profile.producer is None


def test_the_join_of_the_last_region_is_a_wait_in_it_also_where_it_was_not_written(tmp_path):
    """The second thread was in it when the process ended: it ran a task there, and then waited."""
    writer = LogWriter(threads=2)
    for thread, end in ((0, 100), (1, 20)):
        writer.add(thread, Kind.THREAD, 0, 0, worker=50 + thread, flags=2 + (thread == 0))
        fields = {"task": 1000 + thread, "other": 7, "place": 1, "worker": thread}
        writer.add(thread, Kind.IMPLICIT, 10, end, **fields)
    writer.add(1, Kind.TASK, 30, 60, task=5, other=1000, place=2)
    writer.add(0, Kind.BARRIER, 100, 101, task=1000, other=7, flags=1)
    writer.add(0, Kind.REGION, 9, 101, other=7, place=1, worker=2)
    writer.close(120)
    (log,) = read(writer.write(tmp_path))
    losses = Profile(log).losses
    assert losses.by_track[1, State.STALL] * 1e6 == pytest.approx(101 - 60)
    assert losses.by_track[1, State.WORK] * 1e6 == pytest.approx(10 + 30)
    assert losses.by_track[1, State.OUTSIDE] * 1e6 == pytest.approx(10 + 120 - 101)


def test_a_killed_programs_threads_were_in_the_region_that_they_show(tmp_path):
    """One makes tasks, another runs them: no span around either was written."""
    writer = LogWriter(threads=2)
    writer.add(0, Kind.THREAD, 0, 0, flags=3)
    writer.add(1, Kind.THREAD, 10, 10, flags=2)
    writer.add(1, Kind.SINGLE, 10, 10, task=1001, place=CALL, flags=1)
    for number in range(9):
        at = 20 + 10 * number
        writer.add(1, Kind.CREATE, at, at + 1, task=number + 1, other=1001, place=CALL)
        writer.add(0, Kind.TASK, at + 1, at + 9, task=number + 1, other=1001, place=BODY)
        writer.add(0, Kind.STALL, at + 9, at + 10, task=1000)
    (log,) = read(writer.write(tmp_path))
    profile = Profile(log)
    by_state = profile.losses.by_state * 1e6
    assert by_state[State.CREATE] == pytest.approx(9)
    # The second thread's code between its creations; the first one's before and between its waits.
    assert by_state[State.WORK] == pytest.approx((110 - 10 - 9) + (110 - 9))
    assert profile.producer.tasks == 9


@pytest.mark.parametrize("shown_by", ["barrier", "body", None])
def test_a_region_in_which_the_program_called_exit_is_one(tmp_path, shown_by):
    """Its record was never written, nor most of its implicit tasks'."""
    writer = LogWriter(threads=2)
    writer.add(0, Kind.THREAD, 0, 0, flags=3)
    writer.add(1, Kind.THREAD, 10, 10, flags=2)
    for thread in (0, 1):
        fields = {"task": 1000 + thread, "other": 7, "place": 1, "worker": thread}
        writer.add(thread, Kind.IMPLICIT, 10, 20, **fields)
    writer.add(0, Kind.BARRIER, 20, 40, task=1000, other=7, flags=1)
    writer.add(1, Kind.TASK, 25, 35, task=5, other=1000, place=2)  # while it waits for the end
    writer.add(0, Kind.REGION, 10, 40, other=7, place=1, worker=2)
    writer.add(0, Kind.MUTEX_HELD, 50, 60)  # outside, or in the next one
    if shown_by == "barrier":
        writer.add(0, Kind.BARRIER, 60, 90, task=1000, other=8)
    if shown_by == "body":
        fields = {"task": 1001, "other": 8, "place": 1, "worker": 1}
        writer.add(1, Kind.IMPLICIT, 60, 90, **fields)
    writer.close(100)
    (log,) = read(writer.write(tmp_path))
    assert Profile(log).regions == (2 if shown_by else 1)
    # With the first one's, where somebody tells; the other one's task was in the region before.
    assert len(log.of(Kind.IMPLICIT)) == {"barrier": 3, "body": 4, None: 2}[shown_by]


def test_a_log_of_a_killed_program_is_analysed_without_its_open_spans(tmp_path):
    writer = LogWriter(threads=2)
    for track in (0, 1):
        for number in range(10):
            at = 10 * number
            writer.add(track, Kind.TASK, at, at + 6, task=1 + number, place=BODY)
            writer.add(track, Kind.STALL, at + 6, at + 10, task=1 + number)
    (log,) = read(writer.write(tmp_path))
    losses = Profile(log).losses
    assert losses.threads == 2
    assert losses.work * 1e6 == pytest.approx(120)
    assert losses.idle * 1e6 == pytest.approx(80)


def test_the_mean_of_tasks_has_kept_off_time_as_their_median_has(tmp_path):
    """A thread has a processor for a fifth of the time; when, nobody knows."""
    writer = LogWriter(threads=1)
    threads_of(writer, 1, 2050)
    region(writer, 1, 5, 2040)
    begins = 10 + 10.0 * np.arange(200)
    fields = {"other": 1000, "place": BODY, "worker": 0}
    writer.add(0, Kind.TASK, begins, begins + 8, task=np.arange(200) + 1, **fields)
    writer.add(0, Kind.PROCESSOR, 5, 5, flags=1, task=0, other=0)
    writer.add(0, Kind.PROCESSOR, 2035, 2035, task=406_000, other=1_624_000)
    profile = Profile(logged(writer, tmp_path))
    (tasks,) = profile.places
    assert tasks.work * 1e6 == pytest.approx(1600 / 5, rel=0.05)
    assert tasks.mean * 1e6 == pytest.approx(8)
    facts = Facts(profile)
    assert facts.typical == pytest.approx(tasks.median)
    assert facts.tasks.mean == pytest.approx(tasks.mean)


@pytest.mark.parametrize("name", ["waits_after_each_task", "too_coarse", "chain", "waits_inside"])
def test_tasks_of_a_place_are_to_blame_for_one_time(tmp_path, name):
    """Also where they wait for tasks themselves, and make some: as the table of places has it."""
    if name == "waits_inside":
        writer = LogWriter(threads=2)
        threads_of(writer, 2, 1000)
        region(writer, 2, 5, 990)
        writer.add(0, Kind.TASK, 10, 900, task=1, other=1000, place=BODY, worker=0)
        writer.add(0, Kind.CREATE, 20, 30, task=2, other=1, place=CALL)
        writer.add(0, Kind.TASKWAIT, 100, 800, task=1, place=CALL)
        writer.add(0, Kind.TASK, 200, 300, task=2, other=1, place=BODY + 64, worker=0)
        writer.add(1, Kind.STALL, 6, 980, task=1001, other=5)
        profile = Profile(logged(writer, tmp_path))
    else:
        (log,) = read(getattr(scenarios, name)().write(tmp_path))
        profile = Profile(log)
    told = {each.place: each.idle for each in profile.culprits if each.kind == Kind.TASK}
    assert told
    for tasks in profile.places:
        assert tasks.blame == pytest.approx(told[tasks.place])

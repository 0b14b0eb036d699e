# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of the page's tables and charts, of all that was recorded. Times in nanoseconds."""

from __future__ import annotations

import numpy as np

from xomp.profile.analysing.culprits import constructs_of
from xomp.profile.analysing.dependences import find_dependences
from xomp.profile.analysing.spans import State, numbered
from xomp.profile.analysing.tasks import DECADES, decades_of
from xomp.profile.reading.format import Kind, StealFlag, TaskFlag, is_any, was_taken
from xomp.profile.showing.html.index import BODIES, CALLS, LOCAL, REMOTE, SELF, Index, lock_name

SECOND = 1e9
# What every thread of a region comes to.
SHARED = (Kind.IMPLICIT, Kind.BARRIER, Kind.LOOP, Kind.SECTIONS, Kind.SINGLE)


def _summed(index: Index, kind: Kind) -> np.ndarray:
    """Summaries of what was not recorded one by one."""
    summaries = index.spans.log.of(Kind.SUMMARY)
    return summaries[summaries["worker"] == kind]


def threads(index: Index) -> list[dict]:
    """What each did with its time, and its tasks: paper 1, Fig. 3."""
    counts = {**_tasks(index), **_moves(index)}
    foreign = counts["local"] + counts["remote"]
    counts["executed"] = counts["self"] + foreign + counts["summed"]
    counts["created"] = counts["created"] + counts["summed"]
    counts["stolen"] = np.minimum(foreign, counts["moved"])
    counts["pushed"] = foreign - counts["stolen"]
    times = _state_times(index)
    return [
        {
            "number": int(thread["track"]),
            "domain": int(thread["domain"]),
            **{name: int(values[at]) for name, values in counts.items()},
            "states": times[at].tolist(),
        }
        for at, thread in enumerate(index.spans.threads)
    ]


def _tasks(index: Index) -> dict[str, np.ndarray]:
    """By thread: tasks that it made, and those that it ran, by where they came from."""
    tasks, count = index.tasks, len(index.threads)
    runner = index.thread[tasks]
    origins = np.bincount(runner * 4 + index.origin[tasks], minlength=4 * count).reshape(count, 4)
    creators = index.thread_of(index.spans.column("worker")[tasks])
    flags = index.spans.column("flags")[tasks]
    at_once = flags & (TaskFlag.AT_ONCE | TaskFlag.UNDEFERRED) != 0
    inside = np.bincount(runner[at_once], minlength=count)
    summed = _summed(index, Kind.TASK)
    return {
        "created": np.bincount(creators, minlength=count + 1)[:count],
        "self": origins[:, SELF],
        "local": origins[:, LOCAL],
        "remote": origins[:, REMOTE],
        "at_once": inside,
        "taken": np.bincount(runner[was_taken(flags)], minlength=count),
        "queued": origins[:, SELF] - inside,
        "summed": _by_thread(index, summed["track"], summed["task"]),
    }


def _moves(index: Index) -> dict[str, np.ndarray]:
    """By thread: tasks that steals brought, also those that were moved on from there; how often it
    found none to take, its requests for tasks, and those of others that it has handled."""
    log = index.spans.log
    steals, failed = log.of(Kind.STEAL), log.of(Kind.STEAL_FAILED)
    # Who gives tasks to one that asked records it, not who gets them.
    given = steals["flags"] & StealFlag.GIVEN != 0
    getters = np.where(given, steals["worker"], steals["track"])
    summed = _summed(index, Kind.STEAL_FAILED)
    failures = _by_thread(index, failed["track"], np.ones(len(failed)))
    # What a thief that sleeps asks for its victim records.
    asked, asked_summed = log.of(Kind.REQUEST), _summed(index, Kind.REQUEST)
    asleep = asked["flags"] & StealFlag.GIVEN != 0
    askers = np.where(asleep, asked["worker"], asked["track"])
    answers = [each[each["flags"] & StealFlag.GIVEN != 0]["track"] for each in (steals, failed)]
    answered = np.concatenate(answers)
    return {
        "moved": _by_thread(index, getters, steals["other"]),
        "failed": failures + _by_thread(index, summed["track"], summed["task"]),
        "requests": _by_thread(index, askers, np.ones(len(asked)))
        + _by_thread(index, asked_summed["track"], asked_summed["task"]),
        "handled": _by_thread(index, answered, np.ones(len(answered))),
    }


def _by_thread(index: Index, numbers: np.ndarray, amounts: np.ndarray) -> np.ndarray:
    """The sum of the amounts by thread."""
    which = index.thread_of(numbers.astype(np.int64))
    return np.bincount(which, amounts, len(index.threads) + 1)[:-1].astype(np.int64)


def _state_times(index: Index) -> np.ndarray:
    """By thread and state; of threads that had to do with regions."""
    losses = index.profile.losses
    times = np.zeros((len(index.threads), len(State)))
    times[index.thread_of(np.array(losses.tracks, dtype=np.int64))] = losses.by_track * SECOND
    return times


def constructs(index: Index) -> list[dict]:
    """By kind and place: how often, and how long."""
    spans, rate = index.spans, index.spans.log.clock.rate
    shown = np.flatnonzero(is_any(spans.kind, (*BODIES, *CALLS, Kind.CHUNK, Kind.THREAD)))
    width = index.place_count
    key = spans.kind[shown].astype(np.int64) * width + index.place[shown]
    found, which = numbered(key)
    counts = np.bincount(which, minlength=len(found))
    blame = index.profile.blame
    executed = blame.executed * SECOND
    worked = np.where(spans.state == State.WORK, executed, 0.0)
    work = np.bincount(which, np.bincount(constructs_of(spans), worked, len(spans))[shown])
    executed, works = executed[shown], spans.state[shown] == State.WORK
    busy = np.bincount(which, np.where(works, executed, 0))
    exclusive = np.bincount(which, executed)
    inclusive = np.bincount(which, spans.duration[shown])
    longest = np.zeros(len(found), dtype=np.int64)
    np.maximum.at(longest, which, spans.duration[shown])
    times = _times(index, shown, which, counts)
    sizes = np.bincount(which, np.where(spans.kind == Kind.TASK, spans.own_work, 0)[shown])
    origin = index.origin[shown]
    moved, remote = (np.bincount(which, origin >= least) for least in (LOCAL, REMOTE))
    rows = [
        {
            "kind": int(found[row] // width),
            "place": int(found[row] % width),
            "count": int(counts[row]),
            "times": times[row],
            "work_ns": float(work[row]),
            "self_ns": float(exclusive[row]),
            "busy_ns": float(busy[row]),
            "size_ns": float(sizes[row] * rate),
            "total_ns": float(inclusive[row] * rate),
            "longest_ns": float(longest[row] * rate),
            "moved": int(moved[row]),
            "remote": int(remote[row]),
        }
        for row in range(len(found))
    ]
    for tasks in index.profile.places:
        if tasks.summed_up:
            row = {"kind": int(Kind.SUMMARY), "place": index.place_of(tasks.place)}
            row["count"] = row["times"] = tasks.summed_up
            names = ("work_ns", "self_ns", "busy_ns", "size_ns", "total_ns")
            times = dict.fromkeys(names, tasks.summed_work * SECOND)
            rows.append(row | times | {"longest_ns": 0.0, "moved": 0, "remote": 0})
    return rows


def _times(index: Index, rows: np.ndarray, which: np.ndarray, counts: np.ndarray) -> list[int]:
    """How often each was come to, as the terminal has it: of what all threads of a region come to,
    by the thread that came most often; of code outside of regions nothing."""
    count, tracks = len(counts), max(1, len(index.threads))
    cells = np.bincount(which * tracks + index.thread[rows], minlength=count * tracks)
    most = cells.reshape(count, tracks).max(axis=1, initial=0)
    kinds = np.zeros(count, dtype=index.spans.kind.dtype)
    kinds[which] = index.spans.kind[rows]
    times = np.where(is_any(kinds, SHARED), most, counts)
    return np.where(kinds == Kind.THREAD, 0, times).tolist()


def sizes(index: Index) -> list[dict]:
    """Tasks by place and decade of the ticks of their own code: number, and time."""
    tasks, rate = index.tasks, index.spans.log.clock.rate
    key = index.place[tasks] * DECADES + decades_of(index.spans.own_work[tasks])
    length = index.place_count * DECADES
    worked = index.profile.blame.own_work(index.spans)[tasks] * SECOND
    times = np.bincount(key, worked, length).reshape(-1, DECADES)
    for record in _summed(index, Kind.TASK):
        decade = min(int(record["flags"]), DECADES - 1)
        times[index.place_of(int(record["place"])), decade] += int(record["other"]) * rate
    counts: dict[int, np.ndarray] = {}
    for each in index.profile.places:
        place = index.place_of(each.place)
        counts[place] = counts.get(place, 0) + each.decades
    return [
        {
            "place": place,
            "counts": number.tolist(),
            "times": times[place].tolist(),
        }
        for place, number in counts.items()
    ]


def edges(index: Index) -> list[list]:
    """Of the task graph folded by place: from, to, what the arrow says, how often."""
    tasks = index.tasks
    parents = index.parents(tasks)
    origin = np.where(parents < 0, 0, index.place[parents])
    found = _folded(index, origin, index.place[tasks], "creates")
    before, after = _dependences(index)
    return found + _folded(index, before, after, "depends")


def _dependences(index: Index) -> tuple[np.ndarray, np.ndarray]:
    """Places of what tasks had to wait for, and of the tasks."""
    found = find_dependences(index.spans)
    # Of a group that is waited for each place counts once.
    group = np.repeat(np.arange(len(found.first) - 1), np.diff(found.first))
    keys = np.unique(group * index.place_count + index.place[found.members])
    group, place = np.divmod(keys, index.place_count)
    first = np.searchsorted(group, found.group)
    count = np.searchsorted(group, found.group, side="right") - first
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    before = place[np.repeat(first, count) + within]
    return before, np.repeat(index.place[found.task], count)


def _folded(index: Index, tail: np.ndarray, head: np.ndarray, kind: str) -> list[list]:
    keys = tail.astype(np.int64) * index.place_count + head
    found, counts = np.unique(keys, return_counts=True)
    pairs = (divmod(int(key), index.place_count) for key in found)
    return [[*pair, kind, int(count)] for pair, count in zip(pairs, counts, strict=True)]


def mutexes(index: Index) -> list[dict]:
    return [
        {
            "name": lock_name(waits.kind, waits.address),
            "place": index.place_of(waits.place, returned=True),
            "count": waits.count,
            "contended": waits.contended,
            "wait_ns": waits.waited * SECOND,
            "longest_ns": waits.longest * SECOND,
            "held_ns": waits.held * SECOND,
        }
        for waits in index.profile.mutexes
    ]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The spans as columns of small numbers, by thread and begin, outer ones before those in them.

What is the same of many spans is said once, in a class: kind, state, place, flags, the data's
domain, origin, and the lock, or the kind of wait that an idle time lies in.
"""

from __future__ import annotations

import numpy as np

from xomp.profile.analysing.spans import numbered
from xomp.profile.reading.format import Kind, is_any
from xomp.profile.showing.html import detail
from xomp.profile.showing.html.index import WITH_ID, Index
from xomp.profile.showing.html.pack import varints, zigzag

TASK_COUNT_BITS = 40  # of a task's number; what is above is the number of its creator


def classes(index: Index) -> tuple[list[list[int]], np.ndarray]:
    """All classes, and of each span which it is."""
    spans = index.spans
    stalls = np.flatnonzero(spans.kind == Kind.STALL)
    lock = index.lock.copy()
    lock[stalls] = np.minimum(spans.column("other")[stalls], np.uint64(255))
    fields = (
        spans.kind,
        spans.state,
        index.place,
        spans.column("flags"),
        spans.column("data_domain"),
        index.origin,
        lock,  # or what an idle time lies in
    )
    key = np.zeros(len(spans), dtype=np.int64)
    for values in fields:
        key = key * (int(values.max(initial=0)) + 1) + values
    found, which = numbered(key)
    one = np.zeros(len(found), dtype=np.int64)
    one[which] = np.arange(len(which))  # of each class any span
    rows = np.stack([values[one].astype(np.int64) for values in fields], axis=1)
    return rows.tolist(), which.astype(np.int32)


def columns(index: Index, chosen: detail.Detail, class_of: np.ndarray) -> dict[str, bytes]:
    spans, log = index.spans, index.spans.log
    rows = chosen.chosen
    # Rounding keeps the order, so that spans which lie in others still do.
    begin = np.rint(log.nanoseconds(chosen.begin)).astype(np.int64)
    end = np.rint(log.nanoseconds(chosen.end)).astype(np.int64)
    thread = index.thread[rows]
    starts = np.flatnonzero(np.diff(thread, prepend=-1))
    step = np.diff(begin, prepend=0)
    step[starts] = begin[starts]
    tasks = rows[is_any(spans.kind[rows], WITH_ID)]
    ids = spans.column("task")[tasks]
    number = (ids & np.uint64((1 << TASK_COUNT_BITS) - 1)).astype(np.int64)
    creator = (ids >> np.uint64(TASK_COUNT_BITS)).astype(np.int64)
    return {
        "count": varints(np.diff(np.append(starts, len(rows)))),
        "begin": varints(step),
        "length": varints(end - begin),
        "class": varints(class_of[rows]),
        "times": varints(chosen.times - 1) if chosen.short else b"",
        "kept": _kept(index, chosen),
        "creator": varints(creator),
        "number": varints(zigzag(_steps(number, creator, index.thread[tasks]))),
        "parent": varints(zigzag(_back_to_parents(index, tasks, rows))),
    }


def _kept(index: Index, chosen: detail.Detail) -> bytes:
    """Nanoseconds; nothing where the kernel does not count them."""
    if not index.profile.losses.counted:
        return b""
    return varints(np.rint(chosen.kept * index.spans.log.clock.rate).astype(np.int64))


def _back_to_parents(index: Index, tasks: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """How many rows before each task's own its parent's is; 0: not known."""
    position = np.full(len(index.spans) + 1, -1, dtype=np.int64)
    position[rows] = np.arange(len(rows))
    found = position[index.parents(tasks)]  # that of -1 is the last one, which stays -1
    return np.where(found >= 0, position[tasks] - found, 0)


def _steps(values: np.ndarray, creator: np.ndarray, thread: np.ndarray) -> np.ndarray:
    """Each value less the one before it of the same creator on the same thread."""
    key = thread.astype(np.int64) * (int(creator.max(initial=0)) + 1) + creator
    order = np.argsort(key, kind="stable")
    step = np.diff(values[order], prepend=0)
    fresh = np.flatnonzero(np.diff(key[order], prepend=-1))
    step[fresh] = values[order][fresh]
    steps = np.empty_like(values)
    steps[order] = step
    return steps

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills in what the recorder cannot write: spans that were open at the end, the end of a `single`,
the domain of a thread in each region, who called where the call does not return to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from xomp.profile.reading import format as layout
from xomp.profile.reading.format import Kind
from xomp.profile.reading.kinds import CALLS
from xomp.profile.reading.log import EVENT, OPEN_REGION, Module

# Libraries whose frames are never the program's: xomp under its names.
_RUNTIMES = ("libxomp", "libgomp")
# Records whose place is where a call returned to on the thread that the record is of.
_RETURNED = tuple(kind for kind in CALLS if kind is not Kind.SUMMARY)

# What only implicit tasks come to.
_OF_IMPLICIT = (Kind.SINGLE, Kind.LOOP, Kind.CHUNK, Kind.SECTIONS, Kind.SECTION)
# What is recorded of a thread whatever it does.
_ABOUT = (Kind.THREAD, Kind.HARDWARE, Kind.PROCESSOR)


def with_open_regions(events: np.ndarray, ended: int | None) -> np.ndarray:
    """Spans that were open when a program was killed are not written, nor the regions in which one
    called `exit`. What a thread did since its last region shows that it was in another: its
    implicit task is added, up to the log's end; and where it was through with its own in a region
    that goes on, the wait for the others; and in these the sleep of a thread that slept.

    ended: the tick at which the program did so; None: it was killed. There is an open region then
        only if a barrier or an implicit task tells of one, or what a thread of the runtime did
        behind its last region.
    """
    kinds, ends = np.ascontiguousarray(events["kind"]), np.ascontiguousarray(events["end"])
    telling = ~layout.is_any(kinds, (*_ABOUT, Kind.SUMMARY, Kind.REGION))
    joins = (kinds == Kind.BARRIER) & (events["flags"] & layout.BarrierFlag.JOIN != 0)
    bodies = kinds == Kind.IMPLICIT
    closed = joins | bodies
    ids = np.ascontiguousarray(events["other"])
    regions = np.flatnonzero(kinds == Kind.REGION)
    closes = dict(zip(ids[regions].tolist(), ends[regions].tolist(), strict=True))
    place = _place_of_open_region(events[bodies], closes)
    behind = []
    shown = ended is None or _shows_open_region(events)
    end = int(ends[~layout.is_any(kinds, layout.POINTS)].max(initial=ended or 0))
    for track, first, last in _by_track(events):
        here = slice(first, last)
        before = ends[here].max(where=closed[here], initial=np.iinfo(np.int64).min)
        own = np.flatnonzero(bodies[here]) + first
        if len(own):  # the join behind its last implicit task was never written
            before = max(before, closes.get(int(ids[own[ends[own].argmax()]]), before))
        since = np.flatnonzero(telling[here] & (events["begin"][here] >= before)) + first
        behind.append((track, first, last, since))
        shown = shown or (_is_of_runtime(events[here]) and _is_any_shared(kinds[since]))
    if not shown:
        return events
    added = []
    for track, first, last, since in behind:
        here = slice(first, last)
        if len(since):
            row = np.zeros(1, EVENT)
            row["kind"], row["begin"] = Kind.IMPLICIT, events["begin"][since].min()
            row["end"], row["task"] = end, _who_executes(events[since])
            row["other"], row["place"], row["track"] = OPEN_REGION, place, track
            waits_in = _waits_for_others_in(events[here], closes)
            if waits_in is not None:
                row["kind"], row["flags"], row["place"] = Kind.BARRIER, layout.BarrierFlag.JOIN, 0
                row["other"], row["task"] = waits_in["other"], waits_in["task"]
            row["domain"], row["creator_domain"] = events["domain"][last - 1], layout.NO_DOMAIN
            row["data_domain"] = layout.NO_DOMAIN
            if kinds[last - 1] == Kind.PROCESSOR and events["begin"][last - 1] >= row["begin"]:
                asleep = row.copy()  # it is read before and after a sleep, which has a record
                asleep["kind"], asleep["begin"] = Kind.STALL, events["begin"][last - 1]
                asleep["other"], asleep["place"] = Kind.BARRIER, 0
                asleep["flags"] = layout.StallFlag.SLEPT
                added.append((last, asleep))
            added.append((last, row))
    if not added:
        return events
    return _inserted(events, added)


def _inserted(events: np.ndarray, added: list[tuple[int, np.ndarray]]) -> np.ndarray:
    """The events with rows before some of them, in ascending order, by one copy of all."""
    edges = [0, *(at for at, _ in added), len(events)]
    parts = [events[begin:end] for begin, end in pairwise(edges)]
    rows = [*(rows for _, rows in added), events[:0]]
    return np.concatenate([each for pair in zip(parts, rows, strict=True) for each in pair])


def _waits_for_others_in(events: np.ndarray, closes: dict[int, int]) -> np.void | None:
    """A thread's last implicit task, where its region goes on and it has not met the others."""
    bodies = events[(events["kind"] == Kind.IMPLICIT) & (events["other"] != 0)]
    if not len(bodies):
        return None
    last = bodies[bodies["end"].argmax()]
    joins = (events["kind"] == Kind.BARRIER) & (events["other"] == last["other"])
    joins &= events["flags"] & layout.BarrierFlag.JOIN != 0
    return None if int(last["other"]) in closes or joins.any() else last


def _place_of_open_region(bodies: np.ndarray, closes: dict[int, int]) -> int:
    """As those tell it that were through with it. Of several regions nobody knows who was in which:
    0, no place."""
    known = np.array([0, *closes], dtype=np.uint64)
    left = bodies[~np.isin(bodies["other"], known)]
    return int(left["place"][0]) if len(np.unique(left["other"])) == 1 else 0


def _shows_open_region(events: np.ndarray) -> bool:
    """Whether somebody met others in a region that did not end, or left one."""
    kinds = np.ascontiguousarray(events["kind"])
    told = np.unique(events["other"][layout.is_any(kinds, (Kind.BARRIER, Kind.IMPLICIT))])
    ended = events["other"][kinds == Kind.REGION]
    return bool(len(np.setdiff1d(told[told != 0], ended)))


def _who_executes(events: np.ndarray) -> int:
    """The number of the implicit task that did this; 0: that is not known."""
    found = events[layout.is_any(np.ascontiguousarray(events["kind"]), _OF_IMPLICIT)]
    return int(found["task"][-1]) if len(found) else 0


def _is_of_runtime(events: np.ndarray) -> bool:
    """Whether a track's threads were all made for regions: they were met, none of the program's."""
    flags = events["flags"][events["kind"] == Kind.THREAD]
    met, own = layout.ThreadFlag.BEGINS, layout.ThreadFlag.OWN
    return bool((flags & met).any()) and not (flags & own).any()


def _is_any_shared(kinds: np.ndarray) -> bool:
    """Whether some are of what such a thread does in regions alone, and not between them."""
    return bool(layout.is_any(kinds, (Kind.TASK, *_OF_IMPLICIT)).any())


def with_open_joins(events: np.ndarray) -> np.ndarray:
    """A thread writes the join at a region's end when it comes to its next region. Of the last one
    it is missing: it is added, and the wait behind the last task in it."""
    kinds = np.ascontiguousarray(events["kind"])
    begins, ends = (np.ascontiguousarray(events[name]) for name in ("begin", "end"))
    regions = np.flatnonzero(kinds == Kind.REGION)
    closes = dict(zip(events["other"][regions].tolist(), regions.tolist(), strict=True))
    bodies = np.flatnonzero((kinds == Kind.IMPLICIT) & (events["other"] != 0))
    joins = (kinds == Kind.BARRIER) & (events["flags"] & layout.BarrierFlag.JOIN != 0)
    runs = np.flatnonzero(layout.is_any(kinds, (Kind.TASK, Kind.STALL)))
    added = []
    for _, first, last in _by_track(events):
        own = bodies[np.searchsorted(bodies, first) : np.searchsorted(bodies, last)]
        if not len(own):
            continue
        body = own[ends[own].argmax()]
        region = closes.get(int(events["other"][body]), -1)
        here = slice(first, last)
        # Its master has written it; so has who came to a join since.
        if first <= region < last or (joins[here] & (ends[here] > begins[body])).any():
            continue
        begin, end = int(ends[body]), int(ends[region]) if region >= 0 else 0
        if end <= begin:
            continue
        inside = runs[np.searchsorted(runs, first) : np.searchsorted(runs, last)]
        idle = int(ends[inside].max(where=begins[inside] >= begin, initial=begin))
        rows = np.repeat(events[body : body + 1], 2)
        rows["kind"], rows["place"] = (Kind.STALL, Kind.BARRIER), 0
        rows["begin"], rows["end"] = (min(idle, end), begin), end
        rows["flags"] = (0, layout.BarrierFlag.JOIN)
        added.append((last, rows))
    if not added:
        return events
    return _inserted(events, added)


def end_singles(events: np.ndarray) -> None:
    """The compiler does not tell where a `single` ends: it is taken to last until its thread comes
    to the next construct of the region, which without `nowait` is the barrier behind it."""
    kinds = np.ascontiguousarray(events["kind"])
    executed = kinds == Kind.SINGLE
    if not executed.any():
        return
    singles = np.flatnonzero(executed & (events["flags"] & layout.SingleFlag.EXECUTED != 0))
    begins = (Kind.BARRIER, Kind.LOOP, Kind.SECTIONS, Kind.SINGLE)
    following = np.flatnonzero(layout.is_any(kinds, (*begins, Kind.IMPLICIT)))
    tasks, index = np.unique(events["task"][following], return_inverse=True)
    at_end = kinds[following] == Kind.IMPLICIT
    times = np.where(at_end, events["end"][following], events["begin"][following])
    start = int(times.min())
    width = int(times.max()) - start + 2
    keys = np.sort(index * width + (times - start))
    own = np.searchsorted(tasks, events["task"][singles])
    moment = events["end"][singles]
    found = np.searchsorted(keys, own * width + (moment - start), side="right")
    last = len(keys) - 1
    ends = keys[np.minimum(found, last)]
    same = (found <= last) & (ends // width == own)
    events["end"][singles[same]] = (ends % width + start)[same]


def tell_domains(events: np.ndarray) -> None:
    """A thread's domain can change with each region: implicit tasks know it better than chunks."""
    rows = np.flatnonzero(events["kind"] == Kind.IMPLICIT)
    rows = rows[events["creator_domain"][rows] != layout.NO_DOMAIN]
    if not len(rows):
        return
    for _, first, last in _by_track(events):
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, last)]
        if not len(own):
            continue
        own = own[np.argsort(events["begin"][own], kind="stable")]
        domains = events["creator_domain"][own].astype(np.int32)
        if (domains == domains[0]).all():
            events["domain"][first:last] = domains[0]
            continue
        at = np.searchsorted(events["begin"][own], events["begin"][first:last], side="right")
        events["domain"][first:last] = domains[np.maximum(at - 1, 0)]


def tell_callers(events: np.ndarray, modules: Iterable[Module]) -> None:
    """Where a call returns to is in xomp itself if it was the last that a construct's body did, as
    the compiler then jumps to it: its place becomes the body's. One byte into that, as what is
    meant by a place that a call returns to is what stands before it."""
    own = [each for each in modules if Path(each.path).name.startswith(_RUNTIMES)]
    if not own:
        return
    places = np.ascontiguousarray(events["place"])
    inside = np.zeros(len(events), dtype=bool)
    for each in own:
        inside |= (places >= np.uint64(each.start)) & (places < np.uint64(each.end))
    rows = np.flatnonzero(inside)
    rows = rows[layout.is_any(np.ascontiguousarray(events["kind"][rows]), _RETURNED)]
    if not len(rows):
        return
    bodies = np.flatnonzero(
        layout.is_any(np.ascontiguousarray(events["kind"]), (Kind.TASK, Kind.IMPLICIT))
    )
    bodies = bodies[~inside[bodies] & (places[bodies] != 0)]
    bodies = bodies[np.argsort(events["task"][bodies], kind="stable")]
    tasks, wanted = events["task"][bodies], events["task"][rows]
    at = np.minimum(np.searchsorted(tasks, wanted), max(0, len(bodies) - 1))
    known = tasks[at] == wanted if len(bodies) else np.zeros(len(rows), dtype=bool)
    events["place"][rows] = 0
    events["place"][rows[known]] = places[bodies[at[known]]] + np.uint64(1)


def _by_track(events: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Each track, its first row, and the one behind its last."""
    numbers = np.ascontiguousarray(events["track"])
    firsts = np.flatnonzero(np.diff(numbers, prepend=~numbers[:1]))
    return zip(
        numbers[firsts].tolist(),
        firsts.tolist(),
        np.append(firsts[1:], len(numbers)).tolist(),
        strict=False,
    )

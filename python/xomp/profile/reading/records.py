# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The records of a log's chunks, those that make no sense left out."""

from __future__ import annotations

import numpy as np

from xomp.profile.reading import format as layout
from xomp.profile.reading.chunks import Chunks
from xomp.profile.reading.clock import SLACK, Clock
from xomp.profile.reading.format import Kind
from xomp.profile.reading.gaps import tell_domains
from xomp.profile.reading.log import EVENT, Track

# More would take more memory than many a machine has: some 600 bytes each.
MOST_EVENTS = 6_000_000


def events_of(chunks: Chunks, clock: Clock, problems: list[str]) -> tuple[np.ndarray, list[Track]]:
    numbers = chunks.of_records()
    # Room for as many as there can be: what is not written to takes no memory.
    events = np.empty(len(numbers) * layout.SLOTS_IN_CHUNK, EVENT)
    raw = events.view(np.uint8).reshape(-1, EVENT.itemsize)
    filled = np.zeros(len(numbers), dtype=np.int64)
    at = 0
    for turn, number in enumerate(numbers):
        records = chunks.records(number)
        rows = raw[at : at + len(records)]
        rows[:, : layout.RECORD_BYTES] = records.view(np.uint8).reshape(-1, layout.RECORD_BYTES)
        filled[turn] = len(records)
        at += len(records)
    events = events[:at]
    heads = chunks.heads[numbers]
    events["track"] = np.repeat(heads["track"], filled)
    events["domain"] = np.repeat(heads["domain"], filled)
    events = _sound(events, clock, problems)
    tell_domains(events)
    return events, _tracks_of(heads, problems)


def _sound(events: np.ndarray, clock: Clock, problems: list[str]) -> np.ndarray:
    """The events without those that make no sense."""
    kinds = np.ascontiguousarray(events["kind"])
    known = layout.is_any(kinds, Kind)
    strange = len(events) - int(np.count_nonzero(known))
    if strange:
        problems.append(f"{strange} records are of a kind that this xomp does not know")
    spans = ~layout.is_any(kinds, layout.POINTS)
    # The clock was read at least each second while the log was written.
    slack = int(SLACK / clock.rate)
    begins = np.ascontiguousarray(events["begin"])
    events["end"][~spans] = begins[~spans]  # a point's says nothing
    ends = np.ascontiguousarray(events["end"])
    strange_times = (begins < clock.ticks[0] - slack) | (ends > clock.ticks[-1] + slack)
    strange_times |= ends < begins
    wrong = int(np.count_nonzero(strange_times & known))
    if wrong:
        problems.append(f"{wrong} records have impossible times and are left out")
    return events[known & ~strange_times] if strange or wrong else events


def _tracks_of(heads: np.ndarray, problems: list[str]) -> list[Track]:
    tracks = []
    numbers, firsts = np.unique(heads["track"], return_index=True)
    for number, own in zip(numbers, np.split(heads, firsts)[1:], strict=True):
        missing = int(own["sequence"][-1]) + 1 - len(own)
        if missing > 0:
            problems.append(f"{missing} chunks of track {number} are missing")
        head = own[-1]
        tracks.append(Track(int(number), int(head["thread"]), int(head["domain"]), missing))
    return tracks


def first_of(events: np.ndarray) -> tuple[np.ndarray, int | None]:
    """As many as can be looked at, and the moment after which they are left out."""
    if len(events) <= MOST_EVENTS:
        return events, None
    cut = int(np.partition(events["end"], MOST_EVENTS)[MOST_EVENTS])
    outer = (Kind.THREAD, Kind.REGION, Kind.IMPLICIT, Kind.SUMMARY)
    kept = (events["end"] <= cut) | layout.is_any(events["kind"], outer)
    return events[kept], cut

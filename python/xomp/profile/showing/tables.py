# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run as tables for one's own analysis: CSV, or Parquet where pyarrow is installed."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.format import Kind
from xomp.profile.reading.kinds import AT_ONCE_REASONS, BODIES, CALLS
from xomp.profile.reading.log import LogError
from xomp.profile.showing.numbers import numbers, states

Columns = dict[str, list]


PORTION = 50_000  # rows at a time

Told = Callable[[float], object]  # the share that is done


def write(
    profile: Profile, folder: Path, parquet: bool = False, share: Told = lambda _: None
) -> list[Path]:
    """events, tasks, threads, locks, numbers: one file each."""
    tables = {
        "events": events(profile),
        "tasks": tasks(profile),
        "threads": threads(profile),
        "locks": locks(profile),
        "numbers": {
            "number": [each.key for each in (*numbers(profile), *states(profile))],
            "value": [float(each.value) for each in (*numbers(profile), *states(profile))],
        },
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if parquet:
            return [_write_parquet(folder / name, columns) for name, columns in tables.items()]
        # Nearly all is in the first one.
        tell = {"events": share}
        return [
            _write_csv(folder / name, columns, tell.get(name, lambda _: None))
            for name, columns in tables.items()
        ]
    except OSError as error:
        raise LogError(f"cannot write '{folder}': {error.strerror}") from error


def _write_csv(path: Path, columns: Columns, share: Told) -> Path:
    path = path.with_suffix(".csv")
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        length = len(next(iter(columns.values())))
        for at in range(0, length, PORTION):
            part = (values[at : at + PORTION] for values in columns.values())
            writer.writerows(zip(*part, strict=True))
            share(min(1.0, (at + PORTION) / length))
    return path


def _write_parquet(path: Path, columns: Columns) -> Path:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise LogError("Parquet needs the Python package pyarrow; --csv works without") from error
    path = path.with_suffix(".parquet")
    parquet.write_table(pyarrow.table(columns), path)
    return path


def events(profile: Profile) -> Columns:
    """The records, times in nanoseconds since the log's begin, places in words."""
    log = profile.log
    names = {int(kind): kind.name.lower() for kind in Kind}
    rows = log.events
    kinds = log.column("kind").tolist()
    return {
        "kind": [names[kind] for kind in kinds],
        "begin_ns": np.rint(log.nanoseconds(log.column("begin"))).astype(np.int64).tolist(),
        "end_ns": np.rint(log.nanoseconds(log.column("end"))).astype(np.int64).tolist(),
        **{
            name: rows[name].tolist()
            for name in ("track", "domain", "task", "other", "flags", "worker")
        },
        "creator_domain": rows["creator_domain"].tolist(),
        "data_domain": rows["data_domain"].tolist(),
        "place": _words(profile, kinds),
    }


def _words(profile: Profile, kinds: list[int]) -> list[str]:
    """The source of each record's place. A chunk's place is a number of iterations."""
    places = profile.log.column("place").tolist()
    known: dict[tuple[int, int], str] = {}
    for kind, place in set(zip(kinds, places, strict=True)):
        if not place or kind not in (*BODIES, *CALLS):
            known[kind, place] = str(place) if place else ""
        else:
            known[kind, place] = profile.place(place, Kind(kind)).text()
    return [known[pair] for pair in zip(kinds, places, strict=True)]


def tasks(profile: Profile) -> Columns:
    """Times in seconds, but for those whose names say that they are ticks of the processor."""
    fields = (
        *("recorded", "summed_up", "work", "summed_work", "mean", "at_once"),
        *("undeferred", "dependent", "ran_self", "ran_local", "ran_remote", "taken", "placed"),
        *("misplaced", "blame"),
    )
    found: Columns = {
        "place": [
            profile.place(each.place, Kind.TASK).text() if each.place else ""
            for each in profile.places
        ]
    }
    for name in fields:
        found[name] = [getattr(each, name) for each in profile.places]
    for number, (column, _) in enumerate(AT_ONCE_REASONS):
        found[column] = [int(each.by_reason[number]) for each in profile.places]
    for name in ("smallest", "median", "largest"):
        found[f"{name}_ticks"] = [getattr(each, name) for each in profile.places]
    for decade in range(13):
        found[f"ticks_1e{decade}"] = [int(each.decades[decade]) for each in profile.places]
    return found


def threads(profile: Profile) -> Columns:
    losses, spans, made = profile.losses, profile.spans, profile.tasks.creators
    runners = spans.column("track")[spans.indices(Kind.TASK)]
    ran = dict(
        zip(*(each.tolist() for each in np.unique(runners, return_counts=True)), strict=True)
    )
    found: Columns = {"track": list(losses.tracks)}
    for state in State:
        found[state.name.lower()] = losses.by_track[:, state].tolist()
    found["tasks_made"] = [int(made[track]) if track < len(made) else 0 for track in losses.tracks]
    found["tasks_run"] = [ran.get(track, 0) for track in losses.tracks]
    return found


def locks(profile: Profile) -> Columns:
    waits = profile.mutexes
    return {
        "lock": [f"{each.address:#x}" for each in waits],
        "kind": [each.name for each in waits],
        "place": [profile.place(each.place, Kind.MUTEX_WAIT).text() for each in waits],
        **{
            name: [getattr(each, name) for each in waits]
            for name in ("count", "contended", "waited", "longest", "held")
        },
    }

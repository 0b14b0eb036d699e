# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run in the trace format of Chrome, which Perfetto (ui.perfetto.dev) opens as well."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.kinds import BODIES, CALLS, POINTS, WORDS, Kind
from xomp.profile.reading.log import LogError

PORTION = 50_000  # lines between two words about how far it is


def write(profile: Profile, path: Path, share: Callable[[float], object] = lambda _: None) -> None:
    """A name that ends in .gz is compressed; both programs read that. `share` is told what part of
    it is done."""
    lines = max(1, len(profile.log.events))
    try:
        with _opened(path) as stream:
            stream.write('{"displayTimeUnit":"ns","traceEvents":[\n')
            for number, line in enumerate(_lines(profile)):
                stream.write(f",\n{line}" if number else line)
                if number % PORTION == 0:
                    share(min(1.0, number / lines))
            stream.write("\n]}\n")
    except OSError as error:
        raise LogError(f"cannot write '{path}': {error.strerror}") from error


def _opened(path: Path) -> IO[str]:
    return gzip.open(path, "wt", compresslevel=3) if path.suffix == ".gz" else path.open("w")


def _lines(profile: Profile) -> Iterator[str]:
    log = profile.log
    pid = log.pid
    yield json.dumps(_about(pid, 0, "process_name", log.command))
    for track in log.tracks:
        yield json.dumps(_about(pid, track.number, "thread_name", f"thread {track.number}"))
    kinds, places = log.column("kind").tolist(), log.column("place").tolist()
    names = {
        (kind, place): json.dumps(_name(profile, Kind(kind), place))
        for kind, place in set(zip(kinds, places, strict=True))
    }
    begins, ends = (log.nanoseconds(log.column(name)) / 1e3 for name in ("begin", "end"))
    columns = (
        *(kinds, places, begins.tolist(), ends.tolist()),
        *(log.column(name).tolist() for name in ("track", "task", "other")),
    )
    for kind, place, begin, end, track, task, other in zip(*columns, strict=True):
        if kind in (Kind.SUMMARY, Kind.HARDWARE, Kind.PROCESSOR):
            continue
        phase = '"ph":"i","s":"t"' if kind in POINTS else f'"ph":"X","dur":{end - begin:.3f}'
        yield (
            f'{{{phase},"pid":{pid},"tid":{track},"ts":{begin:.3f},"name":{names[kind, place]},'
            f'"cat":"{Kind(kind).name}","args":{{"task":"{task}","other":"{other}"}}}}'
        )


def _about(pid: int, track: int, what: str, name: str) -> dict:
    return {"ph": "M", "pid": pid, "tid": track, "name": what, "args": {"name": name}}


def _name(profile: Profile, kind: Kind, place: int) -> str:
    if not place or kind not in (*BODIES, *CALLS):
        return WORDS[kind]
    return profile.place(place, kind).text(WORDS[kind])

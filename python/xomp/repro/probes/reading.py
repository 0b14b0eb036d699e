# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reading.py LOGS BEGAN SECONDS [FROM LENGTH]: what xomp's own log says of a run, as lines.

For logged.py, which starts it in the Python of whoever measures: it needs the readers of logs. The
timed part began at BEGAN of CLOCK_MONOTONIC. With FROM and LENGTH the leaf tasks of the timed part
are told as recorded.py tells them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from xomp.profile.analysing import losses
from xomp.profile.analysing.load import load
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import data_domains
from xomp.profile.reading.clock import Clock
from xomp.profile.reading.format import NO_DOMAIN, Kind
from xomp.profile.showing import figures, tables
from xomp.repro.probes.recorded import Leaf, lines


def tick(clock: Clock, seconds: float) -> int:
    """At a moment of CLOCK_MONOTONIC."""
    after = seconds * 1e9 - float(clock.nanoseconds[0])
    known = (clock.nanoseconds - clock.nanoseconds[0]).astype(float)
    inside = np.interp(after, known, (clock.ticks - clock.ticks[0]).astype(float))
    beyond = min(0.0, after) + max(0.0, after - known[-1])
    return int(clock.ticks[0]) + round(float(inside) + beyond / clock.rate)


def whole(profile: Profile) -> str:
    """A list by thread for each state, in seconds, and for the tasks that it made and ran."""
    columns = tables.threads(profile)
    count = len(columns.pop("track"))
    return " ".join(("logged", f"threads={count}", *_lists(columns)))


def timed(profile: Profile, begin: int, end: int) -> str:
    found = losses.divide(profile.spans, begin, end)
    columns = {state.name.lower(): found.by_track[:, state].tolist() for state in State}
    totals = {
        "threads": found.threads,
        "elapsed": f"{found.elapsed:.9f}",
        "missing": f"{found.missing:.9f}",
        "full": int(profile.log.full is not None),
    }
    return " ".join(
        ("timed", *(f"{name}={value}" for name, value in totals.items()), *_lists(columns))
    )


def activities(profile: Profile) -> str:
    """The papers' states as `xomp report --figures` draws them: seconds by thread."""
    found = figures.activities(profile)
    columns = {f"a{index}": column.tolist() for index, column in enumerate(found.T)}
    return " ".join(("activities", *_lists(columns)))


def _lists(columns: dict[str, list]) -> Iterator[str]:
    for name, values in columns.items():
        texts = (str(each) if isinstance(each, int) else f"{each:.9f}" for each in values)
        yield f"{name}={','.join(texts)}"


def leaves(profile: Profile, begin: int) -> list[Leaf]:
    """Tasks that made no task, by begin, in seconds since the timed part's."""
    spans, rate = profile.spans, profile.rate
    tasks = spans.indices(Kind.TASK)
    makes = np.isin(spans.column("task")[tasks], spans.column("other")[tasks])
    tasks = tasks[~makes]
    starts = (spans.column("begin")[tasks] - begin) * rate
    data = data_domains(spans, tasks).astype(int)
    columns = (
        starts.tolist(),
        (spans.duration[tasks] * rate).tolist(),
        _members(profile, tasks).tolist(),
        spans.column("domain")[tasks].tolist(),
        np.where(data == NO_DOMAIN, -1, data).tolist(),
    )
    return sorted(Leaf(*fields, 0) for fields in zip(*columns, strict=True))


def _members(profile: Profile, tasks: np.ndarray) -> np.ndarray:
    """OpenMP's number of the thread that runs each."""
    spans = profile.spans
    numbers = np.zeros(len(spans.first), dtype=np.int64)
    implicit = spans.indices(Kind.IMPLICIT)
    numbers[spans.track_of(implicit)] = spans.column("worker")[implicit]
    return numbers[spans.track_of(tasks)]


def main(arguments: list[str]) -> int:
    logs, began, seconds, *window = arguments
    profile = load(Path(logs))[0]
    begin, end = (
        tick(profile.log.clock, moment) for moment in (float(began), float(began) + float(seconds))
    )
    print(whole(profile))
    print(activities(profile))
    print(timed(profile, begin, end))
    if window:
        part, length = map(float, window)
        inside = [leaf for leaf in leaves(profile, begin) if 0 <= leaf.start <= float(seconds)]
        print(*lines(inside, 0.0, part, length), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

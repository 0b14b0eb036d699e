# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' pictures of a run, as PNG and SVG: paper 1, Fig. 3; paper 3, Fig. 2, 4 and 18."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from xomp.profile.analysing.losses import Losses
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.analysing.tasks import data_domains
from xomp.profile.reading.format import NO_DOMAIN, Kind, is_any
from xomp.profile.reading.log import LogError
from xomp.profile.showing import categories
from xomp.shared import looks
from xomp.shared.colours import BLUE, GREEN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What a thread does, from left to right: the states, of which paper 1, Fig. 3 tells the search for
# tasks apart by where it is, and does not those of idle time.
ACTIVITIES = (
    ("begin and end of regions and constructs", categories.STATES[State.FORK].colour),
    ("work", categories.STATES[State.WORK].colour),
    ("creation of tasks", categories.STATES[State.CREATE].colour),
    ("in taskwait, looking for tasks", categories.STATES[State.SCHEDULE].colour),
    ("in barriers, looking for tasks", "#8C6D46"),
    ("waiting for locks", categories.STATES[State.MUTEX].colour),
    ("idle", categories.PARTS["idle"].colour),
    ("kept off the processors", categories.PARTS["kept_off"].colour),
)
(*(THREADING, WORKING, CREATING, WAITING, BARRIER, LOCKING, STALLING, KEPT_OFF),) = range(
    len(ACTIVITIES)
)
CREATED, EXECUTED = BLUE, GREEN

# Paper 3, Fig. 2 and 4, whose machines had no other users.
PARTS = tuple(
    (categories.PARTS[key].name, categories.PARTS[key].colour)
    for key in ("serial_work", "inflation", "overhead", "idle", "kept_off")
)
NOWHERE = "#aaaaaa"
LONGEST_NAME = 70
MANY_THREADS = 48  # more have thin bars, without gaps
SHOWN_THREADS = 8  # of a schedule, as in the paper
SHOWN_TASKS = 300  # in the part of a schedule that is shown by itself


def write(profile: Profile, folder: Path, window: tuple[float, float] | None = None) -> list[Path]:
    """All of one run. The window, in seconds since the log's begin, is that of the schedule."""
    if find_spec("matplotlib") is None:
        raise LogError("pictures need the Python package matplotlib")
    name = shorten(profile.log.command, LONGEST_NAME, placeholder=" ...")
    drawn = {"threads": threads(profile)}
    drawn["division"] = division([(name, profile.losses)])
    drawn["division"].suptitle("Where all threads' time went", fontsize=10)
    # Its colours are the domains of data; without any it would be grey.
    if (data_domains(profile.spans, leaves(profile)) != NO_DOMAIN).any():
        drawn["schedule"] = schedule([(name, profile)], window)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [
            path for name, figure in drawn.items() for path in looks.write(figure, folder / name)
        ]
    except OSError as error:
        raise LogError(f"cannot write '{folder}': {error.strerror}") from error


def _figure(width: float, height: float) -> Figure:
    # Without pyplot: that would need a screen, or keep every figure.
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _unit(longest: float) -> tuple[str, float]:
    """That in which a time has at least one digit before the point, and its seconds."""
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    return next((unit for unit in units if longest >= unit[1]), units[-1])


# Paper 1, Fig. 3


def activities(profile: Profile) -> np.ndarray:
    """Seconds by thread and activity."""
    spans = profile.spans
    table = np.full(len(State), THREADING)
    table[[State.WORK, State.CREATE, State.MUTEX]] = WORKING, CREATING, LOCKING
    table[[State.STALL, State.ORDER, State.OUTSIDE]] = STALLING
    kinds = spans.kind[spans.piece_span]
    found = table[spans.piece_state]
    looking = spans.piece_state == State.SCHEDULE
    found[looking & is_any(kinds, (Kind.TASKWAIT, Kind.TASKGROUP))] = WAITING
    found[looking & (kinds == Kind.BARRIER)] = BARRIER
    count = len(spans.first)
    cells = spans.piece_track * len(ACTIVITIES) + found
    waits = profile.losses.waits
    kept_off = np.zeros(len(cells)) if waits is None else waits
    ticks = np.bincount(cells, spans.piece_ticks - kept_off, count * len(ACTIVITIES))
    ticks = ticks.reshape(count, len(ACTIVITIES))
    ticks[:, KEPT_OFF] = np.bincount(spans.piece_track, kept_off, count)
    return ticks * profile.rate


def task_counts(profile: Profile) -> tuple[np.ndarray, np.ndarray]:
    """Tasks created and executed, by thread; those summed up are their creator's own."""
    spans = profile.spans
    numbers = spans.threads["track"].astype(np.int64)
    tasks = spans.indices(Kind.TASK)
    sums = profile.log.of(Kind.SUMMARY)
    sums = sums[sums["worker"] == Kind.TASK]
    counts = []
    for field in ("worker", "track"):
        threads = np.concatenate([spans.column(field)[tasks], sums["track"]]).astype(np.int64)
        weights = np.concatenate([np.ones(len(tasks)), sums["task"]])
        at = np.searchsorted(numbers, threads)
        known = np.append(numbers, -1)[at] == threads
        counts.append(np.bincount(at[known], weights[known], len(numbers)).astype(np.int64))
    return counts[0], counts[1]


def threads(profile: Profile) -> Figure:
    """What each thread did with its time, and its tasks where there are any: a row for each."""
    times, (created, executed) = activities(profile), task_counts(profile)
    unit, size = _unit(profile.losses.elapsed)
    times = times / size
    rows = np.arange(len(times))
    figure = _figure(11, min(9.0, 2.2 + 0.22 * len(rows)))
    panels = figure.subplots(1, 2 if created.any() or executed.any() else 1, sharey=True)
    left, *others = np.atleast_1d(panels)
    thick = 1.0 if len(rows) > MANY_THREADS else 0.8
    base = np.zeros(len(rows))
    for index, (name, colour) in enumerate(ACTIVITIES):
        if times[:, index].any():
            left.barh(rows, times[:, index], thick, left=base, color=colour, label=name)
            base += times[:, index]
    left.set_title("What each thread did with its time", fontsize=10)
    left.set_xlabel(unit)
    half = thick / 2
    for right in others:
        right.barh(rows - half / 2, created, half, color=CREATED, label="created")
        right.barh(rows + half / 2, executed, half, color=EXECUTED, label="run")
        right.set_title("Tasks that it created and ran", fontsize=10)
        right.set_xlabel("tasks")
    left.set_ylim(-0.7, len(rows) - 0.3)
    for panel, side in zip((left, *others), ("left", "right"), strict=False):
        handles = panel.get_legend_handles_labels()[0]
        place = {"loc": f"outside lower {side}", "ncols": 4}
        figure.legend(handles=handles, fontsize=8, frameon=False, **place)
    left.set_ylabel("thread")
    if len(rows) <= MANY_THREADS:
        left.set_yticks(rows, profile.spans.threads["track"].tolist())
    name = shorten(profile.log.command, LONGEST_NAME, placeholder=" ...")
    figure.suptitle(name, fontsize=10)
    return figure


# Paper 3, Fig. 2 and 4


def division(runs: Sequence[tuple[str, Losses]], in_seconds: bool = False) -> Figure:
    """Threads x elapsed time of each run in its parts; as shares, or in seconds (Fig. 4)."""
    figure = _figure(max(4.0, 1.1 * len(runs) + 2.6), 4.0)
    panel = figure.subplots()
    base = np.zeros(len(runs))
    places = np.arange(len(runs))
    totals = np.array([losses.total or 1.0 for _, losses in runs])
    unit, size = _unit(totals.max())
    serial = all(losses.serial is not None for _, losses in runs)
    names = [name for name, _ in PARTS] if serial else ["work", *(name for name, _ in PARTS[1:])]
    for index, values in enumerate(np.array([_parts(losses) for _, losses in runs]).T):
        values = values / size if in_seconds else 100 * values / totals
        if not values.any():
            continue
        panel.bar(places, values, 0.7, bottom=base, color=PARTS[index][1], label=names[index])
        base += values
    panel.set_xticks(places, [name for name, _ in runs])
    panel.set_ylabel(f"{unit} of all threads" if in_seconds else "% of threads x elapsed time")
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    handles, labels = panel.get_legend_handles_labels()
    panel.legend(handles[::-1], labels[::-1], fontsize=8, frameon=False, **place)
    return figure


def _parts(losses: Losses) -> tuple[float, ...]:
    """Those of PARTS: together threads x elapsed time."""
    inflation = max(0.0, losses.inflation or 0.0)  # where caches helped, all is work
    rest = (losses.overhead, losses.idle, losses.kept_off)
    return losses.work - inflation, inflation, *rest


# Paper 3, Fig. 18


def schedule(
    runs: Sequence[tuple[str, Profile]], window: tuple[float, float] | None = None
) -> Figure:
    """Leaf tasks over time on the first threads, with the domain of their data: a panel a run."""
    figure = _figure(11, 0.9 + len(runs) * (1.0 + 0.28 * SHOWN_THREADS))
    panels = figure.subplots(len(runs), 1, squeeze=False)[:, 0]
    seen: set[int] = set()
    unit, size = _unit(max(profile.losses.elapsed for _, profile in runs))
    for panel, (name, profile) in zip(panels, runs, strict=True):
        seen |= _draw_schedule(panel, profile, window, size)
        panel.set_title(name, fontsize=10)
        panel.set_ylabel("thread")
    panels[-1].set_xlabel(unit)
    shown = "Tasks that made no others, on the first threads; the colour says where their data are"
    figure.suptitle(shown, fontsize=10)
    from matplotlib.patches import Patch

    known = sorted(seen - {NO_DOMAIN})
    patches = [Patch(color=_colour(domain), label=f"data in domain {domain}") for domain in known]
    if NO_DOMAIN in seen:
        patches.append(Patch(color=NOWHERE, label="data in no known domain"))
    figure.legend(handles=patches, loc="outside lower center", ncols=6, fontsize=8, frameon=False)
    return figure


def leaves(profile: Profile) -> np.ndarray:
    """Spans of the tasks in which no other ran, by begin."""
    spans = profile.spans
    tasks = spans.indices(Kind.TASK)
    inner = np.zeros(len(spans), dtype=bool)
    around = spans.parent[tasks]
    inner[spans.owner[around[around >= 0]]] = True
    found = tasks[~inner[tasks]]
    return found[np.argsort(spans.column("begin")[found], kind="stable")]


def _draw_schedule(
    panel: Axes, profile: Profile, window: tuple[float, float] | None, size: float
) -> set[int]:
    spans = profile.spans
    rows = leaves(profile)
    threads = spans.track_of(rows)
    shown = np.unique(threads)[:SHOWN_THREADS]
    rows, threads = rows[np.isin(threads, shown)], threads[np.isin(threads, shown)]
    begin = profile.log.nanoseconds(spans.column("begin")[rows]) / 1e9 / size
    end = profile.log.nanoseconds(spans.column("end")[rows]) / 1e9 / size
    if window is None:  # around the moment when half of their work is done
        done = np.cumsum(end - begin)
        middle = int(np.searchsorted(done, done[-1] / 2)) if len(rows) else 0
        inside = np.arange(len(rows))[max(0, middle - SHOWN_TASKS // 2) :][:SHOWN_TASKS]
    else:
        inside = np.flatnonzero((end >= window[0] / size) & (begin <= window[1] / size))
    begin, end, threads = begin[inside], end[inside], threads[inside]
    left, right = (begin.min(), end.max()) if len(begin) else (0.0, 1.0)
    if window is not None:
        left, right = window[0] / size, window[1] / size
    domains = data_domains(spans, rows[inside])
    apart = (end - begin) > (right - left) / 300  # room for an edge
    for domain in np.unique(domains).tolist():
        for place, thread in enumerate(shown):
            for edged in (False, True):
                here = (domains == domain) & (threads == thread) & (apart == edged)
                boxes = list(zip(begin[here], (end - begin)[here], strict=True))
                style = {"facecolors": _colour(domain), "linewidth": 0.5 if edged else 0.2}
                style["edgecolors"] = "white" if edged else _colour(domain)
                panel.broken_barh(boxes, (place - 0.4, 0.8), **style)
    panel.set_xlim(left, right)
    panel.set_ylim(len(shown) - 0.4, -0.6)  # the first thread on top
    panel.set_yticks(range(len(shown)), spans.threads["track"][shown].tolist())
    wide = (end - begin) > (right - left) / 110  # room for a digit
    for x, width, thread, domain in zip(
        begin[wide], (end - begin)[wide], threads[wide], domains[wide], strict=True
    ):
        if domain != NO_DOMAIN:
            at = (x + width / 2, int(np.searchsorted(shown, thread)))
            align = {"ha": "center", "va": "center", "fontsize": 7, "clip_on": True}
            panel.text(*at, str(domain), color=_ink(domain), **align)
    return set(domains.tolist())


def _colour(domain: int) -> str:
    return NOWHERE if domain == NO_DOMAIN else categories.DOMAINS[domain % len(categories.DOMAINS)]


def _ink(domain: int) -> str:
    return "white" if domain % len(categories.DOMAINS) in (1, 2, 3) else "black"

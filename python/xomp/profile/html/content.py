# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that the page shows of one run: facts as plain values for JSON, and the spans as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xomp import __version__
from xomp.profile.format import Kind
from xomp.profile.html import columns, detail, tables
from xomp.profile.html.index import Index
from xomp.profile.html.tables import SECOND
from xomp.profile.spans import IDLE, OVERHEAD, State
from xomp.profile.summary import Profile


@dataclass(frozen=True)
class Finding:
    """One cause of lost time, or another thing that is worth to be said, in plain words."""

    title: str
    text: str = ""
    advice: str = ""
    share: float | None = None  # of all threads' time
    place: int | None = None  # address of the place that it is about
    returned: bool = False  # whether that is where a call returns to


@dataclass
class Content:
    facts: dict
    columns: dict[str, bytes]


def collect(profile: Profile, findings: Sequence[Finding] = (), most: int = detail.MOST) -> Content:
    """`most` is the number of spans that the timeline shows; of more, short ones are merged."""
    index = Index(profile)
    spans = profile.spans
    classes, class_of = columns.classes(index)
    begin, end = spans.column("begin"), spans.column("end")
    chosen = detail.choose(begin, end, spans.parent, class_of, most)
    facts = {
        "run": _run(profile),
        "findings": [_finding(finding, index) for finding in findings],
        "figures": _figures(profile),
        "split": _split(profile),
        "states": [state.name.lower() for state in State],
        "kinds": {int(kind): kind.name.lower() for kind in Kind},
        "places": index.places(),
        "locks": index.locks(),
        "threads": tables.threads(index),
        "constructs": tables.constructs(index),
        "sizes": tables.sizes(index),
        "edges": tables.edges(index),
        "mutexes": tables.mutexes(index),
        "classes": classes,
        "detail": {
            "spans": len(chosen.chosen),
            "of": len(spans),
            "short_ns": chosen.short * profile.rate * SECOND,
        },
    }
    return Content(facts, columns.columns(index, chosen, class_of))


def _run(profile: Profile) -> dict:
    log = profile.log
    return {
        "xomp": __version__,
        "command": log.command,
        "version": log.texts.get("version", ""),
        "pid": log.pid,
        "start_ns": str(log.number("start") or 0),  # more digits than JSON's numbers keep
        "processors": log.number("processors"),
        "threads": profile.losses.threads,
        "elapsed_ns": profile.losses.elapsed * SECOND,
        "ticks_per_ns": 1 / log.clock.rate,
        "settings": log.settings,
        "problems": log.problems,
        "notes": profile.symbols.notes,
    }


def _finding(finding: Finding, index: Index) -> dict:
    place = index.place_of(finding.place, finding.returned)
    return {
        "title": finding.title,
        "text": finding.text,
        "advice": finding.advice,
        "share": finding.share,
        "place": place,
    }


def _split(profile: Profile) -> dict:
    """Threads times elapsed time: paper 3, Fig. 2."""
    losses = profile.losses
    times = losses.by_state * SECOND
    return {
        "total": losses.total * SECOND,
        "work": losses.work * SECOND,
        "serial": None if losses.serial is None else losses.serial * SECOND,
        "inflation": None if losses.inflation is None else losses.inflation * SECOND,
        "overhead": {State(state).name.lower(): float(times[state]) for state in OVERHEAD},
        "idle": {State(state).name.lower(): float(times[state]) for state in IDLE},
    }


def _figures(profile: Profile) -> list[dict]:
    """The numbers that the page begins with; `unit` says how each is to be written."""
    losses, tasks, steals = profile.losses, profile.tasks, profile.steals
    over = "the serial run" if losses.serial is not None else "the work that was recorded"
    moved = tasks.ran_local + tasks.ran_remote
    rows = [
        ("Elapsed", losses.elapsed * SECOND, "time", ""),
        ("Threads", losses.threads, "count", "the most at a time"),
        ("Speed-up", losses.speedup, "times", f"over {over}"),
        ("Efficiency", losses.efficiency, "share", f"speed-up, over {over}, for each thread"),
        ("Critical path", profile.critical * SECOND, "time", "with any number of threads"),
        ("Parallelism", profile.graph.parallelism, "times", "average: work over critical path"),
        ("Load error λ", losses.imbalance, "share", "the busiest thread's work over the mean"),
        ("Tasks", tasks.count, "count", ""),
    ]
    if tasks.count:
        hint = "of its own code, without waits and the tasks that ran in them"
        rows.append(("Mean task", tasks.mean * SECOND, "time", hint))
    if tasks.recorded:
        hint = "run by another thread than their creator"
        rows.append(("Moved tasks", moved / tasks.recorded, "share", hint))
        hint = "for each thread and second"
        rows.append(("Taken tasks", profile.moved_per_second, "count", hint))
        hint = "run in another domain than their creator's"
        rows.append(("Remote tasks", tasks.ran_remote / tasks.recorded, "share", hint))
    if steals.moves or steals.failed:
        rows.append(("Steals", steals.moves, "count", f"that moved {steals.tasks:,} tasks"))
        rows.append(("Failed steals", steals.failed, "count", ""))
    return [dict(zip(("name", "value", "unit", "hint"), row, strict=True)) for row in rows]

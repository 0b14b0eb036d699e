# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All that the page shows of one run: facts as plain values for JSON, and the spans as columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xomp import __version__
from xomp.profile.analysing.advice import Finding, findings
from xomp.profile.analysing.spans import IDLE, OVERHEAD, State
from xomp.profile.analysing.summary import Profile
from xomp.profile.showing.html import columns, detail, tables
from xomp.profile.showing.html.index import Index, Places
from xomp.profile.showing.html.tables import SECOND
from xomp.profile.showing.notes import notes
from xomp.profile.showing.numbers import numbers, times


@dataclass
class Content:
    facts: dict
    columns: dict[str, bytes]


def collect(profile: Profile, most: int = detail.MOST) -> Content:
    """`most` is the number of spans that the timeline shows; of more, short ones are merged."""
    return _content(Index(profile), most)


def collect_all(profiles: Sequence[Profile]) -> list[Content]:
    """Of several runs: a place has the same number in all of them."""
    places = Places()
    indices = [Index(profile, places) for profile in profiles]
    return [_content(index, detail.MOST // len(profiles)) for index in indices]


def _content(index: Index, most: int) -> Content:
    profile, spans = index.profile, index.profile.spans
    classes, class_of = columns.classes(index)
    chosen = detail.choose(spans, class_of, most, profile.losses.waits)
    facts = {
        "run": _run(profile),
        "findings": [_finding(profile, each, index) for each in findings(profile)],
        "figures": _figures(profile),
        "split": _split(profile),
        "states": [state.name.lower() for state in State],
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
        "notes": [typeset(note) for note in notes(profile)[len(log.problems) :]],
    }


def _finding(profile: Profile, finding: Finding, index: Index) -> dict:
    where, place = index.split_text(finding.where)
    return {
        "title": finding.title,
        "where": where,
        "place": place,
        "share": finding.lost / profile.losses.total,
        "evidence": [typeset(line) for line in finding.evidence],
        "advice": [typeset(line) for line in finding.advice],
    }


def _figures(profile: Profile) -> list[dict]:
    """The numbers that the page begins with; those of the division are in its own picture."""
    divided = {part.key for part in times(profile)}
    return [
        {"key": each.key, "name": each.name, "value": each.value, "text": typeset(each.text)}
        for each in numbers(profile)
        if each.key not in divided
    ]


def typeset(text: str) -> str:
    """A text for terminals as one for a page."""
    return re.sub(r"(?<=\d) %", "\u202f%", re.sub(r"(?<=\d) us\b", " µs", text))


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
        "kept_off": losses.kept_off * SECOND if losses.counted else None,
    }

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about code that threads share: loops, sections, and a region's own."""

from __future__ import annotations

from collections.abc import Iterator

from xomp.profile.analysing import chunks
from xomp.profile.analysing.advice.facts import Facts, tell_inflated_parts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.culprits import Culprit
from xomp.profile.reading.format import Kind
from xomp.shared.text import count, digits, percent, seconds, several

_NAMES = {Kind.LOOP: "loop", Kind.SECTIONS: "sections", Kind.IMPLICIT: "region"}


def _name(facts: Facts, culprit: Culprit) -> str:
    what = _NAMES.get(culprit.kind, "region")
    return facts.profile.place(culprit.place, culprit.kind).text(what)


def uneven_loops(facts: Facts) -> Iterator[Finding]:
    loops = facts.culprits(Kind.LOOP, Kind.SECTIONS)
    shared = [*loops, *facts.split_regions[1]]
    worst = max(shared, key=lambda each: each.idle, default=None)
    if worst is None:
        return
    what, where = _NAMES.get(worst.kind, "region"), _name(facts, worst)
    parts = [(f"in the {_name(facts, each)}", each.idle) for each in shared]
    finding = Finding("imbalance", "Work is not spread evenly", where, parts)
    finding.reasons = [
        f"While some threads worked in this {what}, others had finished their part and were idle "
        f"for {facts.lost(worst.idle)}.",
        f"The busiest thread works {percent(facts.losses.imbalance)} longer than the mean "
        f"(load balance error lambda {digits(facts.losses.imbalance)}).",
    ]
    finding.advice = _evening_out(facts, worst)
    yield finding


def _evening_out(facts: Facts, worst: Culprit) -> list[str]:
    if worst.kind == Kind.SECTIONS:
        return ["Divide the largest section, or make tasks of the sections' parts."]
    if worst.kind != Kind.LOOP:
        return [
            "A loop in it that is divided beforehand (no `schedule` clause, or `static`) wants "
            "`schedule(dynamic)` or `schedule(guided)` if its iterations differ.",
            "Other code: give each thread an equal part, or make tasks of the parts.",
        ]
    at_a_time = chunks.usual(facts.profile.spans, worst.place)
    if at_a_time > 1:
        return [
            f"Its usual chunk has {count(at_a_time)} iterations: smaller ones, by the second "
            "number of the `schedule` clause, leave something to share at the end."
        ]
    if at_a_time == 1:
        return [
            "Its iterations are handed out one by one: divide those that are larger than others, "
            "or begin with them."
        ]
    return [
        "Iterations of different length want `schedule(dynamic)` or `schedule(guided)`, or a "
        "`taskloop`; if it is a fixed part that is larger, divide it."
    ]


def fine_chunks(facts: Facts) -> Iterator[Finding]:
    found = facts.chunks
    if found is None:
        return
    where = facts.profile.place(found.place, Kind.LOOP).text("loop")
    inflated = 0.0 if facts.fine else facts.inflated_parts
    parts = [
        ("to hand them out", found.cost),
        ("that their code took longer than on one thread", inflated),
    ]
    finding = Finding("fine-chunks", "Chunks of a loop are too small", where, parts)
    each = found.cost / found.count
    finding.reasons = [
        f"{several(found.count, 'chunk')} of {several(found.iterations, 'iteration')}, "
        f"{seconds(found.work / found.count)} each on average; to hand one out takes "
        f"{seconds(each)}, its record included, {facts.lost(found.cost)} in all.",
    ]
    if inflated:
        tell_inflated_parts(finding, facts, "chunks")
    finding.advice = [
        "Hand out more iterations at a time, by the second number of `schedule(dynamic, n)`: "
        f"chunks of some {seconds(10 * each)} would bring the cost below 10 %.",
        "Iterations that are all alike want no handing out: `schedule(static)`.",
    ]
    yield finding

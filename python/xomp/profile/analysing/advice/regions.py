# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about regions: what is between them, how short they are, how often threads meet in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xomp.profile.analysing import barriers
from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import DOMINANT, SHORT_REGION
from xomp.profile.analysing.culprits import BEHIND_ALL
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.format import Kind
from xomp.shared.text import percent, seconds, several

_BETWEEN = "while it began and ended regions"
_FEWER_REGIONS = (
    "Open one region around the loop, with `omp for` inside, instead of one in each turn."
)


def serial_section(facts: Facts) -> Iterator[Finding]:
    profile = facts.profile
    outside = sum(each.alone for each in facts.culprits(Kind.THREAD))
    inside = max(facts.split_regions[0], key=lambda each: each.alone, default=None)
    in_regions = sum(each.alone for each in facts.split_regions[0])
    others = facts.threads - 1
    making = facts.production + (facts.fine_production if facts.only_makes else 0.0)
    in_regions_lost = max(0.0, in_regions * others - making)
    stretches = profile.serial_stretches
    between = facts.between_regions
    if facts.short_regions:  # which are a cause by themselves
        outside -= between / others if others else 0.0
        between = 0.0
    lost = outside * others + in_regions_lost
    if lost <= 0:
        return
    alone = outside + (in_regions_lost / others if others else 0.0)
    parts = [(_before(profile, place), length * others) for place, length in stretches]
    parts.append((_BETWEEN, between))
    parts.append(("in code of regions", in_regions_lost))
    reasons = [
        f"For {seconds(alone)}, {percent(alone / facts.losses.elapsed)} of the elapsed time, one "
        "thread worked and the others had nothing to do."
    ]
    where = ""
    if outside * others >= in_regions_lost:
        where = max(parts[:-1], key=lambda part: part[1])[0]
        asleep = min(alone, facts.losses.asleep_outside)
        if asleep >= DOMINANT * alone:
            yield _asleep(where, parts, reasons, asleep)
            return
    elif inside is not None:
        where = facts.region_code(inside)
        reasons.append(f"{seconds(inside.alone)} of it in the {where}.")
    finding = Finding("serial-section", "A part runs on one thread", where, parts, reasons)
    if where == _BETWEEN:
        finding.advice = [_FEWER_REGIONS]
        yield finding
        return
    finding.advice = [
        "Make this part parallel, or do it while something else runs (as a task, beside others): "
        f"as it is, the program takes these {seconds(alone)} with any number of threads.",
    ]
    yield finding


def _asleep(where: str, parts: list, reasons: list[str], asleep: float) -> Finding:
    """It is alone, and computes nothing: more threads would not shorten it."""
    finding = Finding("asleep", "One thread sleeps, and the others wait", where, parts, reasons)
    finding.reasons.append(
        f"It slept for {seconds(asleep)} in the program's own code: it waited for files, other "
        "processes, or a time."
    )
    finding.advice = [
        "Find out what it waits for (`strace -f -T` names the calls that take long): more threads "
        "do not shorten it.",
        "Wait while something else is computed: read the next part in a task beside this one's "
        "work, and write results in one.",
    ]
    return finding


def _before(profile: Profile, region: int) -> str:
    if region == BEHIND_ALL:
        return "behind the last parallel region"
    if not region:
        return "before the parallel region in which it ended"
    return "before the " + profile.place(region, Kind.REGION).text("parallel region")


def short_regions(facts: Facts) -> Iterator[Finding]:
    profile, losses = facts.profile, facts.losses
    if not facts.short_regions:
        yield from _frequent_barriers(facts)
        return
    length = losses.elapsed / profile.regions
    states = losses.by_state
    parts = [
        ("to begin and end them", float(states[State.FORK])),
        ("to come to barriers and leave them", float(states[State.SCHEDULE])),
        ("in which the others waited for who did", facts.between_regions),
        ("in which all waited", profile.blame.nobody),
    ]
    bodies = profile.spans.indices(Kind.REGION)
    places, number = np.unique(profile.spans.column("place")[bodies], return_counts=True)
    place = profile.place(int(places[number.argmax()]), Kind.REGION)
    finding = Finding(
        "short-regions", "Parallel regions are too short", place.text("region"), parts
    )
    finding.reasons = [f"{several(profile.regions, 'region')}, one each {seconds(length)}."]
    finding.advice = [_FEWER_REGIONS]
    yield finding


def _frequent_barriers(facts: Facts) -> Iterator[Finding]:
    """Threads meet at barriers, and nobody has anything to do, more often than it is worth."""
    profile = facts.profile
    found = barriers.inside_regions(profile.spans, facts.losses.waits)
    if not found.rounds or found.between >= SHORT_REGION:
        return
    parts = [
        ("to come to them and leave them", found.cost),
        ("in which all waited", min(profile.blame.nobody, found.waited)),
    ]
    where = profile.place(found.place, Kind.BARRIER).text("barrier")
    finding = Finding("frequent-barriers", "Threads meet too often", where, parts)
    finding.reasons = [
        f"{several(found.rounds, 'barrier')} inside of regions, the implicit ones behind loops and "
        f"`single` included, one each {seconds(found.between)}."
    ]
    finding.advice = [
        "Leave out barriers that nothing needs (`nowait`), and make one loop of several.",
        "Do more between two barriers: so little work is as fast on fewer threads.",
    ]
    yield finding

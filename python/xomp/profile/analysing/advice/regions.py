# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about regions: what is between them, how short they are, how often threads meet in them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xomp.profile.analysing import barriers
from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import DOMINANT, SHORT_REGION
from xomp.profile.analysing.spans import State
from xomp.profile.analysing.summary import Profile
from xomp.profile.reading.format import Kind
from xomp.shared.text import percent, seconds, several


def serial_section(facts: Facts) -> Iterator[Finding]:
    profile = facts.profile
    outside = sum(each.alone for each in facts.culprits(Kind.THREAD))
    inside = max(facts.split_regions[0], key=lambda each: each.alone, default=None)
    in_regions = sum(each.alone for each in facts.split_regions[0])
    others = facts.threads - 1
    making = facts.production + (facts.fine_production if facts.only_makes else 0.0)
    in_regions_lost = max(0.0, in_regions * others - making)
    lost = outside * others + in_regions_lost
    if lost <= 0:
        return
    alone = outside + (in_regions_lost / others if others else 0.0)
    evidence = [
        f"For {seconds(alone)}, {percent(alone / facts.losses.elapsed)} of the elapsed time, one "
        "thread worked and the others had nothing to do."
    ]
    where = ""
    if outside * others >= in_regions_lost:
        stretches = profile.serial_stretches
        if stretches:
            where = _before(profile, stretches[0][0])
        for place, length in stretches[:3]:
            evidence.append(f"{seconds(length)} {_before(profile, place)}.")
        asleep = min(alone, facts.losses.asleep)
        if asleep >= DOMINANT * alone:
            evidence.append(
                f"It slept for {seconds(asleep)} in the program's own code: it waited for files, "
                "other processes, or a time."
            )
    elif inside is not None:
        where = facts.region_code(inside)
        evidence.append(f"{seconds(inside.alone)} of it in the {where}.")
    finding = Finding("serial-section", "A part runs on one thread", where, lost, evidence)
    finding.advice = [
        "Make this part parallel, or do it while something else runs (as a task, beside others): "
        f"as it is, the program takes these {seconds(alone)} with any number of threads.",
    ]
    yield finding


def _before(profile: Profile, region: int) -> str:
    if not region:
        return "behind the last parallel region"
    return "before the " + profile.place(region, Kind.REGION).text("parallel region")


def short_regions(facts: Facts) -> Iterator[Finding]:
    profile, losses = facts.profile, facts.losses
    if not profile.regions or facts.tasks.count >= profile.regions * facts.threads:
        return
    length = losses.elapsed / profile.regions
    if length >= SHORT_REGION:
        yield from _frequent_barriers(facts)
        return
    states = losses.by_state
    spent = float(states[State.FORK] + states[State.SCHEDULE]) + profile.blame.nobody
    bodies = profile.spans.indices(Kind.REGION)
    places, number = np.unique(profile.spans.column("place")[bodies], return_counts=True)
    place = profile.place(int(places[number.argmax()]), Kind.REGION)
    finding = Finding(
        "short-regions", "Parallel regions are too short", place.text("region"), spent
    )
    finding.evidence = [
        f"{several(profile.regions, 'region')}, one each {seconds(length)}; to begin and end them, "
        f"and to wait at barriers, takes {facts.lost(spent)}."
    ]
    finding.advice = [
        "Open one region around the loop, with `omp for` inside, instead of one in each turn."
    ]
    yield finding


def _frequent_barriers(facts: Facts) -> Iterator[Finding]:
    """Threads meet at barriers, and nobody has anything to do, more often than it is worth."""
    profile = facts.profile
    found = barriers.inside_regions(profile.spans, facts.losses.waits)
    if not found.rounds or found.between >= SHORT_REGION:
        return
    spent = min(profile.blame.nobody, found.waited) + found.cost
    where = profile.place(found.place, Kind.BARRIER).text("barrier")
    finding = Finding("frequent-barriers", "Threads meet too often", where, spent)
    finding.evidence = [
        f"{several(found.rounds, 'barrier')} inside of regions, the implicit ones behind loops and "
        f"`single` included, one each {seconds(found.between)}; to come to them and to wait while "
        f"nobody works takes {facts.lost(spent)}."
    ]
    finding.advice = [
        "Leave out barriers that nothing needs (`nowait`), and make one loop of several.",
        "Do more between two barriers: so little work is as fast on fewer threads.",
    ]
    yield finding

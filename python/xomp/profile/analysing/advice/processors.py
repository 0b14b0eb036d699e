# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about processors: others had them, or there are fewer than threads."""

from __future__ import annotations

from collections.abc import Iterator

from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import MANY_RECORDS
from xomp.shared.text import several


def kept_off(facts: Facts) -> Iterator[Finding]:
    losses, waiting = facts.losses, facts.profile.blame.kept_off
    if not losses.counted:
        return
    whole = losses.kept_off + waiting
    own = 1 - facts.locked_out / whole if whole else 1.0
    parts = [
        ("in which threads had no processor", own * losses.kept_off),
        ("in which others were idle meanwhile, and waited for them", own * waiting),
    ]
    finding = Finding("kept-off", "Others had the processors", "", parts)
    finding.reasons = [
        "They had something to do, and no processor to do it on. This is no part of the work, nor "
        "of the overhead."
    ]
    if facts.locked_out:
        finding.reasons.append(
            f"{facts.lost(facts.locked_out)} more belong to a lock, which is a cause by itself."
        )
    if facts.crowded:
        blame_number_of_threads(finding, facts)
    else:
        finding.advice = [
            "Measure while no other program has much to do: the times of this run say little. In a "
            "container or a batch job, ask for as many processors as there are threads.",
        ]
        if len(facts.profile.log.events) >= MANY_RECORDS * losses.elapsed:
            finding.advice.append(
                "Where every processor has a thread, a part may be the log: "
                f"{several(len(facts.profile.log.events), 'record')} were written while the "
                "program ran."
            )
    yield finding


def blame_number_of_threads(finding: Finding, facts: Facts) -> None:
    finding.cause, finding.title = "crowded", "More threads than processors"
    finding.reasons.append(
        f"{facts.threads} threads share {several(facts.processors, 'processor')}."
    )
    finding.advice = [_fewer_threads(facts)]


def _fewer_threads(facts: Facts) -> str:
    """What makes them so many: several regions at a time, the program, or the environment."""
    if 0 < facts.largest_team <= facts.processors:
        return (
            f"No region has more than {several(facts.largest_team, 'thread')}, but several are "
            "there at a time: regions within regions want fewer threads each (`num_threads`), or "
            "none of their own (`OMP_MAX_ACTIVE_LEVELS=1`)."
        )
    first = facts.setting("OMP_NUM_THREADS").partition(",")[0]
    if first.isdigit() and int(first) <= facts.processors:
        return (
            "The program itself asks for them (`num_threads`, `omp_set_num_threads`): leave that "
            "out, and there are as many as processors."
        )
    return f"Use `OMP_NUM_THREADS={facts.processors}`, or leave it unset."

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules about processors: others had them, or there are fewer than threads."""

from __future__ import annotations

from collections.abc import Iterator

from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import MANY_RECORDS, WORTH_TELLING
from xomp.shared.text import several


def kept_off(facts: Facts) -> Iterator[Finding]:
    losses, waiting = facts.losses, facts.profile.blame.kept_off
    if not losses.counted:
        return
    lost = losses.kept_off + waiting - facts.locked_out
    finding = Finding("kept-off", "Others had the processors", "", lost)
    finding.evidence = [
        f"For {facts.lost(losses.kept_off)} threads had something to do, and no processor to do it "
        "on. This is no part of the work, nor of the overhead."
    ]
    if waiting >= WORTH_TELLING * losses.total:
        finding.evidence.append(
            f"Others were idle for {facts.lost(waiting)} meanwhile, and waited for them."
        )
    if facts.locked_out:
        finding.evidence.append(
            f"{facts.lost(facts.locked_out)} of it belong to a lock, which is a cause by itself."
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
    finding.evidence.append(
        f"{facts.threads} threads share {several(facts.processors, 'processor')}."
    )
    finding.advice = [f"Use `OMP_NUM_THREADS={facts.processors}`, or leave it unset."]

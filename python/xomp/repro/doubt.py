# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which claims cannot be made here, whatever the numbers say: of two configurations that are the
same, and of times by too few rounds, of too short runs, or on a busy machine."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from xomp.repro.model import Claim, Result
from xomp.repro.plan import Plan

ENOUGH_ROUNDS = 5
SAME = "the two are the same here"


def busy(head: dict) -> bool:
    """Whether other programs took more than half of the processors when the run began."""
    return head["load"] > head["processors"] / 2


def reason(
    claim: Claim, plan: Plan, head: dict, same: Collection[frozenset[str]] = ()
) -> str | None:
    """Why nothing can be concluded. Two or three rounds have an interval, but one that means
    nothing; the runs of size test are too short to be timed; on a busy machine other programs take
    the processors from one run, and from one thread, more than from another. Counts are not
    concerned by all this."""
    if frozenset(claim.of) in same:
        return SAME
    if claim.counts:
        return None
    if busy(head):
        return "on a busy machine"
    if plan.rounds < ENOUGH_ROUNDS:
        return "too few rounds"
    return "size test" if plan.size == "test" else None


def cautious(
    result: Result, plan: Plan, head: dict, same: Collection[frozenset[str]] = ()
) -> Result:
    """The same, with the claims that cannot be made left open."""
    claims = []
    for claim in result.claims:
        why = reason(claim, plan, head, same)
        if claim.holds is None and why != SAME:
            why = None  # it is left open by what was measured
        text = f"{claim.evidence} ({why})"
        claims.append(replace(claim, holds=None, evidence=text) if why else claim)
    return replace(result, claims=claims)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a run lost time, and what to do about it: every rule is listed here.

A rule may tell one of several causes (`short_regions` also `frequent-barriers`). It explains a
part of the lost time (overhead, idle time, work time inflation) and claims it, in seconds of a
thread. The causes are told in the order of what they claim. Idle time is divided first by what ran
meanwhile (blame.py), so that no two rules claim the same of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xomp.profile.analysing.advice import data, locks, loops, processors, regions, tasks
from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.advice.thresholds import WORTH_TELLING
from xomp.profile.analysing.summary import Profile

__all__ = ["Finding", "findings"]


def findings(profile: Profile) -> list[Finding]:
    """The causes, what explains most first; none where all is well."""
    if not profile.losses.total:
        return []
    found = [finding for rule in RULES for finding in rule(Facts(profile))]
    taken = profile.losses.kept_off + profile.blame.kept_off
    least = WORTH_TELLING * max(0.0, profile.losses.total - taken)
    return sorted((each for each in found if each.lost >= least), key=lambda each: -each.lost)


RULES: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    tasks.too_fine,
    tasks.one_producer,
    regions.serial_section,
    tasks.tasks_that_others_wait_for,
    loops.uneven_loops,
    loops.fine_chunks,
    data.remote_data,
    data.inflation,
    processors.kept_off,
    locks.mutex,
    regions.short_regions,
)

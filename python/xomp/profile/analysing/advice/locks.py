# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rule about locks and critical sections."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from xomp.profile.analysing.advice.facts import Facts
from xomp.profile.analysing.advice.finding import Finding
from xomp.profile.analysing.spans import State
from xomp.profile.reading.format import Kind
from xomp.shared.text import percent, seconds, several


def _waited(facts: Facts) -> dict[tuple[int, str], float]:
    """Seconds by place and name, without those in which a thread was kept off: as the states have
    it, while a wait in a log is from its begin to its end."""
    spans, waits = facts.profile.spans, facts.losses.waits
    ticks = spans.piece_ticks if waits is None else spans.piece_ticks - waits
    locked = spans.piece_state == State.MUTEX
    which = spans.piece_span[locked]
    found: dict[tuple[int, str], float] = {}
    places, index = np.unique(spans.column("place")[which], return_inverse=True)
    times = np.bincount(index, ticks[locked], len(places)) * facts.profile.rate
    for place, value in zip(places.tolist(), times.tolist(), strict=True):
        name = next((each.name for each in facts.profile.mutexes if each.place == place), "lock")
        found[place, name] = value
    return found


def mutex(facts: Facts) -> Iterator[Finding]:
    waits = facts.profile.mutexes
    lost = float(facts.losses.by_state[State.MUTEX]) + facts.locked_out
    if not waits or not lost:
        return
    lock, share = facts.bottleneck
    worst = next((each for each in waits if each.address == lock), waits[0])
    where = facts.profile.place(worst.place, Kind.MUTEX_WAIT).text(worst.name)
    parts = [
        (f"at the {facts.profile.place(place, Kind.MUTEX_WAIT).text(name)}", value)
        for (place, name), value in _waited(facts).items()
    ]
    parts.append(("in which threads without a processor could not have got it", facts.locked_out))
    finding = Finding("mutex", "Threads wait for a lock", where, parts)
    finding.reasons = [
        f"{several(worst.count, 'time')} a thread asked for it here; "
        f"{percent(worst.contended / max(1, worst.count))} of them another held it. The wait was "
        f"{seconds(worst.waited / max(1, worst.count))} on average, {seconds(worst.longest)} at "
        "most.",
    ]
    if worst.held:
        busy = share or min(1.0, worst.held / facts.losses.elapsed)
        finding.reasons.append(
            f"It was held {percent(busy)} of the elapsed time" + ("." if share else " from here.")
        )
    if facts.locked_out:
        finding.reasons.append(
            f"For {facts.lost(facts.locked_out)} others had no processor or waited for those, and "
            "could have done little with one: threads that take turns often share a processor."
        )
    finding.advice = [
        "Do less inside: compute before, and enter only to store the result.",
        "Use a `reduction` or `task_reduction` for sums, `atomic` for single updates, or one lock "
        "for each part of the data.",
    ]
    yield finding

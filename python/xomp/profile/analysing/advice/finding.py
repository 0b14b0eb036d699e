# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rule tells: a cause of lost time."""

from __future__ import annotations

from dataclasses import dataclass, field

from xomp.shared.text import seconds

MOST_PARTS = 4
LITTLE = 0.02  # of a cause: a part that is told with the others


@dataclass
class Finding:
    """One cause. What it lost is the sum of its parts, so that what is told adds up."""

    cause: str
    title: str
    where: str  # the place in the source; "": the whole program
    parts: list[tuple[str, float]]  # where, or with what; seconds of threads
    reasons: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)

    @property
    def lost(self) -> float:
        """Seconds of threads."""
        return sum(value for _, value in self.parts)

    @property
    def evidence(self) -> list[str]:
        """The reasons, and first of what the lost time consists, where it is of several parts."""
        told = self._told()
        if len(told) < 2 or told[0][1] >= (1 - LITTLE) * self.lost:
            return self.reasons
        words = "; ".join(f"{seconds(value)} {what}" for what, value in told)
        return [f"These {seconds(self.lost)} are {words}.", *self.reasons]

    def _told(self) -> list[tuple[str, float]]:
        known = sorted((each for each in self.parts if each[1]), key=lambda each: -each[1])
        told = [each for each in known[:MOST_PARTS] if each[1] >= LITTLE * self.lost]
        rest = self.lost - sum(value for _, value in told)
        return [*told, ("of other parts", rest)] if rest >= LITTLE * self.lost else told

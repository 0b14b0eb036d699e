# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a rule tells: a cause of lost time."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Finding:
    """One cause."""

    cause: str
    title: str
    where: str  # the place in the source; "": the whole program
    lost: float  # seconds of threads
    evidence: list[str] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)

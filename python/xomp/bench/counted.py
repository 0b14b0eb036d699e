# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that callgrind counted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counted:
    """Instructions per construct or task by (object, function), on one runtime."""

    what: str
    runtime: str
    program: Path
    costs: dict[tuple[str, str], float]

    @property
    def total(self) -> float:
        return sum(self.costs.values())

    @property
    def outside(self) -> float:
        """Without the program's own code: the runtime's, and the C library's."""
        own = f"/{self.program.name}"
        return sum(cost for (where, _), cost in self.costs.items() if not where.endswith(own))

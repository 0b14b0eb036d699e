# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What real_programs.py runs and compares, for each program."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Job:
    """A command, and the files of its folder whose content must not depend on the runtime."""

    name: str
    command: tuple[str, ...]
    outputs: tuple[str, ...] = ("stdout",)
    sort: bool = False  # the order of lines is the threads' business
    keep: str = ""  # compare only lines that match this, or its group, if it has one
    hangs: bool = False  # known to hang on libgomp: one round
    limit: float = 120
    variables: dict[str, str] = field(default_factory=dict)

    def digest(self, work: Path) -> str:
        total = hashlib.sha256()
        for pattern in self.outputs:
            for file in sorted(work.glob(pattern)):
                data = file.read_bytes()
                lines = data.splitlines(keepends=True)
                if self.keep:
                    found = (re.search(self.keep.encode(), line) for line in lines)
                    lines = [
                        match[1] if match.re.groups else match.string for match in found if match
                    ]
                total.update(b"".join(sorted(lines) if self.sort else lines))
                total.update(b"%d lines" % len(lines))
        return total.hexdigest()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far a report is, and how long the rest will take: a bar on a terminal, else a line now and
then, on standard error."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType

from xomp.errors import tell
from xomp.shared import progress
from xomp.shared.text import percent

QUIET_SECONDS = 5.0  # between two lines where there is no terminal
KNOWN_AFTER = 1.0  # seconds, and
KNOWN_SHARE = 0.03  # this much done, before the rest can be guessed
FINE = 1000  # a bar's steps


class Progress:
    """Of steps with a name and a weight each, which are taken in their order."""

    def __init__(self, command: str, steps: Sequence[tuple[str, float]]) -> None:
        self._command = command
        self._names = [name for name, _ in steps]
        total = sum(weight for _, weight in steps) or 1.0
        self._shares = [weight / total for _, weight in steps]
        self._at, self._within = -1, 0.0
        self._began = self._told = time.monotonic()
        self._left: float | None = None
        self._pause = progress.Pause(QUIET_SECONDS)
        self._bar = progress.bar(self._columns, transient=True)
        self._task = None

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=FINE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def step(self, name: str) -> None:
        """Begins the next step of this name; those before it are done."""
        if name in self._names[self._at + 1 :]:
            self._at = self._names.index(name, self._at + 1)
            self._within = 0.0
            self._tell()

    def share(self, done: float) -> None:
        """So much of this step is done, of 1."""
        self._within = done
        self._tell()

    @property
    def done(self) -> float:
        """Of 1."""
        here = self._shares[self._at] if self._at >= 0 else 0.0
        return sum(self._shares[: max(0, self._at)]) + here * self._within

    def _tell(self) -> None:
        now, done = time.monotonic(), self.done
        self._told = now
        passed = now - self._began
        known = passed >= KNOWN_AFTER and done >= KNOWN_SHARE
        self._left = passed / done * (1 - done) if known else None
        name = self._names[self._at]
        if self._bar is not None:
            self._bar.update(self._task, completed=FINE * done, description=name)
        elif self._pause.is_over:
            self._pause.begin()
            left = self.left()
            tell(self._command, f"{percent(done)}: {name}{'; ' if left else ''}{left}")

    def left(self) -> str:
        """In words; "" as long as it cannot be guessed."""
        if self._left is None:
            return ""
        seconds = max(1, round(self._left - (time.monotonic() - self._told)))
        return f"some {seconds} s left" if seconds < 100 else f"some {seconds / 60:.0f} min left"

    def _columns(self, rich):
        work = self

        class Left(rich.ProgressColumn):
            def render(self, task):
                return work.left()

        return (
            rich.TextColumn("{task.description}"),
            rich.BarColumn(bar_width=20),
            rich.TaskProgressColumn(),
            Left(),
        )

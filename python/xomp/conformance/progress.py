# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows how far a phase is: a rich bar with counts on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from xomp.shared.progress import Pause, bar

_PLAIN_INTERVAL = 15.0


class Progress:
    """One phase at a time; everything goes to standard error."""

    def __init__(self, quiet: bool = False) -> None:
        self._quiet = quiet
        self._counts: Counter[str] = Counter()
        self._title = ""
        self._total = 0
        self._bar: Any = None
        self._task: Any = None
        self._pause = Pause(_PLAIN_INTERVAL)

    @contextmanager
    def phase(self, title: str, total: int) -> Iterator[None]:
        self._title, self._total = title, total
        self._counts.clear()
        self._pause.begin()
        self._bar = None if self._quiet else bar(_columns)
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(title, total=total, counts="")
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None
            elif not self._quiet:
                self._plain("")

    def advance(self, word: str, name: str) -> None:
        self._counts[word] += 1
        if self._bar is not None:
            self._bar.update(self._task, advance=1, counts=self._told(name))
        elif not self._quiet and self._pause.is_over:
            self._plain(name)

    def note(self, text: str) -> None:
        """One line that stays, such as a failure."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
        elif not self._quiet:
            print(text, file=sys.stderr, flush=True)

    def _told(self, name: str) -> str:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(self._counts.items()))
        return f"{counts}  {name}"

    def _plain(self, name: str) -> None:
        self._pause.begin()
        done = sum(self._counts.values())
        line = f"{self._title} {done}/{self._total}: {self._told(name)}"
        print(line.rstrip(), file=sys.stderr, flush=True)


def _columns(rich: ModuleType) -> tuple:
    return (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn("{task.fields[counts]}"),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows how far a benchmark is: a bar on a terminal with rich, otherwise a line now and then."""

from __future__ import annotations

import sys
import time

from xomp.bench.run import Job

QUIET_SECONDS = 10.0  # between two lines where there is no terminal


class Progress:
    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.last_line = time.monotonic()
        self.bar = self.task = None

    def __enter__(self) -> Progress:
        try:
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar
        except ImportError:
            return self
        if sys.stderr.isatty():
            from rich.console import Console

            columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            described = TextColumn("{task.description}")
            self.bar = Bar(*columns, described, console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, job: Job) -> None:
        """A job is about to run."""
        words = (job.program.name, *job.arguments, "on", job.runtime.label)
        text = f"{' '.join(words)}, {job.threads} threads"
        if self.bar is not None:
            self.bar.update(self.task, completed=self.done, description=text)
        elif time.monotonic() - self.last_line > QUIET_SECONDS:
            print(f"  run {self.done + 1} of at most {self.total}: {text}", file=sys.stderr)
            self.last_line = time.monotonic()
        self.done += 1

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far something is, on standard error: a bar on a terminal with rich, else a line now and then.
What the bar and the lines say is the command's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any


def bar(columns: Callable[[ModuleType], Iterable], **more: Any) -> Any:
    """A bar with the columns that are made of `rich.progress`; None without a terminal or rich."""
    if not sys.stderr.isatty():
        return None
    try:
        from rich import progress
        from rich.console import Console
    except ImportError:
        return None
    return progress.Progress(*columns(progress), console=Console(stderr=True), **more)


class Pause:
    """Between two lines where there is no terminal."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.begin()

    def begin(self) -> None:
        self.began = time.monotonic()

    @property
    def is_over(self) -> bool:
        return time.monotonic() - self.began > self.seconds

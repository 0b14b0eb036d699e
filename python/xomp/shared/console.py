# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where tables and sentences for people go. On a terminal they are as wide as that; what is not
read on one is searched, so nothing is cut or wrapped there, and no blanks only fill a line."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH = 400  # columns


@contextmanager
def output(width: int = PIPED_WIDTH) -> Iterator[Console]:
    """The console to print on; `width` is that of what is not read on a terminal."""
    from rich.console import Console

    if sys.stdout.isatty():
        yield Console()
        return
    text = io.StringIO()
    yield Console(file=text, width=width)
    for line in text.getvalue().splitlines():
        print(line.rstrip())

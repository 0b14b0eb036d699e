# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the full command line."""

from __future__ import annotations

from collections.abc import Sequence

from xomp.cli.commands import root


def main(arguments: Sequence[str]) -> int:
    """The exit status. What was typed is the context's `obj`: results say how they were made."""
    words = list(arguments)
    return root().main(words, prog_name="xomp", standalone_mode=False, obj=tuple(words)) or 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ends a command of the harness early; the message is one clear line."""

from __future__ import annotations

from xomp.errors import BadInputError, CommandError

__all__ = ["BadInputError", "BuildError", "MissingRuntimeError", "MissingToolError"]


class BuildError(CommandError):
    """A program that cannot be built."""


class MissingToolError(BuildError):
    """A program that this machine cannot build: a compiler or a package is not installed."""


class MissingRuntimeError(CommandError):
    """A runtime that this machine does not have; the message says what to do."""

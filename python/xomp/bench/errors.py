# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ends a command early; the message is one clear line."""

from __future__ import annotations


class BadInputError(Exception):
    """Something asked for that does not exist or cannot be read: exit status 2."""


class BuildError(Exception):
    """A program that cannot be built."""


class MissingToolError(BuildError):
    """A program that this machine cannot build: a compiler or a package is not installed."""


class MissingRuntimeError(Exception):
    """A runtime that this machine does not have; the message says what to do."""

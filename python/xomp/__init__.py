# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools around libxomp, and what a Python program may ask of it: `use`, `in_use`.

The project's version stands here alone; CMake and the package metadata read it from this file.
"""

__version__ = "0.1.0"


def use() -> None:
    """Makes xomp the OpenMP runtime of this Python program. To be called at its top.

    The loader takes a library in front of all others only when a program starts. So the
    interpreter is started again, with the same arguments and the same process number, and this
    call returns there at once. One line on standard error says so. On xomp already, as under
    `xomp run`, it does nothing.

    Raises RuntimeError, with what to do instead, where it is too late (another OpenMP runtime is
    loaded, or other threads run), or where there is nothing to start again (a notebook, an
    interactive session, a program on standard input, a child of fork).
    """
    _restart().use()


def in_use() -> bool:
    """Whether the OpenMP calls of this process go to xomp."""
    return _restart().in_use()


def _restart():
    from importlib import import_module  # `xomp run`, which needs none of this, imports no more

    return import_module("xomp.restart")

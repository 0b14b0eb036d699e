# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory for columns of millions of numbers: what one gave back is kept for the next."""

from __future__ import annotations

import ctypes

# Of mallopt in <malloc.h>.
_TRIM_THRESHOLD, _TOP_PAD, _MMAP_MAX = -1, -2, -4
_KEPT = (1 << 31) - 1  # bytes at the heap's end that are not given back
_AT_A_TIME = 1 << 26  # bytes


def keep() -> None:
    """The C library gives each large array back to the system, which has to clear the pages of the
    next one again: a third of a large report's time. Elsewhere than with glibc nothing changes."""
    try:
        tune = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    for option, value in ((_MMAP_MAX, 0), (_TRIM_THRESHOLD, _KEPT), (_TOP_PAD, _AT_A_TIME)):
        tune(option, value)

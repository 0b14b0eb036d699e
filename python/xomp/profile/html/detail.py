# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The spans that the page draws: all of a log, or where these are too many, the short ones merged.

What is merged: the spans within a short one are left out, and of short neighbours that are alike
one is shown from the first one's begin to the last one's end. How short is short follows from the
number of spans that a page can hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST = 3_000_000  # what a browser opens in a second or two


@dataclass(frozen=True)
class Detail:
    """Chosen spans, in their order; each stands for `times` of its kind until `end`."""

    chosen: np.ndarray
    end: np.ndarray
    times: np.ndarray
    short: int  # spans of less than this are merged; 0: none


def choose(
    begin: np.ndarray, end: np.ndarray, parent: np.ndarray, alike: np.ndarray, most: int = MOST
) -> Detail:
    """Of spans by track and begin, outer ones first; `alike` is the same number for like ones."""
    if len(begin) <= most:
        everything = np.arange(len(begin))
        return Detail(everything, end, np.ones(len(begin), dtype=np.int64), 0)
    length = end - begin
    short = int(np.median(length)) + 1
    while True:
        found = _merged(begin, end, parent, alike, short)
        if len(found.chosen) <= most or short > length.max():
            return found
        short *= 2


def _merged(
    begin: np.ndarray, end: np.ndarray, parent: np.ndarray, alike: np.ndarray, short: int
) -> Detail:
    brief = end - begin < short
    within_brief = brief[parent] & (parent >= 0)
    chosen = np.flatnonzero(~within_brief)
    like = brief[chosen[1:]] & brief[chosen[:-1]]
    like &= parent[chosen[1:]] == parent[chosen[:-1]]
    like &= alike[chosen[1:]] == alike[chosen[:-1]]
    like &= begin[chosen[1:]] - end[chosen[:-1]] < short
    first = np.flatnonzero(np.append(True, ~like))
    last = np.append(first[1:], len(chosen)) - 1
    times = np.diff(np.append(first, len(chosen)))
    return Detail(chosen[first], end[chosen[last]], times, short)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code of each task as one row, without what lies between its parts."""

from __future__ import annotations

import numpy as np

from xomp.profile.analysing.spans import Spans, State, starts


class OwnCode:
    """What each owner of code executed itself: its work, and the creation of tasks.

    A moment in it is told in ticks since its begin, waits and other tasks left out.
    """

    def __init__(self, spans: Spans) -> None:
        states = np.zeros(len(State), dtype=bool)
        states[[State.WORK, State.CREATE]] = True
        counted = np.flatnonzero(states[spans.piece_state])
        owners = spans.owner[spans.piece_span[counted]]
        order = np.argsort(owners, kind="stable")
        pieces = counted[order]  # by owner, and in their order
        self._width = len(spans.piece_span) + 1
        self._keys = owners[order].astype(np.int64) * self._width + pieces
        ticks = spans.piece_ticks[pieces]
        self._total = np.concatenate([[0], np.cumsum(ticks)])  # before each piece
        edges = starts(owners, len(spans))
        self._start = self._total[edges[:-1]]  # of each owner
        self.ticks = self._total[edges[1:]] - self._start

    def offsets(self, owners: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """How much of their own code the owners had executed before these pieces."""
        at = np.searchsorted(self._keys, owners.astype(np.int64) * self._width + pieces)
        return self._total[at] - self._start[owners]

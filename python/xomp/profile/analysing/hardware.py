# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the processors' own counters counted, where there are any."""

from __future__ import annotations

import numpy as np

from xomp.profile.reading.format import Kind
from xomp.profile.reading.log import Log


def totals(log: Log) -> dict[str, int]:
    """By the counter's name, of all threads. A counter begins anew with each thread of a track."""
    records = log.of(Kind.HARDWARE)
    found = {}
    for number, name in log.hardware.items():
        rows = records[records["task"] == number]
        values = rows["other"].astype(np.int64)
        new = np.ones(len(rows), dtype=bool)
        new[1:] = (rows["track"][1:] != rows["track"][:-1]) | (values[1:] < values[:-1])
        found[name] = int(np.where(new, values, np.diff(values, prepend=0)).sum())
    return found

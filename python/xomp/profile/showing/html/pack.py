# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers as few bytes, for a page that carries its data with it: varints, deflate, base64."""

from __future__ import annotations

import base64
import zlib

import numpy as np

LEVEL = 4  # of deflate: the higher ones take three times as long for a tenth fewer bytes


def varints(values: np.ndarray) -> bytes:
    """Whole numbers from 0 on, in groups of 7 bits from the lowest; all but the last have bit 7."""
    values = np.asarray(values, dtype=np.uint64)
    most = int(values.max(initial=0))
    if most < 128:
        return values.astype(np.uint8).tobytes()
    length = np.ones(len(values), dtype=np.int8)
    for shift in range(7, most.bit_length(), 7):
        length += values >= np.uint64(1 << shift)
    at = np.cumsum(length, dtype=np.int64)
    packed = np.empty(int(at[-1]), dtype=np.uint8)
    at -= length
    while len(values):
        more = values > 127
        low = (values & np.uint64(127)).astype(np.uint8)
        packed[at] = low | (more.view(np.uint8) << np.uint8(7))
        values, at = values[more] >> np.uint64(7), at[more] + 1
    return packed.tobytes()


def zigzag(values: np.ndarray) -> np.ndarray:
    """Numbers of both signs as numbers from 0 on: 0, -1, 1, -2, ..."""
    values = np.asarray(values, dtype=np.int64)
    return ((values << 1) ^ (values >> 63)).astype(np.uint64)


def pack(columns: dict[str, bytes]) -> tuple[str, dict[str, list[int]]]:
    """All columns as one text, and where each stands in it: first byte and length."""
    table, at = {}, 0
    for name, data in columns.items():
        table[name] = [at, len(data)]
        at += len(data)
    data = zlib.compress(b"".join(columns.values()), LEVEL)
    return base64.b64encode(data).decode("ascii"), table

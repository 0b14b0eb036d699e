# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Waiting for the futures of a pool."""

from __future__ import annotations

import queue
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from typing import TypeVar

Result = TypeVar("Result")


def as_they_end(futures: Collection[Future[Result]]) -> Iterator[Future[Result]]:
    """Each of them once it has ended. As ``concurrent.futures.as_completed``, but that takes the
    locks of all of them first: an interruption just then leaves some locked, and the pool's threads
    wait for these for ever."""
    ended: queue.SimpleQueue[Future[Result]] = queue.SimpleQueue()
    for future in futures:
        future.add_done_callback(ended.put)
    for _ in futures:
        yield ended.get()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A busy machine: processes that do nothing but compute, beside what is measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from xomp.shared import processes

# It ends with this process, however that ends.
COMPUTE = """
import os, sys
parent = int(sys.argv[1])
while os.getppid() == parent:
    for _ in range(1000000):
        pass
"""


@contextmanager
def computing(number: int) -> Iterator[None]:
    """So many of them, each in a session of its own like what is measured: where the kernel shares
    processors among sessions (autogroup) they have the part of another user's program."""
    with ExitStack() as stack:
        for _ in range(number):
            command = [sys.executable, "-S", "-c", COMPUTE, str(os.getpid())]
            stack.callback(processes.end, processes.start(command))
        yield

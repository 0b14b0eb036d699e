# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples of a program by perf: how they are taken, read, and told apart.

The method of paper 3, section 2 (HPCToolkit there): the processor clock interrupts each thread, and
the interrupted code decides whether it was at work or in the runtime.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

KINDS = ("work", "runtime", "heap")
PERIOD = 500_000  # nanoseconds of a thread's processor time between two samples
# Functions of the C library that wait, and those that allocate. Its other functions work for the
# program: copying, say. Whether memory is wanted by the program or the runtime cannot be told.
WAITING = re.compile(r"sched_yield|syscall|pthread_|lll_lock|futex|nanosleep|tls_get_addr")
ALLOCATING = re.compile(r"^_*(GI_)*(libc_)*(int_)?(malloc|calloc|realloc|c?free|memalign|aligned_)")


class Sample(NamedTuple):
    time: float
    thread: int
    function: str
    file: str


def read_samples(text: Iterable[str]) -> Iterator[Sample]:
    """Of `perf script -F tid,time,ip,sym,dso`: when each sample was taken, in which function of
    which file; the caller's, if the thread was in the kernel."""
    head = None
    for line in text:
        words = line.split()
        if len(words) == 2 and words[1].endswith(":"):
            head = (float(words[1][:-1]), int(words[0]))
        elif len(words) > 2 and head is not None and not words[-1].startswith("([kernel"):
            yield Sample(*head, " ".join(words[1:-1]), words[-1][1:-1])
            head = None  # the callers' frames do not matter


def kind(function: str, file: str, runtime: str) -> str:
    if file == runtime or WAITING.search(function):
        return "runtime"
    return "heap" if ALLOCATING.search(function) else "work"


def recording(data: Path, command: Iterable[str]) -> list[str]:
    """The command that runs the program and writes its samples to a file. What the kernel
    compiles of BPF is none of the program's, and asking for it takes perf a second."""
    record = ["perf", "record", "-q", "--no-bpf-event", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock"]
    record += ["-c", str(PERIOD), "--call-graph", "fp", "--user-callchains", "-o", str(data)]
    return [*record, "--", *command]


def listing(data: Path, *more: str) -> list[str]:
    """The command that prints the samples of such a file."""
    return ["perf", "script", "-i", str(data), *more, "-F", "tid,time,ip,sym,dso", "--ns"]

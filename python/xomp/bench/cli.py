# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `xomp bench`. Exit status: 0; 1 if something failed or got slower; 2 for bad
input, with one line that says what; 130 when interrupted."""

from __future__ import annotations

from xomp.cli.tree import Entry, group

RUNNING, CONSTRUCTS = "Applications", "Single costs"
RESULTS, HERE = "Results", "What is here"

# Those with tables of their own, which `report` shows again.
COMPARISONS = (
    Entry(
        "fib",
        "xomp.bench.fib:fib",
        "Time per task of recursive Fibonacci without cut-off, beside the floor.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "startup",
        "xomp.bench.startup:startup",
        "Wall time and memory of a hello-world region.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "memory",
        "xomp.bench.memory:memory",
        "Memory before the first task, and while one loop creates many.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "producer",
        "xomp.bench.producer:producer",
        "Time per task of one producer's tasks, and what other threads get of them.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "locks",
        "xomp.bench.locks:locks",
        "A lock that all threads want: entries, the longest wait, the slowest thread.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "micro", "xomp.bench.micro:micro", "Overhead of each construct.", CONSTRUCTS, sources=True
    ),
    Entry(
        "recording",
        "xomp.bench.recording:recording",
        "What it costs to be recorded, on and off, and for each event.",
        CONSTRUCTS,
    ),
    Entry(
        "icount",
        "xomp.bench.icount:icount",
        "Instructions per construct and per task, counted by callgrind on one thread.",
        CONSTRUCTS,
        sources=True,
    ),
    Entry(
        "balance",
        "xomp.bench.balance:balance",
        "Makespan over ideal of uneven work, under each scheduler.",
        RUNNING,
        sources=True,
    ),
    Entry(
        "uts-efficiency",
        "xomp.bench.efficiency:efficiency",
        "Parallel efficiency of UTS against serial runs side by side, by granularity.",
        RUNNING,
        sources=True,
    ),
    Entry(
        "demo",
        "xomp.bench.demo:demo",
        "Some programs on the system's libgomp and on xomp.",
        RUNNING,
        sources=True,
    ),
)

COMMANDS = (
    Entry(
        "run",
        "xomp.bench.applications:run",
        "Applications on the runtimes, interleaved.",
        RUNNING,
        sources=True,
    ),
    Entry(
        "all",
        "xomp.bench.applications:run_all",
        "The table of all applications on all runtimes.",
        RUNNING,
        sources=True,
    ),
    Entry(
        "sweep",
        "xomp.bench.applications:run_swept",
        "As run, on many machines by Parsl.",
        RUNNING,
        sources=True,
    ),
    *COMPARISONS,
    Entry(
        "compare",
        "xomp.bench.compare:compare",
        "What got slower beyond noise between two results files; exit status 1 if anything did.",
        RESULTS,
    ),
    Entry("report", "xomp.bench.rendering:report", "Tables and plots of a results file.", RESULTS),
    Entry(
        "list",
        "xomp.bench.listing:show_list",
        "Applications, variants, sizes, parameters and runtimes; what is missing.",
        HERE,
        sources=True,
    ),
    Entry(
        "setup",
        "xomp.bench.setup:setup",
        "Install the peers; say what is missing.",
        HERE,
        sources=True,
    ),
    Entry(
        "peers",
        "xomp.bench.setup:peers",
        "Fetch Intel's libiomp5.so from PyPI.",
        HERE,
        sources=True,
    ),
)

bench = group("bench", "Compare OpenMP runtimes on small programs.", COMMANDS)

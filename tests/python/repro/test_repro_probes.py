# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the probes of `xomp repro` make of what perf, the library and the recorder tell them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from xomp.bench.run import parse
from xomp.profile.analysing.spans import State
from xomp.profile.reading.clock import Clock
from xomp.profile.showing import figures
from xomp.repro.probes import FOLDER, by_thread
from xomp.repro.probes.counted import read_counters
from xomp.repro.probes.hardware import read_counts
from xomp.repro.probes.reading import tick
from xomp.repro.probes.recorded import Leaf, summary
from xomp.repro.probes.sampled import divide
from xomp.shared import apps, runtimes
from xomp.shared.samples import KINDS, PERIOD, kind, read_samples

RUNTIME = "/lib/libgomp.so.1.0.0"
LIMIT = 240  # seconds; a busy machine takes some for what takes none otherwise

HOG = """
import os
os.sched_setaffinity(0, {{{}}})
print("here", flush=True)
while True:
    pass
"""

PERF = """\
  101    10.000500:
\tffffffff81356ddf futex_wait ([kernel.kallsyms])
\t          1098d9 __sched_yield (/usr/lib/libc.so.6)
\t    55e0b482bb40 day (/bench/health)

  102    10.001000:
\t    55e0b482bb40 admit people (/bench/health)
\t    55e0b482bb40 day (/bench/health)

  102    10.001500:
\t    7f64504717da [unknown] (/lib/libgomp.so.1.0.0)

  101    10.002000:
\t    7f64504717da _int_malloc (/usr/lib/libc.so.6)

  101    20.000000:
\t    55e0b482bb40 check (/bench/health)
"""


def test_a_sample_belongs_to_the_first_frame_outside_of_the_kernel():
    samples = list(read_samples(PERF.splitlines()))
    assert [(s.thread, s.time, s.function) for s in samples] == [
        (101, 10.0005, "__sched_yield"),
        (102, 10.001, "admit people"),
        (102, 10.0015, "[unknown]"),
        (101, 10.002, "_int_malloc"),
        (101, 20.0, "check"),
    ]


@pytest.mark.parametrize(
    ("function", "file", "expected"),
    [
        ("day", "/bench/health", "work"),
        ("memcpy", "/usr/lib/libc.so.6", "work"),
        ("cfree@GLIBC_2.2.5", "/usr/lib/libc.so.6", "heap"),
        ("__sched_yield", "/usr/lib/libc.so.6", "runtime"),
        ("day", RUNTIME, "runtime"),
    ],
)
def test_work_is_told_from_the_runtime(function, file, expected):
    assert kind(function, file, RUNTIME) == expected


def test_only_the_timed_part_counts():
    threads = divide(read_samples(PERF.splitlines()), RUNTIME, 10.0, 11.0)
    one = PERIOD * 1e-9
    assert threads == {
        101: {"work": 0.0, "runtime": one, "heap": one},
        102: {"work": one, "runtime": one, "heap": 0.0},
    }


def test_counters_are_told_by_name_or_by_their_words():
    text = """\
health: something else 12
xomp: statistics of health, process 7, 2 threads, 1 parallel region
xomp:   tasks run at once                      13880  NTASKS_IMM_EXEC
xomp:   of the deferred tasks, run by
xomp:     another worker                          97
"""
    assert read_counters(text) == {"NTASKS_IMM_EXEC": 13880, "another_worker": 97}


def test_what_cannot_be_counted_is_left_out():
    text = """\
# started on Monday

49,,page-faults,701464,100.00,,
<not supported>,,LLC-load-misses,0,100.00,,
"""
    assert read_counts(text) == {"page-faults": 49}


def test_leaves_on_unknown_nodes_are_neither_local_nor_remote():
    leaves = [Leaf(1.0, 0.5, 0, 0, 0, 0), Leaf(2.0, 0.5, 0, 0, 1, 0), Leaf(3.0, 0.5, 1, 1, -1, 0)]
    words = "recorded leaves=3 placed=2 local=1 work=1.500000 by_thread=2,1"
    assert summary(leaves) == words


def probe(name: str, label: str, *words: str, app: str = "nqueens") -> list:
    """Runs an application under a probe with two threads; the result is what both print."""
    runtime = runtimes.find(label)
    command = [FOLDER / f"{name}.py", *words, apps.build(app), "--size", "test"]
    done = subprocess.run(
        [*command, "--variant", "tied"],
        env=runtime.environment(2),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=True,
    )
    return parse(done.stdout)


def test_the_recorder_sees_the_same_leaf_tasks_on_every_runtime(library):
    recorder = str(apps.build("recorder.so"))
    counts = {}
    for label in ("libgomp", "xomp"):
        first, total, *leaves = probe("recorded", label, recorder, "0", "1000")
        assert first["ok"] == 1
        assert len(leaves) == min(total["leaves"], 5000)
        assert {leaf["thread"] for leaf in leaves} <= {0, 1}
        assert all(leaf["seconds"] >= 0 for leaf in leaves)
        assert total["work"] <= 2 * first["seconds"]
        counts[label] = total["leaves"]
    assert counts["libgomp"] == counts["xomp"] > 0


@pytest.mark.skipif(shutil.which("perf") is None, reason="perf is not installed")
@pytest.mark.skipif(os.geteuid() != 0, reason="perf may not be allowed to sample")
def test_samples_are_those_of_the_timed_part_by_thread(library):
    runtime = runtimes.find("xomp")
    arguments = [str(runtime.library)]
    app, total, threads = probe("sampled", "xomp", *arguments, app="health")
    step = PERIOD * 1e-9
    for name in KINDS:
        parts = [float(part) for part in str(threads[name]).split(",")]
        assert 1 <= len(parts) <= 2
        assert sum(parts) == pytest.approx(total[name], abs=1e-5)
        assert all(part / step == pytest.approx(round(part / step), abs=0.01) for part in parts)
    assert total["work"] > 0
    # Two of a thread are a period of its processor time apart.
    assert sum(total[name] for name in KINDS) <= 2 * (app["seconds"] + step)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel does not count")
def test_who_shares_a_processor_is_kept_off():
    """Two programs on one processor: whichever runs longer had to wait for the other."""
    command = [apps.build("health"), "--size", "small", "--variant", "serial"]
    environment = {**runtimes.find("libgomp").environment(1), "APP_KEPT_OFF": "1"}
    only = min(os.sched_getaffinity(0))
    hog = subprocess.Popen([sys.executable, "-c", HOG.format(only)], stdout=subprocess.PIPE)
    try:
        hog.stdout.readline()  # it is there
        done = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LIMIT,
            preexec_fn=lambda: os.sched_setaffinity(0, {only}),
        )
    finally:
        hog.kill()
        hog.wait()
    (told,) = parse(done.stdout)
    assert told["kept_off"] > 0


def test_the_library_counts_and_libgomp_does_not(library):
    assert probe("counted", "xomp")[1]["NTASKS_SELF"] > 0
    assert len(probe("counted", "libgomp")) == 1


def test_the_log_tells_what_each_thread_did_on_xomp_only(library):
    first, threads, papers_states, timed = probe("logged", "xomp", sys.executable, "-")
    assert first["ok"] == 1
    assert threads["threads"] == timed["threads"] == 2
    ran, made = (by_thread(threads, name) for name in ("tasks_run", "tasks_made"))
    assert sum(ran) == sum(made) == first["tasks"]
    states = [state.name.lower() for state in State]
    for line in (threads, timed):
        assert all(len(by_thread(line, name)) == 2 for name in states)
    whole, part = (sum(sum(by_thread(line, name)) for name in states) for line in (threads, timed))
    # The timed part begins and ends within the run; its parts are all of its time.
    assert timed["elapsed"] == pytest.approx(first["seconds"], rel=1e-3)
    assert part + timed["missing"] == pytest.approx(2 * timed["elapsed"], rel=1e-4)
    assert part < whole
    of_papers = [by_thread(papers_states, f"a{n}") for n in range(len(figures.ACTIVITIES))]
    assert sum(map(sum, of_papers)) == pytest.approx(whole, rel=1e-3)
    assert len(probe("logged", "libgomp", sys.executable, "-")) == 1


def test_the_log_and_the_recorder_see_the_same_leaf_tasks(library):
    recorder = str(apps.build("recorder.so"))
    seen = probe("recorded", "xomp", recorder, "0", "1000")[1]
    first, _, _, _, total, *leaves = probe("logged", "xomp", sys.executable, "0,1000")
    assert total["leaves"] == seen["leaves"] > 0
    assert len(leaves) == min(total["leaves"], 5000)
    assert {leaf["thread"] for leaf in leaves} <= {0, 1}
    assert all(0 <= leaf["start"] <= first["seconds"] for leaf in leaves)


def test_a_moment_of_the_clock_is_the_tick_of_the_same_moment():
    ticks = np.array([1000, 3000, 4000]) + (1 << 60)
    clock = Clock(ticks, np.array([5_000, 6_000, 7_000]) + 10**15)
    for expected in (500, 1000, 1500, 3000, 3500, 4000, 6000):
        moment = float(clock.at((1 << 60) + expected)) / 1e9
        assert tick(clock, moment) - (1 << 60) == pytest.approx(expected, abs=300)

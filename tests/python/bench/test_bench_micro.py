# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The microbenchmarks: every construct is there, and instruction counts are repeatable."""

import shutil

import pytest

from bench_shared import main
from xomp.bench import icount
from xomp.bench.run import Job, run
from xomp.shared import apps
from xomp.shared.runtimes import find

CONSTRUCTS = {
    *("parallel", "for_static", "for_dynamic", "barrier", "single", "critical", "lock"),
    *("reduction", "for_ordered", "task", "task_untied", "task_if0", "task_final"),
    *("taskwait_child", "taskgroup_child", "task_depend_chain", "taskloop"),
}


def test_every_kind_of_construct_is_measured():
    assert set(icount.constructs()) >= CONSTRUCTS


def test_micro_measures_what_is_named():
    job = Job(find("libgomp"), 2, apps.build("micro"), ("barrier", "task"), 60.0)
    outcome = run(job)
    assert outcome.failure is None
    assert [record["construct"] for record in outcome.records] == ["barrier", "task"]
    assert all(record["ns"] > 0 and record["threads"] == 2 for record in outcome.records)


@pytest.fixture
def valgrind():
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")


def test_instruction_counts_are_repeatable(valgrind):
    first, again = (icount.count(find("libgomp"), ["task", "fib:tied"], 120.0) for _ in range(2))
    assert [each.what for each in first] == [each.what for each in again] == ["fib:tied", "task"]
    # The time that start-up takes differs in a few instructions, which thousands of tasks share.
    assert [e.total for e in first] == pytest.approx([e.total for e in again], rel=1e-3)
    assert all(each.total > each.outside > 0 for each in first)


def test_floor_costs_least_and_lacks_what_it_does_not_have(valgrind):
    floor = icount.count(find("floor"), ["task", "taskloop"], 120.0)
    assert [each.what for each in floor] == ["task"]
    (libgomp,) = icount.count(find("libgomp"), ["task"], 120.0)
    assert floor[0].total < libgomp.total


def test_startup_measures_time_and_memory(capsys):
    assert main(["startup", "--runtimes", "libgomp", "--rounds", "3", "--threads", "2"]) == 0
    shown = capsys.readouterr().out
    for title in (
        "wall time",
        "processor time",
        "peak memory",
        "second region",
        "first tasks, all others",
        "memory at the end",
    ):
        assert title in shown

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the harness interleaves runs, and what it makes of those that fail."""

import os
from pathlib import Path

import pytest

from xomp.bench import demo
from xomp.bench.progress import Progress
from xomp.bench.rounds import GIVE_UP_AFTER, failures, interleave, series
from xomp.bench.run import Case, Job, Outcome
from xomp.shared.runtimes import Runtime

LIBRARY = Path("/lib/libgomp.so.1")


def job(label, threads=1, program="fib"):
    case = Case(program, "tied", "small", (("n", "12"),))
    return Job(Runtime(label, LIBRARY, None), threads, Path("/build") / program, case=case)


def succeed(one, index):
    return Outcome(one, index, None, [{"seconds": 1.0 + index}])


def fail(one, index):
    return Outcome(one, index, "wrong result", [{"seconds": 0.001}])


def test_every_round_runs_every_job_once_in_changing_order():
    jobs = [job(label) for label in "abcdef"]
    outcomes = interleave(jobs, rounds=10, warmups=1, launch=succeed)
    orders = []
    for index in range(-1, 10):
        ran = [outcome.job.runtime.label for outcome in outcomes if outcome.round == index]
        assert sorted(ran) == list("abcdef")
        orders.append(ran)
    assert len({tuple(order) for order in orders}) > 5


def test_warm_up_is_not_a_time():
    outcomes = interleave([job("a")], rounds=3, warmups=2, launch=succeed)
    values = series(outcomes, job("a"), lambda outcome: outcome.record["seconds"])
    assert values == {0: 1.0, 1: 2.0, 2: 3.0}


def test_time_left_is_what_the_runs_left_took_before():
    jobs = [job("a"), job("b")]
    progress = Progress(jobs, rounds=3)
    assert progress.seconds_left() is None
    progress.finished(Outcome(jobs[0], -1, None, usage={"wall": 2.0}))
    assert progress.seconds_left() == 2 * 2.0 + 3 * 2.0  # nothing is known of the other yet
    progress.finished(Outcome(jobs[1], -1, None, usage={"wall": 10.0}))
    assert progress.seconds_left() == 2 * 2.0 + 2 * 10.0


def test_runs_done_before_are_not_repeated():
    jobs = [job("a"), job("b")]
    done = [Outcome(jobs[0], 0, None, [{"seconds": 7.0}]), Outcome(jobs[1], -1, "wrong result")]
    new = []
    outcomes = interleave(jobs, rounds=2, launch=succeed, earlier=done, record=new.append)
    assert len(outcomes) == 6
    assert sorted((o.job.runtime.label, o.round) for o in new) == [
        ("a", -1),
        ("a", 1),
        ("b", 0),
        ("b", 1),
    ]
    assert series(outcomes, jobs[0], lambda o: o.record["seconds"]) == {0: 7.0, 1: 2.0}


def test_failed_run_is_reported_and_never_a_time():
    outcomes = interleave([job("a")], rounds=5, launch=fail)
    assert series(outcomes, job("a"), lambda outcome: outcome.record["seconds"]) == {}
    assert len(failures(outcomes)) == GIVE_UP_AFTER


def test_budget_ends_the_run_but_measures_at_least_once():
    outcomes = interleave([job("a")], rounds=1000, budget=0.0, launch=succeed)
    assert [outcome.round for outcome in outcomes] == [-1, 0]


def test_demo_table_has_ratio_and_names_failures():
    jobs = [job(label, threads) for threads in (1, 2) for label in ("libgomp", "xomp")]

    def launch(one, index):
        if one.runtime.label == "xomp" and one.threads == 2:
            return fail(one, index)
        seconds = 3.0 if one.runtime.label == "libgomp" else 1.5
        return Outcome(one, index, None, [{"seconds": seconds}])

    outcomes = interleave(jobs, rounds=3, launch=launch)
    table = demo.table(jobs, outcomes, ["libgomp", "xomp"])
    assert table.header[-1] == "libgomp / xomp [95%]"
    assert table.rows[0][:2] == ["fib 12", "1"]
    assert table.rows[0][-1].startswith("2.00")
    assert table.rows[1][-2:] == ["failed", "-"]


@pytest.mark.parametrize(("xomps", "rows"), [(1.5, []), (3.1, []), (4.0, [("fib 12", 2)])])
def test_demo_speaks_of_losses(xomps, rows):
    jobs = [job(label, 2) for label in ("libgomp", "xomp")]

    def launch(one, index):
        seconds = 3.0 if one.runtime.label == "libgomp" else xomps
        return Outcome(one, index, None, [{"seconds": seconds}])

    outcomes = interleave(jobs, rounds=3, launch=launch)
    assert demo.slower(jobs, interleave(jobs, rounds=1, launch=launch), "xomp") == []
    assert demo.slower(jobs, outcomes, "xomp") == rows
    assert ("Here xomp was slower: fib 12 on 2" in demo.reading(rows, 2)) == bool(rows)
    assert ("more threads than the 1 processors" in demo.reading(rows, 1)) == bool(rows)


@pytest.mark.parametrize(("load", "told"), [(0.1, False), (7.4, True)])
def test_demo_names_a_busy_machine(load, told, monkeypatch):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(demo, "processors", lambda: 2)
    assert (demo.busy_machine() is not None) == told


@pytest.mark.parametrize(
    ("machine", "counts"),
    [
        (1, [1, 2]),
        (2, [1, 2, 4]),
        (4, [1, 2, 4, 8]),
        (6, [1, 2, 4, 6, 8, 12]),
        (64, [1, 2, 4, 8, 16, 32, 64, 128]),
    ],
)
def test_demo_uses_up_to_twice_the_machines_threads(machine, counts):
    assert demo.thread_counts(machine) == counts

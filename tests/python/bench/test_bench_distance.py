# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs during which the processors lay far apart are set aside and repeated; the report says so."""

import json
import os
from itertools import count
from pathlib import Path
from statistics import median

import pytest

from bench_shared import main
from xomp.bench import distance, store
from xomp.bench.distance import Distances, around
from xomp.bench.rounds import interleave, series
from xomp.bench.run import Case, Job, Outcome, seconds
from xomp.shared.runtimes import Runtime

NEAR, FAR = 75.0, 400.0
LABELS = ("libgomp", "xomp")


@pytest.fixture(autouse=True)
def near_processors(monkeypatch):
    monkeypatch.setattr(distance, "FAR", 1.5)


def job(label, threads=2, program="fib"):
    runtime = Runtime(label, Path("/lib/libgomp.so.1"), None)
    return Job(runtime, threads, Path(program), case=Case(program, "tied", "small"))


JOBS = [job(label) for label in LABELS]


def ran(one, index, *apart, failure=None):
    took = max(filter(None, apart), default=NEAR) / 1000
    records = [{"seconds": took, "cpu": took, "tasks": 1}]
    return Outcome(one, index, failure, records, {"wall": took}, apart)


def machine(far):
    """Runs programs on a machine that is far at those runs, counted from 0."""
    number = count()

    def launch(one, index):
        here = FAR if far(next(number)) else NEAR
        return ran(one, index, here, here)

    return launch


def times(outcomes, one):
    return series(outcomes, one, seconds)


def test_medians_are_those_of_the_near_phase():
    launch = machine(lambda number: 6 <= number < 14)
    outcomes = interleave(JOBS, rounds=6, warmups=0, launch=launch)
    counted = Distances(outcomes).counted()
    for one in JOBS:
        assert times(counted, one) == dict.fromkeys(range(6), 0.075)
    assert len(outcomes) > len(counted) == 12


def test_a_run_is_far_by_either_side():
    for apart in ((NEAR, FAR), (FAR, NEAR), (None, FAR)):
        outcomes = [
            *(ran(JOBS[0], index, NEAR, NEAR) for index in range(3)),
            ran(JOBS[0], 3, *apart),
        ]
        found = Distances(outcomes)
        assert found.counted() == outcomes[:3]
        assert found.to_repeat() == [(JOBS[0].key, 3)]


def test_a_warm_up_and_what_fails_is_neither_repeated_nor_set_aside():
    near = [ran(JOBS[0], index, NEAR, NEAR) for index in range(3)]
    far = [ran(JOBS[0], -1, FAR, FAR), ran(JOBS[0], 3, FAR, FAR, failure="wrong result")]
    found = Distances([*near, *far])
    assert found.counted() == [*near, *far]
    assert found.to_repeat() == []
    assert found.line() == ""


def test_a_repeat_that_fails_is_the_last():
    outcomes = [ran(JOBS[0], index, *[FAR if index == 3 else NEAR] * 2) for index in range(4)]
    outcomes.append(ran(JOBS[0], 3, FAR, FAR, failure="wrong result"))
    assert Distances(outcomes).to_repeat() == []


def test_nothing_changes_where_the_distance_does_not():
    calls = []

    def launch(one, index):
        calls.append(index)
        end = 300.0 + 100 * (len(calls) % 2)  # within a factor of 1.5
        return ran(one, index, end, end)

    outcomes = interleave(JOBS, rounds=5, warmups=1, launch=launch)
    assert len(outcomes) == len(calls) == 12
    assert Distances(outcomes).counted() == outcomes
    assert Distances(outcomes).line() == ""


def test_a_machine_that_is_mostly_far_gets_its_numbers():
    """After as many repeats as runs all rounds count, once each."""
    outcomes = interleave(JOBS, rounds=5, warmups=1, launch=machine(lambda number: number > 3))
    assert len([each for each in outcomes if each.round >= 0]) == 2 * 10
    found = Distances(outcomes)
    counted = found.counted()
    for one in JOBS:
        assert sorted(times(counted, one)) == [0, 1, 2, 3, 4]
    first = [each for each in outcomes if each.round >= 0][:10]
    assert [each for each in counted if each.round >= 0] == first
    assert found.line() == (
        "In 18 of 20 runs the processors lay 400 ns apart (a cache line's round trip), not 75. "
        "Fewer than 3 were near, and all rounds count, of fib:tied small (2 threads)."
    )


def test_runtimes_are_compared_by_the_same_kind_of_runs():
    """Where one has too few near runs, those of the others are not near ones alone."""
    outcomes = [ran(JOBS[0], index, NEAR, NEAR) for index in range(4)]
    outcomes += [ran(JOBS[1], index, *[FAR if index < 2 else NEAR] * 2) for index in range(4)]
    other = job("xomp", program="uts")
    outcomes += [ran(other, index, *[FAR if index == 0 else NEAR] * 2) for index in range(4)]
    outcomes[3].apart = (FAR, FAR)
    found = Distances(outcomes)
    assert found.scarce == {("fib:tied small", 2)}
    assert found.counted() == [each for each in outcomes if each is not outcomes[8]]
    assert "1 of 12 runs are set aside" in found.line()
    assert "of fib:tied small (2 threads)." in found.line()


def test_no_run_is_repeated_after_the_budget():
    launch = machine(lambda number: number > 3)
    outcomes = interleave(JOBS, rounds=5, warmups=0, budget=0.0, launch=launch)
    assert len(outcomes) == 2
    launch = machine(lambda number: number == 1)
    assert len(interleave(JOBS, rounds=1, warmups=0, budget=0.05, launch=launch)) == 2
    launch = machine(lambda number: number == 1)
    assert len(interleave(JOBS, rounds=1, warmups=0, budget=60.0, launch=launch)) == 3


def test_what_was_repeated_is_not_once_more():
    launch = machine(lambda number: 6 <= number < 14)
    earlier = interleave(JOBS, rounds=6, warmups=0, launch=launch)
    again = interleave(JOBS, rounds=6, warmups=0, launch=None, earlier=earlier)
    assert sorted(map(id, again)) == sorted(map(id, earlier))


def test_distance_is_measured_around_runs_of_several_threads(monkeypatch):
    steps = []
    monkeypatch.setattr(distance, "measure", lambda: steps.append("measured") or NEAR)
    monkeypatch.setattr(distance.time, "sleep", lambda seconds: steps.append("rested"))

    def launch(one, index):
        steps.append(one.threads)
        return ran(one, index)

    assert list(around(launch)(job("xomp", 2), 0).apart) == [NEAR, NEAR]
    assert list(around(launch)(job("xomp", 1), 0).apart) == []
    assert steps == ["measured", "rested", 2, "measured", 1]


def test_two_processors_lie_some_nanoseconds_apart():
    found = [distance.measure() for _ in range(5)]
    if len(os.sched_getaffinity(0)) < 2:
        assert found == [None] * 5
    else:  # None where other programs need the processors
        assert all(1 < each < 1e6 for each in found if each is not None)


def test_one_processor_has_no_distance():
    usable = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(usable)})
        assert distance.measure() is None
        program = distance.apps.build("distance")
        assert distance.subprocess.check_output([program]) == b""
    finally:
        os.sched_setaffinity(0, usable)


ARGUMENTS = ["run", "fib", "--runtimes", "libgomp", "--size", "test", "--no-plot"]


def measured(tmp_path, monkeypatch, far):
    """A results file of real runs, on a machine with made up distances, and its lines."""
    number = count()
    monkeypatch.setattr(distance, "measure", lambda: FAR if far(next(number)) else NEAR)
    path = tmp_path / "moved.jsonl"
    words = ["--threads", "1,2", "--rounds", "4", "--warmups", "0", "--output", str(path)]
    assert main([*ARGUMENTS, *words]) == 0
    return path, [json.loads(line) for line in path.read_text().splitlines()]


def test_file_and_report_tell_of_it(tmp_path, monkeypatch, capsys):
    path, lines = measured(tmp_path, monkeypatch, lambda number: number in (1, 2, 3))
    runs = [line for line in lines if line["kind"] == "run" and line["threads"] == 2]
    told = [line["apart"] for line in runs]
    assert told == [[NEAR, FAR], [FAR, FAR], *[[NEAR, NEAR]] * 4]
    assert [line["round"] for line in runs[:4]] == [0, 1, 2, 3]
    assert sorted(line["round"] for line in runs[4:]) == [0, 1]
    assert not any("apart" in line for line in lines[1:-1] if line["threads"] == 1)
    said = "2 of 6 runs are set aside: the processors lay 400 ns apart (a cache line's round trip)"
    assert said in capsys.readouterr().out
    page = path.with_suffix(".md").read_text()
    assert f"\n\n{said}, not 75.\n\n" in page
    assert main(["report", str(path), "--no-plot"]) == 0
    assert path.with_suffix(".md").read_text() == page
    results = store.read(path)
    assert len(results.every) == 10
    assert len(results.outcomes) == 8
    wall = [line["records"][0]["seconds"] for line in runs[2:]]
    assert median(times(results.outcomes, results.jobs[1]).values()) == median(wall)


def test_file_without_distances_is_read(tmp_path, monkeypatch):
    path, lines = measured(tmp_path, monkeypatch, lambda number: False)
    page = path.with_suffix(".md").read_text()
    for line in lines:
        line.pop("apart", None)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    results = store.read(path)
    assert results.aside == ""
    assert len(results.outcomes) == len(results.every) == 8
    assert main(["report", str(path), "--no-plot"]) == 0
    assert path.with_suffix(".md").read_text() == page

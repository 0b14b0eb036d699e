# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench balance`: the work and ideal of each shape, and the tables of what was measured."""

from pathlib import Path

import pytest

from bench_shared import main
from xomp.bench import balance, store
from xomp.bench.options import Measuring
from xomp.bench.run import Job, Outcome, run
from xomp.bench.store import Results
from xomp.shared import apps
from xomp.shared.runtimes import Runtime, find

# Counted by hand from what bench/balance/shapes.c says about each shape: the units of all tasks,
# and those on the critical path, with two threads.
TWO_THREADS = {
    "taskloop": (60 + 4 * 8, 8),
    "producer": (16 + 16, 16),
    "parents": (16 + 16, 16),
    "mixed": (25 + 7 * 6, 6),
    "skewed": (32, 1),
    "skewed-waits": (32, 1),
    "long-first": (16 + 16, 16),
    "chains": (2 * 12 + 2 * 4, 12),
    "groups": (3 * (2 + 1) + 3 * (6 + 1), 3),
    "producers": (24 + 8, 1),
    "tree": (48, 7),  # 48, 29, 17, 10, 5, 2 and 1 nodes down the heaviest branch
    "priorities": (24 + 8, 8),
    "overlap": (8 * (2 + 2), 16),
    "sparse": (4000, 1),
}


def measured(shape, threads, runtime="libgomp"):
    outcome = run(Job(find(runtime), threads, apps.build("balance"), (shape, "1")))
    assert outcome.failure is None
    return outcome.record


def test_every_shape_is_known():
    assert list(balance.shapes()) == list(TWO_THREADS)


@pytest.mark.parametrize("shape", TWO_THREADS)
def test_region_does_the_work_and_takes_no_less_than_its_ideal(shape):
    record = measured(shape, 2)
    assert (record["total"], record["path"]) == TWO_THREADS[shape]
    assert record["total"] / 2 <= record["busiest"] <= record["total"]
    # A sleep never ends early, so an ideal above the time taken would be a wrong one.
    assert record["seconds"] >= balance.ideal(record)


@pytest.mark.parametrize("shape", [name for name in TWO_THREADS if name != "sparse"])
def test_ideal_is_a_lower_bound_for_other_numbers_of_threads(shape):
    for threads in (1, 5):
        record = measured(shape, threads)
        assert record["threads"] == threads
        assert record["seconds"] >= balance.ideal(record)


def test_ideal_is_the_shared_work_or_the_critical_path():
    record = {"total": 120, "threads": 4, "path": 10, "unit": 2000}
    assert balance.ideal(record) == pytest.approx(0.060)
    assert balance.ideal({**record, "threads": 16}) == pytest.approx(0.020)


def record_of(seconds, **more):
    shown = {"kind": "sleeping", "threads": 4, "total": 40, "path": 5, "unit": 1000}
    shown |= {"busiest": 15 if seconds > 0.2 else 10}
    return {**shown, "seconds": seconds, **more}


def results_of(times, shape="mixed", threads=4, **more):
    """`times`: for each runtime a list of runs, each the seconds of its regions, or a failure."""
    outcomes = []
    for label, runs in times.items():
        runtime = Runtime(label, Path("/lib") / label, None)
        job = Job(runtime, threads, Path("/build/balance"), (shape, "2"))
        for index, seconds in enumerate(runs):
            if isinstance(seconds, str):
                outcomes.append(Outcome(job, index, seconds))
            else:
                records = [record_of(each, **more) for each in seconds]
                outcomes.append(Outcome(job, index, None, records))
    return Results(Path("balance.jsonl"), {"command": "xomp bench balance"}, outcomes)


SLB = "xomp@XOMP_SCHEDULER=slb"


def test_table_compares_with_the_best_peer():
    times = {"libgomp": [[0.02, 0.02]], "libomp": [[0.011, 0.013]], SLB: [[0.018, 0.018]]}
    table, verdict = balance.tables(results_of(times))
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["ideal, ms"] == "10.0"
    assert row["libgomp"].startswith("2.00")
    assert row["libomp"].startswith("1.20")  # the mean of its regions
    assert row["best peer"] == "libomp"
    assert row["slb / best"].startswith("1.50")
    assert verdict.rows == [("slb", "4", "0 of 1", "1.50", "mixed 1.50")]


def test_shape_at_the_bar_is_within_it():
    times = {"libgomp": [[0.0100]], SLB: [[0.0104]]}
    *_, verdict = balance.tables(results_of(times))
    assert verdict.rows == [("slb", "4", "1 of 1", "1.04", "-")]


def test_shapes_of_the_papers_schedulers_are_not_named_in_a_summary_of_several_threads():
    auto = "xomp@XOMP_SCHEDULER=auto"
    times = {"libgomp": [[0.02]], auto: [[0.03]], SLB: [[0.04]], "xomp": [[0.02]]}
    results = results_of(times)
    results.outcomes += results_of({"libgomp": [[0.02]], SLB: ["failed"]}, threads=16).outcomes
    shown = balance.tables(results)
    own, papers = (table.rows for table in shown if table.summary)
    assert own == [
        ("auto", "4", "0 of 1", "1.50", "mixed 1.50"),
        ("xomp", "4", "1 of 1", "1.00", "-"),
    ]
    assert papers == [("slb", "0 of 1, 2.00", "0 of 1, -")]
    assert [
        ("slb", "4", "0 of 1", "2.00", "mixed 2.00"),
        ("slb", "16", "0 of 1", "-", "mixed failed"),
    ] in [table.rows for table in shown if not table.summary]


def test_failed_runs_are_no_times():
    times = {"libgomp": ["wrong result"], "libomp": [[0.03]], SLB: ["did not end within 1 s"]}
    results = results_of(times)
    (table, verdict) = balance.tables(results)
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert (row["libgomp"], row["slb"], row["best peer"]) == ("failed", "failed", "libomp")
    assert row["slb / best"] == "-"
    assert verdict.rows == [("slb", "4", "0 of 1", "-", "mixed failed")]


def test_file_of_an_interrupted_run_has_tables():
    whole = results_of({"libgomp": [[0.02]], SLB: [[0.02]]})
    begun = results_of({"libgomp": [[0.02]]}, "tree")
    whole.outcomes += begun.outcomes
    table, verdict = balance.tables(whole)
    assert [row[-1][:4] for row in table.rows] == ["1.00", "-"]
    assert table.rows[1][3] == "-"  # not run, so not failed
    assert verdict.rows == [("slb", "4", "1 of 1", "1.00", "-")]


def test_spread_within_runs_is_told_from_that_between_them():
    times = {"libgomp": [[0.2, 0.2], [0.2, 0.2]], SLB: [[0.2, 0.4], [0.6, 0.6]]}
    computing, _ = balance.tables(results_of(times, "sparse", 2, kind="computing"))
    steady, unsteady = (dict(zip(computing.header, row, strict=True)) for row in computing.rows)
    assert (steady["runtime"], steady["least"], steady["most"]) == ("libgomp", "0.200", "0.200")
    assert (unsteady["least"], unsteady["most"]) == ("0.200", "0.600")
    assert unsteady["most / least in a run, median"] == "1.50"
    assert unsteady["medians of runs"] == "0.300 to 0.600"
    assert unsteady["busiest thread"] == "1.38 [1.31, 1.44]"  # 1.25 and 1.50
    assert unsteady["/ best"].startswith("2.25")


@pytest.fixture
def finished(tmp_path):
    path = tmp_path / "balance.jsonl"
    command = ["balance", "overlap", "sparse", "--threads", "2,3", "--rounds", "1"]
    command += ["--warmups", "0", "--regions", "1", "--runtimes", "libgomp"]
    assert main([*command, "--schedulers", "none", "--output", str(path)]) == 0
    return path


def test_computing_shapes_run_on_two_threads_only(finished):
    ran = {(o.job.arguments[0], o.job.threads) for o in store.read(finished).outcomes}
    assert ran == {("overlap", 2), ("overlap", 3), ("sparse", 2)}


def test_shape_that_peers_serialize_is_left_out_with_many_threads():
    libgomp = [find("libgomp")]
    options = balance.Options(["tree", "skewed-waits"], schedulers=balance.NO_SCHEDULERS)
    made = balance.jobs(options, Measuring(threads=(64, 192)), libgomp, {})
    ran = {(job.arguments[0], job.threads) for job in made}
    assert ran == {("tree", 64), ("skewed-waits", 64), ("tree", 192)}


def test_tables_are_made_from_the_file_again(finished, capsys):
    assert main(["report", str(finished)]) == 0
    shown = capsys.readouterr().out
    assert "Makespan over ideal, 2 threads" in shown
    assert "Makespan over ideal, 3 threads" in shown
    assert "Tasks that compute" in shown


def test_scheduler_that_the_library_does_not_know_is_skipped(library, monkeypatch):
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", str(library))
    skipped = {}
    found = balance.schedulers(("slb", "no-such"), skipped)
    assert [runtime.label for runtime in found] == [SLB]
    assert list(skipped) == ["xomp@XOMP_SCHEDULER=no-such"]
    assert "no-such" in skipped["xomp@XOMP_SCHEDULER=no-such"]


def test_mistakes_are_told(capsys):
    for arguments in (["no-such"], ["mixed", "--regions", "0"]):
        assert main(["balance", *arguments]) == 2
    assert "no shape 'no-such'" in capsys.readouterr().err

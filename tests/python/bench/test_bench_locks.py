# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench locks`: what it measures, and how it compares with the peers."""

from pathlib import Path

import pytest

from bench_shared import main
from xomp.bench import locks, store
from xomp.bench.run import Job, Outcome, run
from xomp.bench.store import Results
from xomp.errors import BadInputError
from xomp.shared import apps
from xomp.shared.runtimes import Runtime, find


def outcome(label, round, entries, fewest, wait, hold=20):
    runtime = Runtime(label, Path("/lib") / label, None)
    job = Job(runtime, 2, Path("/build/locks"), ("lock", str(hold), "1", "0.5"))
    record = {"entries": entries, "fewest": fewest, "longest_wait": wait}
    return Outcome(job, round, None, [record | {"seconds": 0.5, "threads": 2}])


def rows(table):
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


@pytest.mark.parametrize("kind", locks.KINDS)
def test_each_kind_of_lock_lets_one_thread_in_at_a_time(kind):
    hold = "0" if kind == "atomic" else "2"
    done = run(Job(find("libgomp"), 3, apps.build("locks"), (kind, hold, "1", "0.05"), 60.0))
    assert done.failure is None
    record = done.record
    assert record["kind"] == kind and record["threads"] == 3
    assert record["ok"] == 1 and record["entries"] >= 3 * record["fewest"] >= 0
    assert record["seconds"] >= 0.05 and record["longest_wait"] > 0


def test_an_atomic_operation_cannot_be_held():
    job = Job(find("libgomp"), 2, apps.build("locks"), ("atomic", "1", "1", "0.05"), 60.0)
    with pytest.raises(BadInputError, match="0 for atomic"):
        run(job)


def test_entries_are_compared_with_the_peer_that_has_most_and_waits_with_the_fairest():
    beside, each = locks.tables(
        Results(
            Path("a.jsonl"),
            {},
            [
                outcome("libgomp", 0, entries=1000, fewest=10, wait=0.9),
                outcome("libomp", 0, entries=400, fewest=200, wait=0.01),
                outcome("xomp", 0, entries=800, fewest=300, wait=0.015),
            ],
        )
    )
    (row,) = rows(beside)
    assert row["entries [95%]"].startswith("0.80 ") and row["most: peer"] == "libgomp"
    assert row["longest wait [95%]"].startswith("1.50 ") and row["shortest: peer"] == "libomp"
    assert row["slowest"] == "0.75"
    own = {row["runtime"]: row for row in rows(each)}
    assert own["xomp"]["entries/s"] == "1600" and own["xomp"]["longest wait ms"] == "15.00"
    assert own["libgomp"]["slowest"] == "0.02"


def test_other_holds_are_not_compared_and_without_a_peer_there_is_no_ratio():
    outcomes = [outcome("libgomp", 0, 1000, 400, 0.1, hold=1), outcome("xomp", 0, 10, 5, 0.1)]
    beside, each = locks.tables(Results(Path("a.jsonl"), {}, outcomes))
    assert beside.rows == [] and len(each.rows) == 2


def test_long_holds_get_time_for_several_turns_of_all_threads():
    assert locks.seconds_of(2, 1) == locks.SHORTEST
    assert locks.seconds_of(64, 5000) == pytest.approx(5 * 64 * 0.005)


def test_the_command_measures_what_is_asked_for(tmp_path, capsys):
    path = tmp_path / "locks.jsonl"
    command = ["locks", "--runtimes", "libgomp,xomp", "--threads", "2", "--rounds", "1"]
    assert main([*command, "--kinds", "nest,atomic", "--holds", "3", "--output", str(path)]) == 0
    assert "slowest" in capsys.readouterr().out
    found = {
        (o.record["kind"], o.record["hold_us"], o.job.runtime.label)
        for o in store.read(path).outcomes
    }
    assert found == {
        (kind, hold, label)
        for kind, hold in (("nest", 3), ("atomic", 0))
        for label in ("libgomp", "xomp")
    }


def test_an_unknown_kind_is_refused():
    options = locks.Options(kinds=["spin"])
    with pytest.raises(BadInputError, match="spin"):
        locks.jobs(options, locks.DEFAULTS, [find("libgomp")], {})

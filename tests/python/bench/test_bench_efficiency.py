# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench uts-efficiency`: serial runs side by side, and the parallel ones beside them."""

import threading
from pathlib import Path

import pytest

from bench_shared import main
from xomp.bench import efficiency, store
from xomp.bench.run import Case, Job, Outcome
from xomp.bench.store import Results
from xomp.shared.runtimes import Runtime


def job(label, variant, threads, grain="1"):
    parameters = (("tree", "T3"), ("granularity", grain))
    runtime = Runtime(label, Path("/lib") / label, None)
    case = Case("uts", variant, "small", parameters)
    return Job(runtime, threads, Path("/build/uts"), case.arguments, case=case)


def outcome(one, index, *times):
    return Outcome(one, index, None, [{"seconds": each, "nodes": 1000} for each in times])


def test_serial_copies_run_at_the_same_time_on_one_thread_each():
    together = threading.Barrier(3, timeout=300)

    def once(one, index):
        together.wait()  # breaks unless all three are there
        assert one.threads == 1
        return outcome(one, index, 2.0)

    serial = job("libgomp", "serial", 3)
    done = efficiency.launch(serial, 4, once)
    assert (done.job, done.round, len(done.records)) == (serial, 4, 3)
    assert done.failure is None


def test_one_failed_copy_fails_the_run():
    failures = iter([None, "wrong result"])
    lock = threading.Lock()

    def once(one, index):
        with lock:
            return Outcome(one, index, next(failures), [])

    assert efficiency.launch(job("libgomp", "serial", 2), 0, once).failure == "wrong result"


def test_parallel_run_is_started_once_with_all_threads():
    parallel = job("xomp", "paper", 4)
    ran = []
    efficiency.launch(parallel, 0, lambda one, index: ran.append(one))
    assert ran == [parallel]


def test_efficiency_is_the_share_of_what_the_copies_reach_together():
    outcomes = []
    for index in range(3):
        outcomes.append(outcome(job("libgomp", "serial", 2), index, 0.9, 1.1))
        outcomes.append(outcome(job("libgomp", "paper", 2), index, 1.0))
        outcomes.append(outcome(job("xomp", "paper", 2), index, 0.5))
    (table,) = efficiency.tables(Results(Path("a.jsonl"), {}, outcomes))
    row = dict(zip(table.header, table.rows[0], strict=True))
    assert row["serial side by side, s"] == "1.000"
    assert float(row["ns per node"]) == pytest.approx(1e6)
    assert row["libgomp"] == "50.0 [50.0, 50.0]"
    assert row["xomp"] == "100.0 [100.0, 100.0]"


def test_every_granularity_is_measured_and_told_again_from_the_file(tmp_path, capsys):
    path = tmp_path / "curve.jsonl"
    command = ["uts-efficiency", "--tree", "TINY", "--granularity", "1,3", "--threads", "2"]
    command += ["--runtimes", "libgomp", "--rounds", "1", "--warmups", "0"]
    assert main([*command, "--output", str(path)]) == 0
    serial = [o for o in store.read(path).outcomes if o.job.case.variant == "serial"]
    assert [len(o.records) for o in serial] == [2, 2]
    assert all(record["threads"] == 1 for o in serial for record in o.records)
    capsys.readouterr()
    assert main(["report", str(path)]) == 0
    assert "parallel efficiency" in capsys.readouterr().out

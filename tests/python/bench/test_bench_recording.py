# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench recording`: runs with and without a log, and what an event costs."""

import re

import pytest

from bench_shared import main
from xomp.bench import recording, store


@pytest.fixture
def measured(tmp_path, capsys):
    results = tmp_path / "results.jsonl"
    arguments = ["--apps", "fib,nqueens:tied-manual", "--size", "test", "--rounds", "2"]
    arguments += ["--threads", "2", "--output", str(results)]
    assert main(["recording", *arguments]) == 0
    return results, capsys.readouterr().out


def test_the_same_runs_are_there_with_and_without_a_log(measured):
    read = store.read(measured[0])
    for job in read.jobs:
        runs = [each for each in read.outcomes if each.job.key == job.key and each.round >= 0]
        assert len(runs) == 2
        recorded = job.runtime.label == f"xomp{recording.RECORDED}"
        for outcome in runs:
            assert ("events" in outcome.usage) == recorded
            if recorded and job.case.app == "fib":
                assert outcome.usage["events"] >= outcome.record["tasks"]
    assert len(read.jobs) == 4


def test_the_table_has_a_row_for_each_application(measured):
    (table,) = recording.tables(store.read(measured[0]))
    assert [row[0] for row in table.rows] == ["fib:tied test", "nqueens:tied-manual test"]
    for row in table.rows:
        assert row[1:3] == ("2", "2")
        assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", row[5])
        assert int(row[6].replace(",", "")) > 0
    assert "Time of the same runs" in measured[1]


def test_no_log_is_left_behind(measured, tmp_path):
    assert not list(tmp_path.rglob("*.xomplog"))

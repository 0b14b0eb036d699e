# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp repro` from end to end: runs at size test, what is left behind, going on, bad input."""

import json

import pytest

from repro_shared import reproduce
from xomp.bench import distance, measure, rounds, store
from xomp.errors import INTERRUPTED
from xomp.repro import registry
from xomp.repro.execute import choose
from xomp.repro.offer import of_xomp
from xomp.shared import apps
from xomp.shared.errors import BuildError
from xomp.start import main as start


def test_fig8_of_paper_1(capsys, tmp_path, library):
    try:
        apps.build("posp")
    except BuildError as error:
        pytest.skip(str(error))
    result = reproduce(capsys, tmp_path, "p1-fig8", "--rounds", "1", "--threads", "2")
    assert result["experiment"] == "p1-fig8"
    (table,) = result["tables"]
    assert table["header"][:3] == ["batch", "GOMP, MH/s", "XGOMPTB, MH/s"]
    assert all(float(row[2]) > 0 for row in table["rows"])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"plot.png", "plot.svg", "result.json", "result.md", "runs.jsonl"}
    page = (tmp_path / "result.md").read_text()
    assert "217" in page and "section VII" in page  # the published values, with their place
    assert "of 192 cores" in page


def test_fig5_of_paper_1(capsys, tmp_path, library):
    result = reproduce(capsys, tmp_path, "p1-fig5", "--rounds", "1", "--threads", "2")
    times, ratios, _ = result["tables"]
    assert times["header"] == ["application", "GOMP", "XGOMP", "XGOMPTB"]
    assert ratios["header"][1] == "GOMP / XGOMP [95%]"
    assert len(times["rows"]) == 9
    assert {claim["holds"] for claim in result["claims"]} == {None}  # one round proves nothing
    assert "1522.8" in (tmp_path / "result.md").read_text()


def test_table_1_of_paper_2(capsys, tmp_path):
    """Serial runs: needs no library."""
    result = reproduce(
        capsys, tmp_path, "p2-table1", "--rounds", "1", "--threads", "1", "--runtimes", "GCC"
    )
    row = result["tables"][0]["rows"][0]
    assert row[0] == "GCC"
    assert all(float(cell) > 0 for cell in row[1:])


def test_statistics_of_paper_1_come_from_the_library(capsys, tmp_path, library):
    result = reproduce(capsys, tmp_path, "p1-table3", "--rounds", "1", "--threads", "2")
    table = {row[0]: row[1:] for row in result["tables"][0]["rows"]}
    assert set(table) == {
        "Time (secs)",
        "Self tasks",
        "Local tasks",
        "Remote tasks",
        "Static push",
        "Imm. exec",
    }
    columns = result["tables"][0]["header"][1:]
    fib = next(index for index, name in enumerate(columns) if name.startswith("Fib"))
    assert table["Imm. exec"][fib] != "-"


def test_other_runtimes_and_settings_may_be_asked_for(library):
    experiment = registry.find("p1-fig5")[0]
    wanted = ["xgomptb", "libgomp", "xomp@XOMP_BARRIER=central"]
    chosen, missing = choose(experiment, wanted, of_xomp())
    assert [config.name for config in chosen] == ["XGOMPTB", "GOMP", "xomp@XOMP_BARRIER=central"]
    assert missing == {}


def test_a_configuration_that_xomp_lacks_is_named_and_left_out(library):
    experiment = registry.find("p4-fig3")[0]
    chosen, missing = choose(experiment, None, of_xomp())
    names = [config.name for config in chosen]
    assert "XQueue vN" in names
    for config in experiment.configs:
        assert (config.name in names) != (config.name in missing)


def test_an_interrupted_run_goes_on(capsys, tmp_path, monkeypatch):
    arguments = ["p2-table1", "--rounds", "2", "--runtimes", "GCC", "--size", "test"]
    arguments += ["--out", str(tmp_path)]
    real = distance.launch
    started = []

    def interrupted(job, index):
        if len(started) == 5:
            raise KeyboardInterrupt
        started.append(job)
        return real(job, index)

    def interleave(*words, **more):
        return rounds.interleave(*words, **more, launch=interrupted)

    monkeypatch.setattr(measure.measure, "__defaults__", (None, False, interleave))
    assert start(["repro", *arguments]) == INTERRUPTED
    assert "goes on" in capsys.readouterr().err
    assert len(store.read(tmp_path / "runs.jsonl").outcomes) == 5
    monkeypatch.undo()
    assert start(["repro", *arguments]) == 0
    assert "interrupted run" in capsys.readouterr().err
    results = store.read(tmp_path / "runs.jsonl")
    assert results.finished
    assert len(results.outcomes) == 6 * 3
    assert len({(outcome.job.key, outcome.round) for outcome in results.outcomes}) == 6 * 3


def test_a_finished_run_is_not_taken_for_an_interrupted_one(capsys, tmp_path):
    arguments = ["p2-table1", "--rounds", "1", "--runtimes", "GCC", "--size", "test"]
    arguments += ["--out", str(tmp_path)]
    assert start(["repro", *arguments]) == 0
    before = json.loads((tmp_path / "result.json").read_text())
    assert start(["repro", *arguments]) == 0
    assert "interrupted run" not in capsys.readouterr().err
    after = json.loads((tmp_path / "result.json").read_text())
    assert before["tables"] != after["tables"]  # times, measured anew


def test_threads_named_twice_are_run_once(capsys, tmp_path):
    arguments = ["p2-table1", "--rounds", "1", "--runtimes", "GCC,GCC", "--threads", "1,1"]
    assert reproduce(capsys, tmp_path, *arguments)["threads"] == [1]


def test_a_drawing_has_nothing_to_run(xomp):
    done = xomp("repro", "p1-fig2")
    assert done.returncode == 0
    assert "nothing to run" in done.stdout


def test_published_values_alone(xomp):
    done = xomp("repro", "p1-table1", "--published")
    assert done.returncode == 0
    assert "N_victim" in done.stdout and "Source: paper 1, section VI.B" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fig99"], "no experiment 'fig99'"),
        (["fig2"], "p2-fig2"),
        (["fig7", "--paper", "9"], "--paper"),
        (["p1-fig5", "--size", "huge"], "huge"),
        (["p1-fig5", "--threads", "0"], "--threads"),
        (["p1-fig5", "--threads", "two"], "--threads"),
        (["p1-fig5", "--rounds", "0"], "--rounds"),
        (["p1-fig5", "--limit", "soon"], "--limit"),
        (["p1-fig5", "--limit", "-1"], "--limit"),
        (["p1-fig5", "--size", "test", "--runtimes", "nothing"], "no runtime 'nothing'"),
        (["p1-fig5", "--size", "test", "--runtimes", "xomp@XOMP_SCHEDULER=none"], "none"),
        (["p1-fig5", "--size", "test", "--runtimes", "xomp@x"], "KEY=VALUE"),
        (["p1-fig5", "--size", "test", "--data", "/no/such/folder"], "/no/such/folder"),
        (["p1-fig5", "--size", "test", "--out", "/dev/null/x"], "/dev/null/x"),
        (["p1-fig5", "--frobnicate"], "--frobnicate"),
        ([], "NAME"),
    ],
)
def test_bad_input_gets_one_line_and_status_2(xomp, library, arguments, words):
    done = xomp("repro", *arguments)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1

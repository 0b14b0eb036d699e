# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LOMP and XLOMP of paper 1: clang's binaries on libomp and on xomp; what is said without clang."""

import shutil
import stat

import pytest

from repro_shared import experiments, reproduce, runs
from xomp.bench.run import Outcome
from xomp.repro import alike, registry, verdict
from xomp.repro.execute import choose
from xomp.repro.offer import of_xomp
from xomp.repro.plan import Measured, Plan
from xomp.shared import apps, runtimes
from xomp.shared.errors import MissingRuntimeError

CLANGS = {"LOMP", "XLOMP"}


@pytest.fixture
def clang(library):
    if not (shutil.which("clang-19") or shutil.which("clang")):
        pytest.skip("clang is not installed")
    try:
        runtimes.locate("libomp")
    except MissingRuntimeError as error:
        pytest.skip(str(error))


def take_for_clang(monkeypatch, compiler):
    monkeypatch.setitem(apps.COMPILERS, "clang", {"c": (str(compiler),)})
    monkeypatch.setattr(apps, "is_fresh", lambda *_: False)


@pytest.mark.parametrize("item", ["fig1", "fig4"])
def test_binaries_of_clang_are_those_of_lomp_and_xlomp_alone(item, clang):
    chosen, missing = choose(registry.find(f"p1-{item}")[0], None, of_xomp())
    assert missing == {}
    libraries = {config.name: runtime.library for config, runtime in chosen.items()}
    assert libraries["XLOMP"] == runtimes.locate("xomp")
    assert libraries["LOMP"] == runtimes.locate("libomp")
    for run in runs(experiments(1)[item]):
        assert run.job.program.name.endswith("-clang") == (run.config in CLANGS), run.config


def test_xlomp_is_xgomptb_but_for_the_compiler(clang):
    made = runs(experiments(1)["fig4"])
    own = [run for run in made if run.config in ("XGOMPTB", "XLOMP") and run.threads == 2]
    by_config = {}
    for run in own:
        by_config.setdefault(run.config, []).append(
            {**dict(run.job.case.variables), **run.job.runtime.settings}
        )
    assert by_config["XLOMP"] == by_config["XGOMPTB"]
    assert by_config["XLOMP"][0]["XOMP_SCHEDULER"] == "slb"
    assert alike.groups(own, alike.Machine(2, 1)) == []  # so that they are compared


def test_fig1_has_all_its_columns(capsys, tmp_path, clang):
    result = reproduce(capsys, tmp_path, "p1-fig1", "--rounds", "1", "--threads", "2")
    times, over_gomp = result["tables"]
    assert times["header"] == ["application", "GOMP", "LOMP", "XLOMP"]
    assert over_gomp["header"] == ["application", "GOMP / LOMP [95%]", "GOMP / XLOMP [95%]"]
    assert len(times["rows"]) == 9
    assert all("-" not in row for row in times["rows"])
    assert [plot["series"].keys() for plot in result["plots"]] == [
        {"GOMP": 0, **dict.fromkeys(CLANGS)}.keys()
    ]
    page = (tmp_path / "result.md").read_text()
    assert page.count(", compiled by clang") == 2
    assert "4400" in page
    assert "XLOMP is faster than GOMP (section II)" in page


def test_xlomp_is_said_to_win_where_tasks_are_created_and_to_lose_where_they_are_executed(clang):
    experiment = registry.find("p1-fig4")[0]
    plan = Plan(experiment, "test", (2,), 5, choose(experiment, None, of_xomp())[0])
    made = experiment.jobs(plan)
    executing = {"fft", "strassen", "sort", "alignment"}

    def seconds(run):
        if run.config == "XGOMPTB malloc":
            return 1.0
        return 2.0 if run.config == "XLOMP" and run.app in executing else 0.5

    outcomes = [
        Outcome(run.job, index, None, [{"program": "app", "seconds": seconds(run)}])
        for run in made
        for index in range(5)
    ]
    claims = experiment.result(plan, Measured(made, outcomes)).claims
    of_xlomp = {c.text.split(":")[0]: c for c in claims if "XLOMP" in c.of and "beats" in c.text}
    assert len(of_xlomp) == 9 and all(claim.holds for claim in of_xlomp.values())
    assert {app for app, claim in of_xlomp.items() if claim.of[1] == "XLOMP"} == executing


def test_without_clang_a_line_says_so(library, monkeypatch):
    take_for_clang(monkeypatch, "no-such-compiler")
    experiment = registry.find("p1-fig1")[0]
    chosen, missing = choose(experiment, None, of_xomp())
    assert [config.name for config in chosen] == ["GOMP"]
    assert missing == dict.fromkeys(CLANGS, "no-such-compiler is not installed")
    reasons = verdict.judge(experiment, of_xomp()).reasons
    assert all(f"{name}: no-such-compiler is not installed" in reasons for name in CLANGS)


def test_a_clang_without_openmp_is_as_good_as_none(library, monkeypatch, tmp_path):
    compiler = tmp_path / "clang"
    compiler.write_text(
        "#!/bin/sh\necho \"hello.c:1:1: fatal error: 'omp.h' file not found\" >&2\nexit 1\n"
    )
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    take_for_clang(monkeypatch, compiler)
    chosen, missing = choose(registry.find("p1-fig1")[0], ["GOMP", "XLOMP"], of_xomp())
    assert [config.name for config in chosen] == ["GOMP"]
    assert missing == {"XLOMP": "hello.c:1:1: fatal error: 'omp.h' file not found"}

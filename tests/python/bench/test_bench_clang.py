# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The harness's own programs as clang builds them: where they run, and under which name."""

import shutil
from pathlib import Path

import pytest

from bench_shared import main
from xomp import elf
from xomp.bench import balance, fib, icount, micro, plan, store
from xomp.bench.options import Measuring
from xomp.bench.run import Outcome
from xomp.errors import BadInputError
from xomp.shared import apps
from xomp.shared.errors import MissingToolError
from xomp.shared.runtimes import Runtime, find


@pytest.fixture(autouse=True)
def clang():
    if not (shutil.which("clang-19") or shutil.which("clang")):
        pytest.skip("clang is not installed")


@pytest.mark.parametrize("name", ["micro", "balance"])
def test_clang_is_no_program_of_libgomp_and_one_of_xomp(name):
    skipped = {}
    able = plan.able(name, "clang", [find("libgomp"), find("xomp")], skipped)
    assert [(runtime.label, program.name) for runtime, program in able] == [
        ("xomp", f"{name}-clang")
    ]
    assert "__kmpc_" in skipped[f"{name} (clang) on libgomp"]


def test_each_command_plans_the_programs_of_the_compiler_named():
    once, xomp = Measuring(threads=(2,)), [find("xomp")]
    of_fib = fib.jobs(fib.Options(compiler="clang"), once, xomp, {})
    of_micro = micro.jobs(["task"], "clang", once, xomp, {})
    shapes = balance.Options(shapes=["tree"], schedulers=("none",), compiler="clang")
    of_balance = balance.jobs(shapes, once, xomp, {})
    names = [[job.program.name for job in jobs] for jobs in (of_fib, of_micro, of_balance)]
    assert names == [["fib-clang"], ["micro-clang"], ["balance-clang"]]


def test_two_compilers_do_not_share_a_key():
    of_gcc, of_clang = (
        micro.jobs(["task"], compiler, Measuring(threads=(1,)), [find("xomp")], {})
        for compiler in ("gcc", "clang")
    )
    assert of_gcc[0].key != of_clang[0].key


def test_constructs_run(tmp_path):
    output = tmp_path / "results.jsonl"
    command = ["micro", "task", "--compiler", "clang", "--runtimes", "xomp", "--threads", "2"]
    assert main([*command, "--rounds", "1", "--output", str(output)]) == 0
    results = store.read(output)
    assert {job.program.name for job in results.jobs} == {"micro-clang"}
    assert all(outcome.failure is None for outcome in results.outcomes)


def test_unknown_compiler_is_refused():
    with pytest.raises(BadInputError, match="compiler"):
        plan.able("micro", "icc", [find("xomp")], {})


def test_missing_compiler_is_told(monkeypatch):
    monkeypatch.setitem(apps.COMPILERS, "clang", {"c": ("no-such-compiler",)})
    monkeypatch.setattr(apps, "is_fresh", lambda *_: False)
    with pytest.raises(MissingToolError):
        apps.build("micro", "clang")
    skipped = {}
    assert plan.able("micro", "clang", [find("xomp")], skipped) == []
    assert skipped == {"micro (clang)": "no-such-compiler is not installed"}


def test_program_of_clang_runs_on_the_library_meant(tmp_path):
    """Not on the system's libomp.so.5, under the name of ours."""
    program = apps.build("micro", "clang")
    for name in ("xomp", "libomp"):
        plan.check_taken(program, find(name))
    runtime = find("xomp")
    elsewhere = Runtime("xomp", runtime.library, tmp_path)
    with pytest.raises(BadInputError, match=r"the loader takes .* for micro-clang"):
        plan.check_taken(program, elsewhere)


def test_a_taskgraph_is_executed_everywhere_and_replayed_where_the_runtime_can(tmp_path):
    names = [
        f"graph_{shape}{how}" for shape in ("grid", "chain", "free") for how in ("", "_replayed")
    ]
    output = tmp_path / "results.jsonl"
    command = ["micro", *names, "--compiler", "clang", "--runtimes", "libomp,xomp"]
    command += ["--baseline", "libomp", "--threads", "2", "--rounds", "1"]
    assert main([*command, "--output", str(output)]) == 0
    results = store.read(output)
    told = {o.job.runtime.label: [r["construct"] for r in o.records] for o in results.outcomes}
    assert told["xomp"] == names
    there = "__kmpc_start_record_task" in {e.name for e in elf.read(find("libomp").library).exports}
    assert told["libomp"] == [name for name in names if there or not name.endswith("_replayed")]
    table, beside = micro.tables(results)
    cells = {row[0]: row[1:] for row in table.rows}
    assert list(cells) == names
    for name in names:
        absent = name not in told["libomp"]
        assert (cells[name][0] == "-") == absent
        assert (cells[name][2] == "-") == absent
        assert float(cells[name][1]) > 0
    assert beside.rows[0][2].endswith(f" of {len(told['libomp'])}")


def test_what_a_runtime_lacks_is_told_from_what_failed():
    once = Measuring(threads=(2,))
    labels = ("libomp", "xomp", "xomp@XOMP_BARRIER=central")
    some, all_of, none = micro.jobs(["task"], "clang", once, [find(each) for each in labels], {})
    task, graph = ({"program": "micro", "construct": name, "ns": 2.0} for name in ("task", "graph"))
    outcomes = [
        Outcome(some, 0, None, [task]),
        Outcome(all_of, 0, None, [task, graph]),
        Outcome(none, 0, "crashed", [task]),
    ]
    results = store.Results(Path(), {"baseline": "xomp"}, outcomes)
    rows = {row[0]: row[1:4] for row in micro.tables(results)[0].rows}
    assert rows == {"task": ("2.00", "2.00", "failed"), "graph": ("-", "2.00", "failed")}


def test_instructions_of_a_replayed_taskgraph_are_counted():
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    names = ["graph_chain", "graph_chain_replayed"]
    found = icount.count(find("xomp"), names, 200.0, "clang")
    assert [each.what for each in found] == names
    executed, replayed = (each.outside / 64 for each in found)
    assert 0 < replayed < executed


def test_the_counts_that_are_kept_are_of_gcc():
    with pytest.raises(BadInputError, match="built by gcc"):
        icount.icount(None, check=True, compiler="clang")

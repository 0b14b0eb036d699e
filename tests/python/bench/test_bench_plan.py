# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the command line to jobs: axes, variants, settings, and what is refused or left out."""

from dataclasses import replace

import pytest

from bench_shared import main
from xomp.bench import plan, tables
from xomp.bench.run import Case, Outcome, run
from xomp.bench.store import Results
from xomp.errors import BadInputError
from xomp.shared import apps
from xomp.shared.runtimes import find, find_all, unresolved


def labels(*arguments, **options):
    return [case.label for case in plan.select(*arguments, **options).cases]


def test_default_variant_is_the_first():
    assert labels(["fib"], ["test"]) == ["fib:tied test"]


def test_all_variants_and_all_applications():
    known = {variant["name"] for variant in apps.describe("fib")["variants"]}
    assert {label.split()[0] for label in labels(["fib:all"])} == {f"fib:{v}" for v in known}
    found = plan.select(["all"], ["test"])
    assert {case.app for case in found.cases} | found.skipped.keys() == set(apps.discover())


def test_repeated_settings_are_axes():
    settings = plan.parse_settings(["n=10", "n=12", "XOMP_BARRIER=tree", "OMP_PLACES={0},{1}"])
    assert labels(["fib"], ["test"], settings) == [
        "fib:tied test n=10 XOMP_BARRIER=tree OMP_PLACES={0},{1}",
        "fib:tied test n=12 XOMP_BARRIER=tree OMP_PLACES={0},{1}",
    ]


def test_setting_for_one_application_of_several():
    found = labels(["fib", "nqueens"], ["test"], plan.parse_settings(["fib.n=10"]))
    assert found == ["fib:tied test n=10", "nqueens:tied test"]


def test_variables_reach_the_program():
    case = Case("fib", "tied", "test", variables=(("OMP_WAIT_POLICY", "passive"),))
    job = plan.make_job(case, find("libgomp@OMP_DYNAMIC=true"), 3, 10.0)
    env = job.environment()
    chosen = ("OMP_WAIT_POLICY", "OMP_DYNAMIC", "OMP_NUM_THREADS")
    assert [env[name] for name in chosen] == ["passive", "true", "3"]


def test_serial_code_and_the_floor_run_on_one_thread():
    cases = plan.select(["fib:tied,serial"], ["test"]).cases
    jobs = plan.jobs(cases, [find("libgomp"), find("floor")], [2, 4])
    counts = [(job.case.variant, job.runtime.label, job.threads) for job in jobs]
    assert counts == [
        ("tied", "libgomp", 2),
        ("tied", "libgomp", 4),
        ("tied", "floor", 1),
        ("serial", "libgomp", 1),
        ("serial", "floor", 1),
    ]


def test_clang_binaries_are_skipped_where_their_abi_is_missing():
    found = plan.select(["fib"], ["test"], compilers=["clang"])
    if found.skipped:
        pytest.skip(str(found.skipped))
    skipped = {}
    assert plan.jobs(found.cases, [find("libgomp")], [1], skipped=skipped) == []
    assert "__kmpc_" in skipped["fib (clang) on libgomp"]


def test_binaries_of_two_compilers_side_by_side():
    found = plan.select(["fib"], ["test"], compilers=["gcc", "clang"])
    if found.skipped:
        pytest.skip(str(found.skipped))
    runtimes, _ = find_all(["libgomp", "libomp"])
    if len(runtimes) < 2:
        pytest.skip("no libomp")
    jobs = plan.jobs(found.cases, runtimes, [2], skipped={})
    assert [(job.case.compiler, job.runtime.label) for job in jobs] == [
        ("gcc", "libgomp"),
        ("gcc", "libomp"),
        ("clang", "libomp"),
    ]
    assert [run(job).failure for job in jobs] == [None] * 3


def test_gcc_binaries_find_all_they_need_in_libgomp():
    for name in plan.select(["all"], ["test"]).cases:
        if apps.get(name.app).threads == "openmp":
            assert unresolved(apps.build(name.app), find("libgomp").library) == ()


def test_other_libraries_stand_in_the_row_of_the_same_application():
    openmp = Case("fib", "tied", "test")
    job = plan.make_job(openmp, find("libgomp"), 2, 10.0)
    other = plan.make_job(openmp, find("libgomp@A=1"), 2, 10.0)
    peer = type(job)(
        type(job.runtime)("oneTBB", job.program, None),
        2,
        job.program,
        case=Case("fib-tbb", "group", "test"),
    )
    rows = tables.rows_of([job, other, peer])
    assert [list(row) for row in rows.values()] == [["libgomp", "libgomp@A=1", "oneTBB"]]


def test_table_shows_ratios_and_failures():
    jobs = [plan.make_job(Case("fib", "tied", "test"), find(f"libgomp@A={i}"), 1, 9) for i in "123"]
    outcomes = [
        Outcome(job, index, None if time else "crashed with SIGSEGV: x", [{"seconds": time}])
        for index in range(3)
        for job, time in zip(jobs, (1.0, 2.0, None), strict=True)
    ]
    head = {"baseline": "libgomp@A=1", "jobs": []}
    table = tables.side_by_side(Results(None, head, outcomes))
    assert table.rows == [["fib:tied", "1", "1.000", "2.00 [2.00, 2.00]", "crashed with SIGSEGV"]]


def test_table_of_spreads_has_a_whole_row_for_each_job():
    jobs = [plan.make_job(Case("fib", "tied", "test"), find(f"libgomp@A={i}"), 2, 9) for i in "12"]
    records = [{"seconds": seconds, "cpu": 3.0, "tasks": 1e9} for seconds in (1.0, 2.0, 4.0)]
    outcomes = [Outcome(jobs[0], index, None, [record]) for index, record in enumerate(records)]
    outcomes.append(Outcome(jobs[1], 0, "wrong result", records[:1]))
    table = tables.spreads(Results(None, {"baseline": "libgomp@A=1", "jobs": []}, outcomes))
    assert {len(row) for row in table.rows} == {len(table.header)}
    measured, failed = (dict(zip(table.header, row, strict=True)) for row in table.rows)
    assert (measured["runtime"], measured["runs"], measured["tasks"]) == (
        "libgomp@A=1",
        "3",
        "1000000000",
    )
    assert float(measured["median, s"]) == 2.0
    assert float(measured["CPU s"]) == 3.0
    assert float(measured["ns per task x threads"]) == 4.0
    assert (failed["runs"], failed["median, s"]) == ("0", "wrong result")


def test_table_names_the_fastest_peer_of_each_row():
    labels = ("libgomp@A=1", "libgomp@A=2", "libgomp@A=3")
    jobs = [plan.make_job(Case("fib", "tied", "test"), find(label), 1, 9) for label in labels]
    own = replace(jobs[2], runtime=replace(jobs[2].runtime, label="xomp"))
    outcomes = [
        Outcome(job, 0, None, [{"seconds": time}])
        for job, time in zip((*jobs[:2], own), (2.0, 1.0, 1.5), strict=True)
    ]
    head = {"baseline": "libgomp@A=1", "jobs": []}
    table = tables.beside_the_best(Results(None, head, outcomes))
    assert table.header == ("application", "threads", "fastest", "s", "xomp")
    assert table.rows == [["fib:tied", "1", "libgomp@A=2", "1.000", "1.50 [1.50, 1.50]"]]


def test_median_beside_a_failed_baseline_is_not_taken_for_a_ratio():
    jobs = [plan.make_job(Case("fib", "tied", "test"), find(f"libgomp@A={i}"), 1, 9) for i in "12"]
    outcomes = [
        Outcome(jobs[0], 0, "wrong result", [{"seconds": 1.0}]),
        Outcome(jobs[1], 0, None, [{"seconds": 2.0}]),
    ]
    table = tables.side_by_side(Results(None, {"baseline": "libgomp@A=1", "jobs": []}, outcomes))
    assert table.rows == [["fib:tied", "1", "wrong result", "2.000 s"]]
    table = tables.side_by_side(Results(None, {"baseline": "libomp", "jobs": []}, outcomes))
    assert table.title == "Time: median of 1 rounds."
    assert table.header == ("application", "threads", "libgomp@A=1", "libgomp@A=2")


BAD = [
    ("run nothing", "no application 'nothing'"),
    ("run fib:nothing", "no variant 'nothing'"),
    ("run fib --size huge", "no size 'huge'"),
    ("run fib --runtimes libfoo", "no runtime 'libfoo'"),
    ("run fib --runtimes libgomp@x", "expected KEY=VALUE"),
    ("run fib --runtimes xomp@LIBRARY=/etc/passwd", "cannot be loaded"),
    ("run fib --runtimes libgomp@OMP_SCHEDULE=x", "environment variable OMP_SCHEDULE"),
    ("run fib --set OMP_SCHEDULE=x", "environment variable OMP_SCHEDULE"),
    ("run fib --output /dev/full --resume --size test", "cannot read /dev/full: not a file"),
    ("run fib --set n", "--set needs KEY=VALUE"),
    ("run fib --set depth=3", "no parameter 'depth'"),
    ("run fib --set uts.tree=T3", "'uts' is not among"),
    ("run fib --set n=many --rounds 1", "--n must be an integer"),
    ("run fib --data /nowhere", "not a folder"),
    ("run health --data / --size test --rounds 1", "cannot read"),
    ("run fib --compiler icc", "no compiler 'icc'"),
    ("run fib --threads 0", "numbers from 1"),
    ("run fib --limit -1", "seconds above 0"),
    ("sweep fib --executor slurm", "no executor 'slurm'"),
    ("report /nowhere", "cannot read /nowhere"),
    ("list nothing", "no application 'nothing'"),
    ("icount nothing", "no construct 'nothing'"),
    ("nothing", "no such command"),
]


@pytest.mark.parametrize(("command", "complaint"), BAD)
def test_bad_input_gets_one_line_and_status_2(command, complaint, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("xomp.bench.measure.RESULTS", tmp_path)
    assert main(command.split()) == 2
    shown = capsys.readouterr().err
    assert complaint in shown
    assert shown.count("\n") == 1


def test_application_added_as_a_folder_is_found(tmp_path):
    description = tmp_path / "mine" / "app.json"
    description.parent.mkdir()
    description.write_text('{"about": "x", "sources": ["mine.c"], "packages": ["p"], "deep": true}')
    app = apps.read_app(description)
    assert (app.name, app.deep, app.packages, app.threads) == ("mine", True, ("p",), "openmp")
    description.write_text('{"about": "x"}')
    assert "sources" in apps.read_app(description).error


def test_size_is_refused_before_anything_is_built():
    with pytest.raises(BadInputError, match="size"):
        plan.select(["fib"], ["enormous"])

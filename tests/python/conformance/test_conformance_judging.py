# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judging a run, reports, stored results, and the data files of the conformance package."""

import json
import time
from pathlib import Path

import pytest

from xomp.conformance import cli, execute, machine, report, selection
from xomp.conformance.build import Binary
from xomp.conformance.compilers import GNU, LLVM
from xomp.conformance.execute import Result, Runtime
from xomp.conformance.plan import Test as SuiteTest
from xomp.conformance.store import Store
from xomp.conformance.suite import Outcome
from xomp.start import main

LIBGOMP = Runtime("libgomp")
XOMP = Runtime("xomp-tree", Path("/nowhere/libgomp.so.1"))


def suite_test(name="c/a.c", **more):
    return SuiteTest(name=name, language=name.partition("/")[0], sources=[], flags=[], **more)


def outcome(name, reference, ours):
    results = {"libgomp": Result(reference, 0.1), "xomp-tree": Result(ours, 0.1)}
    return Outcome(suite_test(name), Binary(Path("x"), "key"), results)


def test_exit_status_decides():
    assert execute.judge(suite_test(), 0, "")[0] == "pass"
    assert execute.judge(suite_test(), 1, "") == ("fail", "exit status 1")
    assert execute.judge(suite_test(), -6, "") == ("fail", "SIGABRT")
    assert execute.judge(suite_test(), None, "")[0] == "timeout"


def test_should_fail_turns_the_exit_status_around():
    test = suite_test(should_fail=True, output="fatal")
    assert execute.judge(test, 1, "a fatal end")[0] == "pass"
    assert execute.judge(test, 1, "something else")[0] == "fail"
    assert execute.judge(test, 0, "a fatal end")[0] == "fail"
    assert execute.judge(test, None, "a fatal end")[0] == "timeout"


def script(folder, text):
    path = folder / "test.exe"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_callers_settings_do_not_reach_a_test(tmp_path, monkeypatch):
    monkeypatch.setenv("OMP_DYNAMIC", "true")
    test = suite_test(environment={"OMP_CANCELLATION": "true"})
    path = script(tmp_path, 'test -z "$OMP_DYNAMIC" && test "$OMP_CANCELLATION" = true')
    assert execute.run(test, path, LIBGOMP).outcome == "pass"


def test_time_limit_ends_the_test_and_its_children(tmp_path):
    """They would go on for an hour."""
    child = tmp_path / "child"
    path = script(tmp_path, f"sleep 3600 & echo $! > {child}.new; mv {child}.new {child}; wait")
    limit = 0.2
    while not child.exists():  # on a busy machine the limit may come before the child
        result = execute.run(suite_test(time_limit=limit), path, LIBGOMP)
        assert result.outcome == "timeout"
        limit *= 2
    end = time.monotonic() + 60  # to die of SIGKILL takes its time
    while alive(int(child.read_text())):
        assert time.monotonic() < end
        time.sleep(0.01)


def alive(process: int) -> bool:
    """One that has ended and was not waited for is not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_repeat_stops_at_the_first_failure(tmp_path):
    path = script(tmp_path, f"echo x >> {tmp_path}/n; test $(wc -l < {tmp_path}/n) -lt 3")
    result = execute.run(suite_test(), path, LIBGOMP, repeat=5)
    assert (result.outcome, result.runs) == ("fail", 3)


def test_regressions_are_what_passes_there_and_fails_here():
    outcomes = [
        outcome("c/a.c", "pass", "pass"),
        outcome("c/b.c", "pass", "timeout"),
        outcome("c/c.c", "fail", "fail"),
        outcome("c/d.c", "fail", "pass"),
    ]
    runtimes = [LIBGOMP, XOMP]
    assert report.regressions(outcomes, runtimes) == {"xomp-tree": ["c/b.c"]}
    assert report.improvements(outcomes, runtimes) == ["c/d.c"]
    assert report.closing_counts(outcomes, runtimes) == (2, 2)


def test_without_a_reference_every_failure_counts(capsys):
    passes = outcome("c/a.c", "pass", "pass")
    refused = Outcome(suite_test("c/c.c"), Binary(None, "key"))
    for found, status in (("pass", 0), ("fail", 1), ("timeout", 1)):
        outcomes = [passes, outcome("c/b.c", "fail", found), refused]
        assert cli._closing(outcomes, [XOMP], GNU) == status
        assert cli._closing(outcomes, [LIBGOMP, XOMP], GNU) == 0
        assert cli._closing(outcomes, [LIBGOMP], GNU) == 0


def test_what_passes_by_chance_is_no_regression():
    chance = outcome("c/teams-5.c", "pass", "fail")
    selection.settle_chance([chance.test], "gcc")
    assert report.regressions([chance], [LIBGOMP, XOMP]) == {"xomp-tree": ["c/teams-5.c"]}
    selection.settle_chance([chance.test], "clang")
    assert report.regressions([chance], [LIBGOMP, XOMP]) == {"xomp-tree": []}


def refused_outcome(name, log):
    return Outcome(suite_test(name), Binary(None, "key", log))


def test_refusals_are_listed_by_the_class_of_their_reason(capsys):
    outcomes = [
        refused_outcome("c/a.c", "clang-19: error: unknown argument: '-ftree-parallelize-loops=2'"),
        refused_outcome("c/b.c", "b.c:1:1: error: function definition is not allowed here"),
        refused_outcome("c/c.c", "c.c:1:1: error: function definition is not allowed here"),
        refused_outcome("c/d.c", "d.c:1:1: error: nobody has seen this"),
        outcome("c/e.c", "pass", "pass"),
    ]
    classes = report.refused(outcomes, LLVM)
    assert [len(members) for members in classes.values()] == [2, 1, 1]
    assert report.print_refused(outcomes, LLVM) == 4
    told = capsys.readouterr().out
    assert "nested functions, gcc's extension\n  c/b.c c/c.c" in told
    assert "Not built: c/d.c\nd.c:1:1: error: nobody has seen this" in told


def test_options_of_gcc_that_say_nothing_of_openmp_are_kept_from_clang():
    options = ["-O2", "-fdump-tree-omplower", "-fno-tree-ch", "-ftree-parallelize-loops=2"]
    assert LLVM.accepted("c", options) == ["-O2", "-ftree-parallelize-loops=2"]
    assert GNU.accepted("c", options) == options


def test_store_resumes_and_survives_a_cut_off_line(tmp_path):
    path = tmp_path / "results.jsonl"
    Store(path, resume=False).put("k", Result("pass", 1.5))
    with path.open("a") as stream:
        stream.write('{"key": "half')
    assert Store(path, resume=True).get("k") == Result("pass", 1.5)
    assert Store(path, resume=False).get("k") is None


def test_offload_tests_are_left_out_only_when_listed():
    listed = suite_test("c/target-11.c", missing=["offload_device_nonshared_as"])
    free = suite_test("c/examples-4/device-2.c", missing=["offload_device"])
    other = suite_test("c/x.c", missing=["ia32"])
    selection.settle_offload([listed, free, other])
    assert listed.unsupported.startswith("only an offload device")
    assert free.unsupported == ""
    assert other.unsupported == "needs ia32"


def test_triplets_are_brought_to_four_parts():
    assert machine.canonical_triplet("x86_64-linux-gnu") == "x86_64-pc-linux-gnu"
    assert machine.canonical_triplet("aarch64-linux-gnu") == "aarch64-unknown-linux-gnu"
    assert machine.canonical_triplet("x86_64-pc-linux-gnu") == "x86_64-pc-linux-gnu"


def test_unknown_selector_names_are_remembered():
    here = machine.Machine("x86_64-pc-linux-gnu", frozenset())
    assert here.holds("*-*-linux*", "c")
    assert not here.holds("no_such_target", "c")
    assert here.unknown == {"no_such_target"}


def test_data_files_are_in_order():
    names = selection.subset_names("quick")
    assert 120 <= len(names) <= 200
    languages = {name.partition("/")[0] for name in names}
    assert languages == {"c", "c++", "fortran"}
    by_clang = selection.subset_names("quick-clang")
    assert 20 <= len(by_clang) <= 40
    assert by_clang <= names
    assert not names & selection.not_applicable().keys()
    assert all(reason for reason in selection.not_applicable().values())


@pytest.mark.parametrize("arguments", [["--variant", "a:lower=1"], ["--lib", "/nowhere"]])
def test_bad_usage_exits_with_2(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(cli, "_chosen", lambda *given: [])
    monkeypatch.setattr(cli.source, "find_archive", lambda given: tmp_path)
    monkeypatch.setattr(cli.source, "prepare", lambda archive, work: None)
    library = tmp_path / "libgomp.so.1"
    library.touch()
    assert main(["conformance", "--lib", str(tmp_path), *arguments]) == 2
    assert "conformance: " in capsys.readouterr().err


@pytest.mark.parametrize("pair", ["XOMP_SHEDULER=slb", "XOMP_BARRIER=none"])
def test_a_variant_that_the_library_ignores_is_refused(
    pair, library, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(cli, "_chosen", lambda *given: [])
    monkeypatch.setattr(cli.source, "find_archive", lambda given: tmp_path)
    monkeypatch.setattr(cli.source, "prepare", lambda archive, work: None)
    arguments = ["--lib", str(library.parent), "--work", str(tmp_path), "--variant", f"a:{pair}"]
    assert main(["conformance", *arguments]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and pair.partition("=")[0] in told


def test_json_has_the_documented_fields(tmp_path, monkeypatch):
    monkeypatch.setattr(Runtime, "identity", lambda self: "0")
    path = tmp_path / "r.json"
    report.write_json(
        path, [outcome("c/b.c", "pass", "fail")], [LIBGOMP, XOMP], GNU, {"subset": "all"}
    )
    document = json.loads(path.read_text())
    assert document["schema"] == report.SCHEMA
    assert document["regressions"] == {"xomp-tree": ["c/b.c"]}
    assert document["tests"][0]["results"]["xomp-tree"]["outcome"] == "fail"

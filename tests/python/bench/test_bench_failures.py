# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench run` with runtimes that are missing, crash, hang or compute nonsense."""

import subprocess

import pytest

from bench_shared import main
from xomp.bench import store
from xomp.shared import apps
from xomp.shared.paths import SOURCES

BROKEN = [
    ("GOMP_taskwait", "void GOMP_taskwait(void) { __builtin_trap(); }", "crashed with SIGILL"),
    ("GOMP_taskwait", "void GOMP_taskwait(void) { for (;;) ; }", "did not end within 2 s"),
    ("GOMP_single_start", "bool GOMP_single_start(void) { return false; }", "wrong result"),
]


@pytest.fixture
def broken(tmp_path):
    """Builds the floor with another body for one function."""

    def build(function, body):
        text = (
            f'#define {function} original\n#include "{SOURCES}/floor/floor.c"\n#undef {function}\n'
        )
        source = tmp_path / "broken.c"
        source.write_text(text + body + "\n")
        library = tmp_path / "libgomp.so.1"
        flags = apps.PLUMBING["floor/libgomp.so.1"].flags
        subprocess.run(["gcc", *flags, source, "-o", library], check=True)
        return f"floor@LIBRARY={library}"

    return build


@pytest.mark.parametrize(("function", "body", "complaint"), BROKEN)
def test_failed_run_is_reported_and_no_time(broken, tmp_path, capsys, function, body, complaint):
    label = broken(function, body)
    path = tmp_path / "results.jsonl"
    command = ["run", "fib", "--size", "test", "--runtimes", f"libgomp,{label}", "--threads", "1"]
    command += ["--rounds", "3", "--limit", "2", "--no-plot", "--output", str(path)]
    assert main(command) == 1
    shown = capsys.readouterr()
    assert f"FAILED: fib:tied test on {label} with 1 thread: {complaint}" in shown.err
    results = store.read(path)
    failed = [outcome for outcome in results.outcomes if outcome.failure]
    assert {outcome.job.runtime.label for outcome in failed} == {label}
    assert len(failed) == 2  # and then it is given up
    page = path.with_suffix(".md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in page if line.startswith("|")]
    assert ["0", complaint] in [row[4:6] for row in rows if row[3] == label]


def test_missing_runtime_is_named_and_left_out(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", "/nowhere/libgomp.so.1")
    path = tmp_path / "results.jsonl"
    command = ["run", "fib", "--size", "test", "--runtimes", "libgomp,xomp", "--threads", "1"]
    assert main([*command, "--rounds", "1", "--no-plot", "--output", str(path)]) == 0
    assert (
        "skipped xomp: no /nowhere/libgomp.so.1 (build it with `make`)" in capsys.readouterr().err
    )
    assert store.read(path).head["skipped"].keys() == {"xomp"}


def test_application_without_its_package_is_named_and_left_out(tmp_path, capsys, monkeypatch):
    """Where the compiler finds what it needs is nothing to rely on: another compiler is missing."""
    monkeypatch.setitem(apps.COMPILERS, "clang", {"c": ("no-such-compiler",)})
    monkeypatch.setattr(apps, "BENCH", tmp_path)
    command = ["run", "fib", "--size", "test", "--compiler", "clang", "--rounds", "1"]
    assert main(command) == 2
    shown = capsys.readouterr().err
    assert "skipped fib (clang): no-such-compiler is not installed" in shown
    assert "nothing to run" in shown

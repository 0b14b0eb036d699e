# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo from end to end, on small problems and with a runtime that may be broken."""

import json
import subprocess
from types import SimpleNamespace

import pytest

from bench_shared import main
from xomp.bench import demo
from xomp.shared import apps
from xomp.shared.paths import SOURCES
from xomp.shared.runtimes import system_libgomp

SMALL = {
    "uts": ("tree", "TINY"),
    "fib": ("n", "12"),
    "nqueens": ("n", "5"),
    "rounds": 2,
    "budget": 60.0,
    "limit": 20.0,
}


@pytest.fixture
def small_demo(monkeypatch, tmp_path):
    monkeypatch.setitem(demo.SIZES, "default", SMALL)
    monkeypatch.setattr(demo, "DEMO", tmp_path)
    monkeypatch.setattr(demo, "PROGRAMS", (("fib", "tied"), ("nqueens", "tied"), ("uts", "paper")))
    monkeypatch.setattr(demo, "thread_counts", lambda machine: [1, 2])
    return tmp_path


def floor_with(tmp_path, macro):
    """A runtime like the floor, with one function renamed away and another body in its place."""
    name, body = macro
    extra = tmp_path / "extra.c"
    extra.write_text(
        f'#define {name} original\n#include "{SOURCES}/floor/floor.c"\n#undef {name}\n{body}\n'
    )
    library = tmp_path / "libgomp.so.1"
    flags = apps.PLUMBING["floor/libgomp.so.1"].flags
    subprocess.run(["gcc", *flags, extra, "-o", library], check=True)
    return library


def test_demo_shows_table_and_saves_every_run(small_demo, monkeypatch, capsys):
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", str(system_libgomp()))
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "uts TINY" in shown
    assert "fib 12" in shown
    assert "What it means" in shown
    assert demo.ABOUT in shown
    lines = next(small_demo.glob("demo-*.jsonl")).read_text().splitlines()
    head, *runs, end = map(json.loads, lines)
    assert (head["kind"], end["kind"]) == ("head", "end")
    assert head["command"] == "xomp bench demo"
    assert len(runs) == 3 * 2 * 2 * (1 + SMALL["rounds"])


def test_a_single_round_has_no_quartiles_and_no_interval(small_demo, monkeypatch, capsys):
    monkeypatch.setitem(demo.SIZES, "default", {**SMALL, "rounds": 1})
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", str(system_libgomp()))
    assert main(["demo"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "│ fib 12" in line]
    assert len(rows) == 2
    assert not any("[" in row or " to " in row for row in rows)


def test_demo_saves_a_plot(small_demo, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", str(system_libgomp()))
    assert main(["demo", "--rounds", "1"]) == 0
    assert (small_demo / "demo.png").stat().st_size > 10000
    assert (small_demo / "demo.svg").exists()


@pytest.mark.parametrize(
    ("function", "body", "complaint"),
    [
        ("GOMP_taskwait", "void GOMP_taskwait(void) { __builtin_trap(); }", "crashed with SIGILL"),
        ("GOMP_taskwait", "void GOMP_taskwait(void) { for (;;) pause(); }", "did not end within"),
        ("GOMP_single_start", "bool GOMP_single_start(void) { return false; }", "wrong result"),
    ],
)
def test_demo_reports_a_broken_runtime(
    small_demo, monkeypatch, tmp_path, capsys, function, body, complaint
):
    monkeypatch.setattr(demo, "PROGRAMS", (("fib", "tied"), ("nqueens", "tied")))
    monkeypatch.setitem(SMALL, "rounds", 1)
    monkeypatch.setitem(SMALL, "limit", 0.5)
    library = floor_with(tmp_path, (function, body))
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", str(library))
    assert main(["demo"]) == 1
    shown = capsys.readouterr()
    assert complaint in shown.err
    assert "failed" in shown.out


def test_demo_without_xomp_says_so(small_demo, monkeypatch, capsys):
    monkeypatch.setenv("BENCH_XOMP_LIBRARY", "/nowhere/libgomp.so.1")
    assert main(["demo"]) == 1
    assert "xomp is missing" in capsys.readouterr().err


def run_of(name, runtime, threads, *times):
    """A job and its outcomes, of which `demo` reads label, threads and seconds."""
    label = SimpleNamespace(label=runtime)
    job = SimpleNamespace(label=name, runtime=label, threads=threads)
    return job, times


def test_demo_says_which_programs_gain_nothing_from_a_second_thread(monkeypatch):
    runs = [
        run_of("fib:tied small n=30", "libgomp", 1, 1.0, 1.1, 5.0),
        run_of("fib:tied small n=30", "libgomp", 2, 2.0, 2.1, 0.1),
        run_of("uts:paper small tree=T3", "libgomp", 1, 1.0),
        run_of("uts:paper small tree=T3", "libgomp", 2, 0.6),
        run_of("health:tied small", "libgomp", 1, 1.0),
        run_of("health:tied small", "libgomp", 2),
        run_of("nqueens:tied small", "xomp", 1, 1.0),
        run_of("nqueens:tied small", "xomp", 2, 2.0),
    ]
    times = {id(job): dict(enumerate(taken)) for job, taken in runs}
    monkeypatch.setattr(demo, "series", lambda outcomes, job, figure: times[id(job)])
    jobs = [job for job, _ in runs]
    assert demo.not_faster(jobs, [], "libgomp") == ["fib 30"]
    text = demo.why_two_are_no_faster({"libgomp": ["fib 30"], "xomp": []}, 2)
    assert text.startswith("No faster on 2 threads than on 1: fib 30 on libgomp.\n")
    assert "has to travel" in text
    assert demo.why_two_are_no_faster({"libgomp": [], "xomp": []}, 2) == ""

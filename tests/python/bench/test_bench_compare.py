# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp bench compare`: finds what changed, is quiet about noise, and says when it cannot tell."""

import json
import random

import pytest

from bench_shared import main

pytest.importorskip("scipy")

HEAD = {"kind": "head", "format": 1, "runtimes": [], "jobs": []}


def run_line(app, runtime, index, seconds, failure=None):
    record = {"seconds": seconds, "cpu": seconds, "tasks": 1}
    return {
        "kind": "run",
        **{"runtime": runtime, "library": "/lib/x", "threads": 2, "program": app},
        **{"arguments": [], "app": app, "variant": "tied", "size": "test", "parameters": {}},
        **{"variables": {}, "compiler": "gcc", "data": None, "round": index, "host": "h"},
        **{"failure": failure, "records": [record], "usage": {}},
    }


@pytest.fixture
def write(tmp_path):
    """Writes a results file: times by (application, runtime)."""

    def write_times(name, times, failing=()):
        lines = [HEAD]
        for (app, runtime), values in times.items():
            lines += [run_line(app, runtime, i, value) for i, value in enumerate(values)]
        lines += [run_line(app, runtime, 0, 0, "wrong result") for app, runtime in failing]
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    return write_times


def noisy(seed, scale=1.0, count=12):
    generator = random.Random(seed)
    return [scale * generator.gauss(1, 0.02) for _ in range(count)]


def test_slower_application_is_found_among_unchanged_ones(write, capsys):
    old = {(f"app{i}", "xomp"): noisy(i) for i in range(20)}
    new = {(f"app{i}", "xomp"): noisy(100 + i, 1.2 if i == 7 else 1.0) for i in range(20)}
    assert main(["compare", write("a", old), write("b", new)]) == 1
    shown = capsys.readouterr().out
    assert "app7:tied test, 2 threads, xomp" in shown
    assert "1 slower, 0 faster, 19 without" in shown


def test_faster_is_no_failure(write, capsys):
    a, b = write("a", {("fib", "xomp"): noisy(1)}), write("b", {("fib", "xomp"): noisy(2, 0.8)})
    assert main(["compare", a, b, "--markdown"]) == 0
    assert "0 slower, 1 faster" in capsys.readouterr().out


def test_noise_is_rarely_taken_for_a_change(write):
    """Of twenty comparisons of nothing with nothing, at the rate of 5%, few may sound an alarm."""
    alarms = 0
    for trial in range(20):
        old = {(f"app{i}", "xomp"): noisy(1000 * trial + i) for i in range(30)}
        new = {(f"app{i}", "xomp"): noisy(1000 * trial + 500 + i) for i in range(30)}
        alarms += main(["compare", write("a", old), write("b", new), "--threshold", "0"])
    assert alarms <= 3


def test_change_below_the_threshold_does_not_count(write):
    steady = [1 + 1e-4 * index for index in range(12)]
    a = write("a", {("fib", "xomp"): steady})
    b = write("b", {("fib", "xomp"): [1.02 * value for value in steady]})
    assert main(["compare", a, b]) == 0
    assert main(["compare", a, b, "--threshold", "0.01"]) == 1


def test_too_few_runs_are_said_to_be_too_few(write, capsys):
    a = write("a", {("fib", "xomp"): [1.0, 1.1]})
    b = write("b", {("fib", "xomp"): [2.0, 2.1]})
    assert main(["compare", a, b]) == 0
    assert "Use more --rounds" in capsys.readouterr().out


def test_ratio_to_an_unchanged_runtime_cancels_drift(write):
    drift = [1 + 0.1 * index for index in range(12)]
    old = {("fib", "libgomp"): noisy(1), ("fib", "xomp"): noisy(2, 0.5)}
    new = {
        ("fib", "libgomp"): drift,
        ("fib", "xomp"): [value / 2 for value in drift],
    }
    a, b = write("a", old), write("b", new)
    assert main(["compare", a, b]) == 1
    assert main(["compare", a, b, "--relative-to", "libgomp"]) == 0


def test_two_runtimes_of_one_file(write, capsys):
    times = {("fib", "xomp@LIBRARY=old"): noisy(1), ("fib", "xomp"): noisy(2, 1.3)}
    path = write("a", times)
    assert main(["compare", path, "--between", "xomp@LIBRARY=old", "xomp"]) == 1
    assert "1 slower" in capsys.readouterr().out
    assert main(["compare", path, "--between", "xomp", "nothing"]) == 2


def test_new_failure_counts_as_worse(write, capsys):
    times = {("fib", "xomp"): noisy(1), ("uts", "xomp"): noisy(2)}
    a, b = write("a", times), write("b", {("uts", "xomp"): noisy(2)}, failing=[("fib", "xomp")])
    assert main(["compare", a, b]) == 1
    assert "FAILS NOW: fib:tied test, 2 threads, xomp" in capsys.readouterr().out


def test_all_failing_now_is_no_bad_input(write, capsys):
    a, b = write("a", {("fib", "xomp"): noisy(1)}), write("b", {}, failing=[("fib", "xomp")])
    assert main(["compare", a, b]) == 1
    assert "FAILS NOW: fib:tied test, 2 threads, xomp" in capsys.readouterr().out


def test_another_machine_is_told(write, capsys, monkeypatch):
    a = write("a", {("fib", "xomp"): noisy(1)})
    monkeypatch.setitem(HEAD, "cpu", "other")
    assert main(["compare", a, write("b", {("fib", "xomp"): noisy(1)})]) == 0
    assert "warning: cpu was None and is 'other'" in capsys.readouterr().err
    assert main(["compare", a, a, "--level", "7"]) == 2


def test_nothing_in_common_is_bad_input(write):
    a, b = write("a", {("fib", "xomp"): noisy(1)}), write("b", {("uts", "xomp"): noisy(1)})
    assert main(["compare", a, b]) == 2
    assert main(["compare", a]) == 2

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the harness reads (result lines, labels, callgrind profiles) and the tables it writes."""

import re

import pytest
import typer

from xomp.bench import pages
from xomp.bench.icount import self_costs
from xomp.bench.run import judge, parse
from xomp.bench.stats import Ratio
from xomp.cli.values import number_list, runtime_list
from xomp.errors import BadInputError
from xomp.shared.machine import processors
from xomp.shared.runtimes import parse_label
from xomp.shared.text import rounded


def test_a_table_on_a_narrow_terminal_loses_no_letter(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "30")
    ratio = "0.96 [0.95, 0.98]"
    pages.show([pages.Table("t", ["application", "xomp"], [["nqueens:tied-manual", ratio]])])
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()  # without colours
    assert lines and max(map(len, lines)) <= 30
    cells = [line.split("│")[1].strip() for line in lines if line.startswith("│")]
    assert "".join(cells) == "nqueens:tied-manual"


def test_result_lines_become_typed_records():
    output = "noise\nfib n=27 ok=1 seconds=0.25 variant=both\nmore noise here\n\n"
    assert parse(output) == [
        {"program": "fib", "n": 27, "ok": 1, "seconds": 0.25, "variant": "both"}
    ]


@pytest.mark.parametrize(
    ("usage", "records", "errors", "verdict"),
    [
        ({"exit": 0, "signal": 0}, [{"ok": 1}], "", None),
        ({"exit": 0, "signal": 0}, [{"ns": 3.5}], "chatter", None),
        ({"exit": -1, "signal": 11}, [], "", "crashed with SIGSEGV"),
        ({"exit": -1, "signal": 6}, [{"ok": 1}], "abort: no\n", "crashed with SIGABRT: abort: no"),
        ({"exit": 1, "signal": 0}, [{"ok": 0}], "", "wrong result"),
        ({"exit": 0, "signal": 0}, [{"ok": 0}], "", "wrong result"),
        ({"exit": 3, "signal": 0}, [{"ok": 1}], "", "exit code 3"),
        ({"exit": 0, "signal": 0}, [], "", "printed no result"),
    ],
)
def test_only_a_clean_and_right_run_counts(usage, records, errors, verdict):
    assert judge(usage, records, errors) == verdict


def test_label_carries_settings():
    assert parse_label("xomp") == ("xomp", {})
    assert parse_label("xomp@XOMP_BARRIER=central,OMP_PLACES=0,1") == (
        "xomp",
        {"XOMP_BARRIER": "central", "OMP_PLACES": "0,1"},
    )
    with pytest.raises(BadInputError, match="KEY=VALUE"):
        parse_label("xomp@central")


def test_comma_separates_labels_but_not_settings():
    assert runtime_list("floor,xomp@A=1,B=2,libgomp") == ["floor", "xomp@A=1,B=2", "libgomp"]


def test_thread_counts_are_positive_and_possible():
    assert number_list("1,2,8") == [1, 2, 8]
    assert number_list("2x,4x,1") == [2 * processors(), 4 * processors(), 1]
    for text in ("0", "", "1,", "two", "100000000000", "x", "0x", "2xx"):
        with pytest.raises(typer.BadParameter, match="numbers from 1"):
            number_list(text)


PROFILE = """\
version: 1
creator: callgrind-3.19.0
cmd: ./fib
positions: line
events: Ir

ob=(1) /build/bench/fib
fl=(1) ???
fn=(1) fib_both
0 5
+3 2
cob=(2) /lib/libgomp.so.1
cfi=(2) ???
cfn=(2) GOMP_task
calls=3 0
0 700
* 1

ob=(2)
fn=(2)
0 40
-1 2
fi=(3) task.c
7 1
fe=(2)
0 1

fn=(1)
0 9

totals: 60
"""


def test_profile_gives_self_costs_without_callees():
    assert self_costs(PROFILE.splitlines()) == {
        ("/build/bench/fib", "fib_both"): 8,
        ("/lib/libgomp.so.1", "GOMP_task"): 44,
        ("/lib/libgomp.so.1", "fib_both"): 9,
    }


def test_numbers_keep_three_digits():
    shown = [rounded(value) for value in (1234.4, 99.96, 12.34, 1.234, 0.0004, 0)]
    assert shown == ["1234", "100.0", "12.3", "1.23", "<0.01", "0.00"]
    assert pages.ratio_text(Ratio(1.5, 1.25, 20.04, 5)) == "1.50 [1.25, 20.0]"
    assert pages.ratio_text(None) == "-"
    assert pages.ratio_text(Ratio(0.0123, 0.0099, 0.104, 5)) == "0.012 [0.0099, 0.10]"


def test_markdown_table_lines_up():
    table = pages.markdown(("a", "long"), [("xyz", "1")])
    assert table.splitlines() == ["| a   | long |", "| --- | ---- |", "| xyz | 1    |"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`xomp report`: the page, two runs side by side, exports, and what it says of bad input."""

import csv
import errno
import gzip
import io
import json
import os
import random
import re
import sys

import pytest
from rich.console import Console

import perflog_scenarios as scenarios
from perflog_writer import START, TICKS_PER_US, LogWriter
from xomp.profile import progress
from xomp.profile.analysing.load import load
from xomp.profile.reading import records
from xomp.profile.reading.format import Kind
from xomp.profile.showing import compare, figures, tables, terminal
from xomp.profile.showing.numbers import numbers, states, times
from xomp.shared.text import percent, seconds, several
from xomp.start import main


def shown(capsys, *arguments) -> str:
    assert main(["report", *map(str, arguments)]) == 0
    return capsys.readouterr().out


@pytest.fixture
def one_producer(tmp_path):
    scenarios.one_producer().write(tmp_path / "run")
    return tmp_path / "run"


def test_the_page_begins_with_the_time_and_the_first_cause(one_producer, capsys):
    page = shown(capsys, one_producer)
    lines = page.splitlines()
    assert lines[0] == "./program 42"
    assert lines[1] == "10 ms on 4 threads, 1,000 tasks, 1 parallel region"
    first = next(line for line in lines if line.startswith("1. "))
    assert first.startswith("1. One thread makes the tasks, and cannot keep up: tasks made at 0x40")
    assert page.index("Where the time went") < page.index("1. ") < page.index("Numbers")
    assert re.search(r"idle +18\.1 ms +45 %", page)
    assert re.search(r"0x401000 +1,000 +12 ms", page)
    assert re.search(r"\n +thread 0 +5\.03 ms .* 1,000 +0\n +thread 1 .* 0 +334\n", page)


def test_no_line_of_a_piped_page_is_too_long_or_ends_in_blanks(one_producer, capsys):
    lines = shown(capsys, one_producer).splitlines()
    assert max(map(len, lines)) <= 100
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("name", ["one_producer", "mutex", "imbalance"])
def test_nothing_is_cut_on_a_narrow_terminal(tmp_path, width, name):
    log = getattr(scenarios, name)().write(tmp_path)
    console = Console(file=io.StringIO(), width=width)
    terminal.show(console, load(log)[0])
    page = console.file.getvalue()
    assert "…" not in page
    assert max(map(len, page.splitlines())) <= width
    whole = io.StringIO()
    terminal.show(Console(file=whole, width=200), load(log)[0])
    # What is said is the same, however it is laid out: no number is missing.
    numbers = set(re.findall(r"\d[\d,.]*\d", whole.getvalue()))
    assert numbers <= set(re.findall(r"\d[\d,.]*\d", page))


def test_work_is_told_by_place_in_a_run_without_tasks(tmp_path, capsys):
    scenarios.imbalance().write(tmp_path)
    page = shown(capsys, tmp_path)
    rows = page[page.index("Work by place") : page.index("Threads")].splitlines()
    assert rows[2].split()[:3] == ["loop", "at", f"{scenarios.LOOP - 1:#x}"]
    assert "Tasks by place" not in page


@pytest.mark.parametrize("options", [["--html", "x.html"], ["--csv", "x"], ["--trace", "x.json"]])
def test_what_cannot_be_written_is_refused_before_a_log_is_read(tmp_path, capsys, options):
    """There is no log at all, which reading would have found first."""
    (tmp_path / "file").touch()
    option, name = options
    where = tmp_path / "file" / name
    assert main(["report", str(tmp_path / "missing"), option, str(where)]) == 2
    assert f"cannot write '{where}'" in " ".join(capsys.readouterr().err.split())


def test_a_long_report_says_how_far_it_is_and_what_is_left(
    one_producer, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(progress, "QUIET_SECONDS", -1.0)  # every step is told
    monkeypatch.setattr(progress, "KNOWN_AFTER", 0.0)
    files = ["--html", tmp_path / "p.html", "--csv", tmp_path / "c", "--trace", tmp_path / "t.json"]
    assert main(["report", *map(str, [one_producer, *files])]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("xomp report: ") for line in lines)
    steps = [re.search(r"%: ([^;]*)", line)[1] for line in lines]
    assert list(dict.fromkeys(steps)) == [
        *("reading the log", "what each thread did", "who waited for whom"),
        *("the task graph", "the names of places", "the page", "CSV", "the trace"),
    ]
    assert "s left" in lines[-1]
    shares = [float(re.search(r": <?([\d.]+) %", line)[1]) for line in lines]
    page = steps.index("the page")
    assert shares[:page] == sorted(shares[:page]) and shares[page:] == sorted(shares[page:])


def test_a_short_report_says_nothing_on_the_way(one_producer, capsys):
    assert main(["report", str(one_producer)]) == 0
    assert capsys.readouterr().err == ""


def test_time_left_is_guessed_from_what_is_done(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    work = progress.Progress("xomp report", [("a", 1), ("b", 2), ("c", 1)])
    work.step("a")
    assert work.left() == ""
    now[0] += 5
    work.step("b")
    assert (work.done, work.left()) == (0.25, "some 15 s left")
    work.share(0.5)
    assert (work.done, work.left()) == (0.5, "some 5 s left")
    now[0] += 2
    assert work.left() == "some 3 s left"
    now[0] += 500
    work.step("c")
    assert work.left() == "some 3 min left"


def test_what_counters_are_missing_is_said(tmp_path, capsys):
    for number, (reason, said) in enumerate(
        (
            (os.strerror(errno.ENOENT), "this machine offers its programs none"),
            (os.strerror(errno.EACCES), "kernel.perf_event_paranoid"),
            ("the moon", "the moon"),
        )
    ):
        writer = scenarios.imbalance()
        writer.line(f"hardware-absent {reason}")
        writer.write(tmp_path / str(number))
        page = " ".join(shown(capsys, tmp_path / str(number)).split())
        assert "no counts of cycles, instructions and cache misses" in page and said in page
        assert "No such file" not in page


def test_the_serial_run_beside_a_run_shows_inflation(tmp_path, capsys):
    scenarios.busy_tasks(4, 50).write(tmp_path)
    assert "no run on one thread" in shown(capsys, tmp_path)
    scenarios.busy_tasks(1, 30, pid=2).write(tmp_path / "serial")
    page = shown(capsys, tmp_path)
    assert "no run on one thread" not in page
    assert re.search(r"work as on one thread +12 ms +59 %", page)
    assert re.search(r"work time inflation +8\.\d+ ms +39 %", page)


def test_parts_of_the_time_add_up_to_threads_times_elapsed(tmp_path):
    for name in ("imbalance", "mutex", "too_fine", "serial_outside"):
        getattr(scenarios, name)().write(tmp_path / name)
        profile, _ = load(tmp_path / name)
        total = profile.losses.threads * profile.losses.elapsed
        assert sum(part.value for part in times(profile)) == pytest.approx(total, rel=0.02)
        lost = profile.losses.overhead + profile.losses.idle
        assert sum(state.value for state in states(profile)) == pytest.approx(lost)


def test_a_serial_run_that_left_a_damaged_log_does_not_hide_the_other(tmp_path, capsys):
    scenarios.busy_tasks(4, 50).write(tmp_path)
    (tmp_path / "serial").mkdir()
    (tmp_path / "serial/2.xomplog").write_bytes(b"")
    page = " ".join(shown(capsys, tmp_path).split())  # a line may end anywhere
    assert "serial run: '" in page and "is empty" in page
    assert "no run on one thread" in page


def test_processes_that_began_in_another_order_have_their_own_serial_run(tmp_path):
    for pid, command in ((20, "./first"), (21, "./second")):
        run = scenarios.busy_tasks(4, 50, pid=pid)
        run.line(f"command {command}")
        run.write(tmp_path)
        alone = scenarios.busy_tasks(1, 30, pid=60 - pid)
        alone.line(f"command {command}")
        alone.write(tmp_path / "serial")
    for pid in (20, 21):
        profile = load(tmp_path, pid)[0]
        assert profile.serial.log.pid == 60 - pid
        assert profile.serial.log.command == profile.log.command


def test_a_serial_run_with_other_work_is_not_compared(tmp_path, capsys):
    scenarios.too_coarse().write(tmp_path)
    scenarios.busy_tasks(1, 60, pid=2).write(tmp_path / "serial")
    page = " ".join(shown(capsys, tmp_path).split())
    assert "the run on one thread is not compared: it had 400 tasks and" in page
    assert "over the recorded work" in page and "inflation" not in page


def test_of_a_full_log_the_time_before_is_looked_at(tmp_path, capsys):
    run = scenarios.busy_tasks(4, 50)
    run.line(f"full {START + 2500 * TICKS_PER_US}")
    run.write(tmp_path)
    scenarios.busy_tasks(1, 30, pid=2).write(tmp_path / "serial")
    page = shown(capsys, tmp_path)
    assert "2.5 ms (the first of 5.08 ms) on 4 threads" in page
    assert re.search(r"work +9\.\d+ ms +9\d %", page)
    assert "not all of both runs is looked at" in page


def test_of_a_very_large_log_the_first_events_are_looked_at(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(records, "MOST_EVENTS", 200)
    scenarios.busy_tasks(4, 50).write(tmp_path)
    page = shown(capsys, tmp_path)
    assert re.search(r"2\.\d+ ms \(the first of 5\.08 ms\) on 4 threads, 19\d tasks", page)
    assert "the log has more than 200 events" in page


def test_a_thread_that_came_when_the_log_was_full_is_left_out(tmp_path, capsys):
    run = scenarios.busy_tasks(2, 50)
    run.line(f"full {START + 2500 * TICKS_PER_US}")
    run.add(7, Kind.THREAD, 3000, 3000, flags=2)
    run.write(tmp_path)
    assert "on 2 threads" in shown(capsys, tmp_path)


def test_two_runs_stand_side_by_side(tmp_path, capsys):
    scenarios.busy_tasks(4, 50).write(tmp_path / "a")
    scenarios.busy_tasks(4, 25).write(tmp_path / "b")
    page = shown(capsys, tmp_path / "a", tmp_path / "b")
    assert "B is 1.97 times as fast." in page
    assert re.search(r"elapsed time +5\.0\d ms +2\.5\d ms +0\.50\d", page)
    assert re.search(r"0x401000 +400 +400 +50 us +25 us +0\.5", page)
    assert "A: nothing stands out." in page


def test_two_runs_are_exported_apart(tmp_path, capsys):
    for name, work in (("a", 50), ("b", 25)):
        scenarios.busy_tasks(4, work).write(tmp_path / name)
    runs = (tmp_path / "a", tmp_path / "b")
    shown(capsys, *runs, "--html", tmp_path / "two.html", "--csv", tmp_path / "csv")
    assert 'id="comparison"' in (tmp_path / "two.html").read_text()
    means = []
    for name in compare.NAMES:
        with (tmp_path / "csv" / name / "tasks.csv").open() as stream:
            (row,) = csv.DictReader(stream)
        means.append(float(row["mean"]))
    assert means[0] == pytest.approx(2 * means[1], rel=0.01)
    assert main(["report", *map(str, runs), "--trace", str(tmp_path / "trace")]) == 2
    assert "a trace is of one run" in capsys.readouterr().err


def test_of_several_processes_the_busiest_is_shown_and_the_others_named(tmp_path, capsys):
    scenarios.busy_tasks(4, 50, pid=7).write(tmp_path)
    quiet = LogWriter(pid=8, threads=1)
    quiet.add(0, Kind.THREAD, 0, 10, flags=1)
    quiet.close()
    quiet.write(tmp_path)
    assert "process 7" in shown(capsys, tmp_path)
    told = shown(capsys, tmp_path)
    assert f"Other processes, of which `xomp report {tmp_path} --process PID` tells:" in told
    assert "  8  ./program 42, 1 event\n" in told
    assert "process 8, 1 processor" in shown(capsys, tmp_path, "--process", 8)
    page = tmp_path / "report.html"
    for arguments, processes in (((), 2), (("--process", 8), 1)):
        shown(capsys, tmp_path, *arguments, "--html", page)
        assert page.read_text().count('class="facts"') == processes
    assert main(["report", str(tmp_path), "--process", "9"]) == 2
    assert "there is no process 9" in capsys.readouterr().err


def test_problems_of_a_log_are_on_the_page(tmp_path, capsys):
    path = scenarios.mutex().write(tmp_path)
    path.write_bytes(path.read_bytes()[:-200_000])
    page = shown(capsys, path)
    assert "the file is cut off" in page
    assert "Where the time went" in page


@pytest.mark.parametrize("content", [b"", b"foreign", b"XOMPLOG1"])
def test_what_is_no_log_is_one_line_and_status_2(tmp_path, capsys, content):
    (tmp_path / "1.xomplog").write_bytes(content)
    for where in (tmp_path, tmp_path / "1.xomplog", tmp_path / "missing"):
        assert main(["report", str(where)]) == 2
        caught = capsys.readouterr()
        assert caught.out == ""
        assert re.fullmatch(r"xomp report: [^\n]+\n", caught.err)


def test_a_log_without_events_has_a_page(tmp_path, capsys):
    writer = LogWriter(threads=1)
    writer.close(0)
    writer.write(tmp_path)
    assert "./program 42" in shown(capsys, tmp_path)


@pytest.mark.parametrize("seed", range(60))
def test_whatever_is_damaged_a_page_or_one_line_comes_of_it(tmp_path, capsys, seed):
    rng = random.Random(seed)
    data = bytearray(getattr(scenarios, rng.choice(["chain", "mutex", "too_coarse"]))().bytes())
    used = [at for at in range(0, len(data), 8) if any(data[at : at + 8])]
    for _ in range(rng.choice([1, 5, 50, 1000])):
        at = rng.choice(used) + rng.randrange(8)
        data[at] = rng.choice([0, 1, 255, rng.randrange(256)])
    (tmp_path / "1.xomplog").write_bytes(data)
    status = main(["report", str(tmp_path)])
    caught = capsys.readouterr()
    if status == 0:
        assert "Where the time went" in caught.out
    else:
        assert status == 2
        assert re.fullmatch(r"xomp report: [^\n]+\n", caught.err)


# Exports


def rows_of(path) -> list[dict]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_csv_tables_hold_every_event_and_every_number(one_producer, tmp_path, capsys):
    out = shown(capsys, one_producer, "--csv", tmp_path / "csv")
    assert f"Wrote {tmp_path}/csv/events.csv" in out.replace("\n", "")
    events = rows_of(tmp_path / "csv" / "events.csv")
    profile, _ = load(one_producer)
    assert len(events) == len(profile.log.events)
    task = next(row for row in events if row["kind"] == "task")
    assert int(task["end_ns"]) - int(task["begin_ns"]) == 12_000
    (place,) = rows_of(tmp_path / "csv" / "tasks.csv")
    assert (place["recorded"], place["taken"], place["ticks_1e4"]) == ("1000", "1000", "1000")
    ticks = profile.log.nanoseconds(int(place["median_ticks"])) - profile.log.nanoseconds(0)
    assert float(place["mean"]) * 1e9 == pytest.approx(ticks) == pytest.approx(12_000)
    told = {row["number"]: float(row["value"]) for row in rows_of(tmp_path / "csv" / "numbers.csv")}
    for each in numbers(profile):
        assert told[each.key] == pytest.approx(each.value)
    assert len(rows_of(tmp_path / "csv" / "threads.csv")) == 4


def test_parquet_without_pyarrow_is_one_line(one_producer, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["report", str(one_producer), "--parquet", str(tmp_path / "p")]) == 2
    assert "needs the Python package pyarrow" in capsys.readouterr().err


def test_parquet_gets_the_same_tables(one_producer, tmp_path, monkeypatch):
    """Through a stand-in for pyarrow that keeps what it is given."""
    kept = {}

    class Parquet:
        @staticmethod
        def write_table(columns, path):
            kept[path.name] = columns

    class Arrow:
        parquet = Parquet

        @staticmethod
        def table(columns):
            return columns

    monkeypatch.setitem(sys.modules, "pyarrow", Arrow)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", Parquet)
    profile, _ = load(one_producer)
    tables.write(profile, tmp_path, parquet=True)
    assert set(kept) == {f"{n}.parquet" for n in ("events", "tasks", "threads", "locks", "numbers")}
    assert len({len(column) for column in kept["events.parquet"].values()}) == 1


def test_the_page_for_a_browser_and_the_pictures_are_written(one_producer, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    page, folder = tmp_path / "report.html", tmp_path / "figures"
    told = shown(capsys, one_producer, "--html", page, "--figures", folder)
    assert f"Wrote {page}, {folder}" in told
    assert page.read_text().startswith("<!doctype html>")
    # No data has a domain of its own here, and the third picture is about these.
    names = {"division.png", "division.svg", "threads.png", "threads.svg"}
    assert {path.name for path in folder.iterdir()} == names
    assert all(str(folder / name) in told for name in names)


def test_pictures_without_matplotlib_are_one_line(one_producer, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(figures, "find_spec", lambda name: None)
    assert main(["report", str(one_producer), "--figures", str(tmp_path / "p")]) == 2
    assert "need the Python package matplotlib" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_a_trace_has_each_span_with_its_times_and_name(one_producer, tmp_path, capsys, name):
    shown(capsys, one_producer, "--trace", tmp_path / name)
    opener = gzip.open if name.endswith("gz") else open
    with opener(tmp_path / name, "rt") as stream:
        events = json.load(stream)["traceEvents"]
    tasks = [event for event in events if event.get("cat") == "TASK"]
    assert len(tasks) == 1000
    assert tasks[0]["ph"] == "X"
    assert tasks[0]["name"] == "task at 0x401000"
    assert tasks[0]["dur"] == pytest.approx(12)
    named = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert named[3] == "thread 3"


def test_points_of_a_trace_are_instants(tmp_path, capsys):
    scenarios.chain().write(tmp_path)
    shown(capsys, tmp_path, "--trace", tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    points = [event for event in events if event.get("cat") == "DEPENDENCE"]
    assert len(points) == 100
    assert all(event["ph"] == "i" and "dur" not in event for event in points)


@pytest.mark.parametrize("option", ["--csv", "--trace", "--html", "--figures"])
def test_a_file_that_cannot_be_written_is_one_line(one_producer, tmp_path, capsys, option):
    (tmp_path / "file").write_text("")
    assert main(["report", str(one_producer), option, str(tmp_path / "file" / "x")]) == 2
    assert "cannot write" in capsys.readouterr().err


# Numbers in words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(0, "0 s"), (1.5e-8, "15 ns"), (2.34e-6, "2.34 us"), (0.0123, "12.3 ms")],
        *[(59.96, "60 s"), (1234, "1,234 s"), (-0.002, "-2 ms"), (9.999e-4, "1,000 us")],
    ],
)
def test_seconds_have_a_unit_that_fits(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(0, "0 %"), (0.0004, "<0.1 %"), (0.034, "3.4 %"), (0.5, "50 %"), (0.994, "99 %")],
        *[(0.9964, "99.6 %"), (0.9996, ">99.9 %"), (1 - 1e-12, "100 %"), (1, "100 %")],
    ],
)
def test_percents_say_little_more_than_nothing(value, text):
    assert percent(value) == text


def test_counts_agree_with_their_nouns():
    assert several(1, "task") == "1 task"
    assert several(1200, "task") == "1,200 tasks"


def test_two_programs_are_not_compared_as_if_they_were_one(tmp_path, capsys):
    for name, command, work in (("a", "./fib 30", 50), ("b", "/x/fib 31", 25), ("c", "./sort", 25)):
        run = scenarios.busy_tasks(4, work)
        run.lines = [line for line in run.lines if not line.startswith("command")]
        run.line(f"command {command}")
        run.write(tmp_path / name)
    assert "B is 1.97 times as fast.\n" in shown(capsys, tmp_path / "a", tmp_path / "b")
    page = shown(capsys, tmp_path / "a", tmp_path / "c")
    assert "B is 1.97 times as fast, and another program.\n" in page


def test_what_does_not_exist_is_told_before_the_other_run_is_read(tmp_path, capsys, monkeypatch):
    scenarios.busy_tasks(4, 50).write(tmp_path / "a")
    monkeypatch.setattr("xomp.profile.analysing.load.load", lambda *_: pytest.fail("it is read"))
    for runs in (("a", "nosuch"), ("nosuch", "a")):
        assert main(["report", *(str(tmp_path / run) for run in runs)]) == 2
        assert "nosuch" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["imbalance", "too_fine", "one_producer", "serial_outside", "mutex"]
)
def test_no_line_ends_between_a_number_and_its_unit(tmp_path, name):
    getattr(scenarios, name)().write(tmp_path / name)
    profile, _ = load(tmp_path / name)
    for width in range(35, 101, 5):
        console = Console(file=io.StringIO(), width=width)
        terminal.show(console, profile)
        page = console.file.getvalue()
        assert not re.search(r"\d *\n *(s|ms|us|ns|%)(?!\w)", page), width
        assert "\N{NO-BREAK SPACE}" not in page

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' pictures: the numbers behind them, and that they are drawn."""

import numpy as np
import pytest

import perflog_synthetic as synthetic
from perflog_writer import LogWriter
from xomp.profile.analysing.load import load
from xomp.profile.analysing.spans import OVERHEAD, State
from xomp.profile.reading.format import NO_DOMAIN, Kind, TaskFlag
from xomp.profile.showing import figures

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def profile(tmp_path_factory):
    where = tmp_path_factory.mktemp("log")
    synthetic.program(4, 2000).write(where)
    return load(where)[0]


def test_activities_are_the_states_of_the_analysis_told_apart(profile):
    times, states = figures.activities(profile).sum(axis=0), profile.losses.by_state
    assert times[figures.WORKING] == pytest.approx(states[State.WORK])
    assert times[figures.CREATING] == pytest.approx(states[State.CREATE])
    assert times[figures.LOCKING] == pytest.approx(states[State.MUTEX])
    overhead = times[: figures.STALLING].sum() - times[figures.WORKING]
    assert times[figures.KEPT_OFF] == pytest.approx(profile.losses.kept_off)
    assert overhead == pytest.approx(states[list(OVERHEAD)].sum())
    assert times[figures.WAITING] > 0
    assert times[figures.BARRIER] > 0


def test_tasks_are_counted_where_they_were_made_and_where_they_ran(tmp_path):
    writer = LogWriter(threads=2)
    for track in (0, 1):
        writer.add(track, Kind.THREAD, 0, 100)
    writer.add(0, Kind.TASK, [1, 3, 5], [2, 4, 6], task=[1, 2, 3], worker=[0, 0, 1])
    writer.add(1, Kind.TASK, 1, 2, task=4, worker=0)
    writer.add(1, Kind.SUMMARY, 3, 90, task=50, other=5000, worker=Kind.TASK)
    writer.close()
    writer.write(tmp_path)
    created, executed = figures.task_counts(load(tmp_path)[0])
    assert (created.tolist(), executed.tolist()) == ([3, 51], [3, 51])


def test_leaf_tasks_are_those_in_which_no_other_ran(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 100)
    writer.add(0, Kind.TASK, 1, 50, task=1)
    writer.add(0, Kind.TASKWAIT, 2, 40, task=1)
    writer.add(0, Kind.TASK, [3, 10], [5, 20], task=[2, 3], flags=TaskFlag.AT_ONCE)
    writer.close()
    writer.write(tmp_path)
    profile = load(tmp_path)[0]
    rows = figures.leaves(profile)
    assert profile.spans.column("task")[rows].tolist() == [2, 3]


def bars(panel) -> np.ndarray:
    return np.array([[bar.get_height() for bar in each] for each in panel.containers])


def test_the_division_is_drawn_in_percent_and_in_seconds(tmp_path):
    for threads, where in ((4, tmp_path), (1, tmp_path / "serial")):
        synthetic.program(threads, 400).write(where)
    losses = load(tmp_path)[0].losses
    (panel,) = figures.division([("a", losses), ("b", losses)]).axes
    assert bars(panel).sum(axis=0) == pytest.approx([100, 100])
    (panel,) = figures.division([("a", losses)], in_seconds=True).axes
    assert panel.get_ylabel().startswith("ms ")
    assert bars(panel).sum() == pytest.approx(losses.total * 1e3)


def test_without_a_serial_run_there_is_no_inflation(profile):
    (panel,) = figures.division([("a", profile.losses)]).axes
    labels = [text.get_text() for text in panel.get_legend().get_texts()]
    assert sorted(labels) == ["idle", "overhead", "work"]


def test_a_schedule_shows_the_domains_of_its_window(profile):
    spans = profile.spans
    rows = figures.leaves(profile)
    middle = len(rows) // 2
    begin, end = profile.log.nanoseconds(spans.column("begin")[rows[[middle, middle + 20]]]) / 1e9
    figure = figures.schedule([("run", profile)], window=(begin, end))
    (panel,) = figure.axes
    left, right = panel.get_xlim()
    assert right - left == pytest.approx((end - begin) * 1e3)  # milliseconds
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} <= {
        "data in domain 0",
        "data in domain 1",
    }
    assert not (spans.column("data_domain")[rows] == NO_DOMAIN).any()


def test_every_picture_is_written_twice(profile, tmp_path):
    made = figures.write(profile, tmp_path / "new")
    names = {path.name for path in made}
    stems = ("threads", "division", "schedule")
    assert names == {f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")}
    for path in made:
        start = path.read_bytes()[:8]
        assert start.startswith(b"\x89PNG" if path.suffix == ".png" else b"<?xml")


def test_a_run_without_tasks_has_no_schedule(tmp_path):
    writer = LogWriter(threads=1)
    writer.add(0, Kind.THREAD, 0, 10, flags=1)
    writer.close()
    writer.write(tmp_path)
    made = figures.write(load(tmp_path)[0], tmp_path / "figures")
    assert {path.stem for path in made} == {"threads", "division"}

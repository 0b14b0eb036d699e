# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is on the plots of the benchmarks and of the papers' experiments, read off the figures."""

from itertools import pairwise
from pathlib import Path

import pytest

from xomp.bench import plot
from xomp.bench.run import Case, Job, Outcome
from xomp.bench.store import Results
from xomp.repro import drawing
from xomp.repro.model import Bars, Lines, Stacks
from xomp.shared import looks
from xomp.shared.runtimes import Runtime

RUNTIMES = {name: Runtime(name, Path("/lib"), {}) for name in ("libgomp", "xomp")}


@pytest.fixture
def figures(monkeypatch):
    """Those that are saved, in their order."""
    figure = pytest.importorskip("matplotlib.figure")
    saved = []
    monkeypatch.setattr(
        figure.Figure,
        "savefig",
        lambda self, path, **_: saved.append(self) if Path(path).suffix == ".png" else None,
    )
    return saved


def results(seconds, size="test", rounds=2):
    """Of one program on 1 and 2 threads; `seconds` by runtime and number of threads."""
    outcomes = []
    for (name, threads), time in seconds.items():
        case = Case("fib", "tied", size)
        job = Job(RUNTIMES[name], threads, Path("/program"), case=case)
        for index in range(-1, rounds):
            told = {"seconds": time * (1 + 0.01 * index), "cpu": time, "tasks": 1}
            outcomes.append(Outcome(job, index, None, [told], None))
    return Results(Path("run.jsonl"), {"command": "xomp bench run"}, outcomes)


def of_decades(**more):
    times = {("libgomp", 1): 0.02, ("libgomp", 2): 0.1, ("xomp", 1): 0.002, ("xomp", 2): 0.001}
    return results(times, **more)


def words(figure):
    """All that is written in a figure."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text)]


def drawn_panels(figure):
    return [panel for panel in figure.axes if panel.get_visible()]


def test_a_plot_says_what_was_measured(figures, tmp_path):
    plot.results(of_decades(), tmp_path / "run.jsonl")
    plot.results(of_decades(size="small", rounds=1), tmp_path / "run.jsonl")
    assert len(figures) == 4
    expected = ["size test, 2 rounds"] * 2 + ["size small, 1 round"] * 2
    for figure, conditions in zip(figures, expected, strict=True):
        assert conditions in words(figure)
        assert figure.get_suptitle()


def test_times_that_span_decades_are_on_a_logarithmic_scale(figures, tmp_path):
    plot.results(of_decades(), tmp_path / "run.jsonl")
    (panel,) = drawn_panels(figures[1])
    assert panel.get_yscale() == "log"


def test_markers_on_the_axis_are_whole(figures, tmp_path):
    near = {("libgomp", 1): 0.9, ("libgomp", 2): 0.5, ("xomp", 1): 0.8, ("xomp", 2): 0.4}
    plot.results(results(near), tmp_path / "run.jsonl")
    (panel,) = drawn_panels(figures[1])
    assert panel.get_yscale() == "linear"
    assert panel.get_ylim()[0] == 0
    marked = [line for line in panel.lines if line.get_marker() not in ("None", "", "_", None)]
    assert marked and not any(line.get_clip_on() for line in marked)


def test_the_ratios_are_told_in_words(figures, tmp_path):
    plot.results(of_decades(), tmp_path / "run.jsonl")
    (panel,) = drawn_panels(figures[0])
    labels = [label.get_text() for label in panel.get_yticklabels()]
    assert labels == ["fib:tied, 1 thread", "fib:tied, 2 threads"]
    assert "multiple of libgomp's" in panel.get_xlabel()


def legends(figure):
    return [*figure.legends, *(p.get_legend() for p in figure.axes if p.get_legend())]


@pytest.mark.parametrize("experiment", [False, True], ids=["bench", "repro"])
def test_a_legend_hides_nothing(figures, tmp_path, experiment):
    if experiment:
        drawing.draw(Lines("t", "x", "y", {"p": {"a": [(1, 1.0), (2, 2.0)]}}), tmp_path / "plot")
    else:
        plot.results(of_decades(), tmp_path / "run.jsonl")
    for figure in figures:
        figure.draw_without_rendering()
        (legend,) = legends(figure)
        beside = legend.get_window_extent()
        assert not any(beside.overlaps(panel.get_window_extent()) for panel in drawn_panels(figure))


def test_no_two_curves_are_alike(figures, tmp_path):
    curves = {f"runtime {index}": [(1, 1.0), (2, index + 1.0)] for index in range(16)}
    drawing.draw(Lines("t", "threads", "speedup", {"health": curves}), tmp_path / "plot")
    (panel,) = drawn_panels(figures[0])
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in panel.lines}
    assert len(looks) == len(curves)


def test_an_experiment_of_size_test_says_so(figures, tmp_path):
    drawing.draw(Bars("t", "y", ["a"], {"s": [1.0]}), tmp_path / "plot", "size test, 2 rounds")
    assert "size test, 2 rounds" in words(figures[0])


def test_bars_of_very_different_heights_are_on_a_logarithmic_scale(figures, tmp_path):
    drawing.draw(Bars("t", "y", ["a", "b"], {"s": [15.0, 0.01]}), tmp_path / "plot")
    (panel,) = drawn_panels(figures[0])
    assert panel.get_yscale() == "log"
    assert panel.get_ylim()[0] < 0.01  # or its bar had no height


def test_long_names_of_stacks_do_not_overlap(figures, tmp_path):
    names = [
        f"{app}\n{on}, {threads}"
        for app in ("Health", "Heat")
        for on in ("xomp, sampled", "GCC")
        for threads in (1, 2)
    ]
    drawing.draw(
        Stacks("t", "seconds", names, {"work": [1.0] * 4 + [0.001] * 4}), tmp_path / "plot"
    )
    (figure,) = figures
    figure.draw_without_rendering()
    panels = drawn_panels(figure)
    assert [panel.get_title() for panel in panels] == ["Health", "Heat"]
    for panel in panels:
        boxes = [label.get_window_extent() for label in panel.get_yticklabels()]
        assert len(boxes) == 4
        assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_a_runtime_has_the_same_colour_in_every_plot():
    alone = dict(zip(looks.RUNTIMES, looks.colours(looks.RUNTIMES), strict=True))
    for names in (["xomp"], ["libgomp", "xomp"], ["xomp@XOMP_SCHEDULER=ws", "xomp", "libiomp5"]):
        shown = dict(zip(names, looks.colours(names), strict=True))
        assert all(shown[name] == alone[name] for name in names if name in alone)
    assert looks.colours(["GOMP", "LOMP"]) == looks.colours(["libgomp", "libomp"])


@pytest.mark.parametrize("others", range(12))
def test_runtimes_and_others_share_no_style(others):
    names = ["libgomp", *(f"xomp@XOMP_CHUNK={number}" for number in range(others)), "xomp", "GOMP"]
    found = [tuple(each.values()) for each in looks.styles(names)]
    assert len(set(found)) == len(names)
    assert len(set(looks.colours(names))) == min(len(names), len(looks.COLOURS))

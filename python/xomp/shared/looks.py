# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How every plot of measurements looks: colours, scales, legends, and what was measured."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from xomp.shared.colours import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

# There are as many markers but one, so that only the 56th curve looks like another.
COLOURS = (VERMILION, BLUE, GREEN, PURPLE, ORANGE, SKY, BLACK)
# Whose colour these are in every plot, in their order; and what the papers call them.
RUNTIMES = ("libgomp", "xomp", "libomp", "libiomp5", "oneTBB")
ALSO = {
    "GOMP": "libgomp",
    "GCC": "libgomp",
    "LOMP": "libomp",
    "ICC": "libiomp5",
    "Intel": "libiomp5",
}
MARKERS = "osd^v*PX"
DASHES = ("-", "--", ":")
DECADE = 10.0
FEW_DECADES = 3.0  # with numbers between the powers of ten
DOTS = 150  # an inch


def load():
    """matplotlib's pyplot for files, or None with a word about it."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        install = "`tools/bootstrap bench` installs it"
        print(f"no plot: matplotlib is not installed; {install}", file=sys.stderr)
        return None
    return pyplot


def places(names: Sequence[str]) -> list[int]:
    """Which style each of a plot's names has: a runtime its own, the others what is left."""
    own = [ALSO.get(name, name) for name in names]
    kept = [RUNTIMES.index(name) if name in RUNTIMES else None for name in own]
    kept = [None if at in kept[:number] else at for number, at in enumerate(kept)]
    first = len(RUNTIMES) if any(at is not None for at in kept) else 0
    count = len(COLOURS)
    row = [*range(first, count), *range(first), *range(count, count + len(names))]
    free = iter([at for at in row if at not in kept])
    return [next(free) if at is None else at for at in kept]


def colours(names: Sequence[str]) -> list[str]:
    return [COLOURS[at % len(COLOURS)] for at in places(names)]


def styles(names: Sequence[str]) -> list[dict]:
    return list(map(style, places(names)))


def style(index: int) -> dict:
    """Colour, marker and dashes of a curve: no two curves of a plot are alike."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[index // len(COLOURS) % len(DASHES)],
    }


def spans(values: Iterable[float], factor: float = DECADE) -> bool:
    """Whether the largest is so many times the smallest, which a linear scale then hides."""
    positive = [value for value in values if value]
    return bool(positive) and min(positive) > 0 and max(positive) >= factor * min(positive)


def logarithmic(axis, values: Iterable[float], from_edge: bool = False) -> None:
    """A logarithmic scale with plain numbers at the decades, and half way where these are few; of
    less than a decade at round numbers. Bars begin at the edge (`from_edge`), so the smallest one
    has to be off it."""
    from matplotlib.ticker import LogLocator, NullLocator

    known = [value for value in values if value and value > 0]
    getattr(axis.axes, f"set_{axis.axis_name}scale")("log")
    subs: Sequence[int] = (1,) if spans(known, DECADE**FEW_DECADES) else (1, 5)
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")
    if from_edge and known:
        getattr(axis.axes, f"set_{axis.axis_name}lim")(min(known) / 2, max(known) * 1.5)


def from_zero(panel) -> None:
    """A linear scale from zero; markers on it are drawn whole."""
    panel.set_ylim(bottom=0)
    for drawn in (*panel.lines, *panel.collections):
        drawn.set_clip_on(False)
        drawn.set_zorder(3)


def conditions(sizes: Sequence[str], rounds: int) -> str:
    """What a reader of the picture alone has to know."""
    parts = [f"size {', '.join(sizes)}"] if sizes else []
    return ", ".join([*parts, f"{rounds} round{'' if rounds == 1 else 's'}"])


def head(figure, title: str, under: str) -> None:
    """The title, and below it, smaller, under what conditions."""
    figure.suptitle(title, fontsize=12)
    if under:
        figure.text(0.995, 0.005, under, ha="right", va="bottom", fontsize=8, color="0.35")


def legend(figure, panels: Sequence, **more) -> None:
    """One for all panels, beside them: it hides nothing."""
    handles: dict = {}
    for panel in panels:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    if handles:
        figure.legend(
            handles.values(), handles.keys(), loc="outside right upper", fontsize=9, **more
        )


def write(figure, stem: Path) -> list[Path]:
    """As STEM.png and STEM.svg."""
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=DOTS)
    return paths


def save(pyplot, figure, stem: Path) -> list[Path]:
    """The same, into a folder that may not be there yet; pyplot forgets the figure."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    paths = write(figure, stem)
    pyplot.close(figure)
    return paths

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes that many of the papers' figures share: times of applications on runtimes, ratios between
two runtimes, time over threads, and claims about a ratio."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xomp.bench.pages import ratio_text
from xomp.bench.run import Outcome, seconds
from xomp.bench.stats import Ratio, Summary, ratio
from xomp.repro.model import Bars, Claim, Lines, Table
from xomp.repro.plan import Measured, Plan
from xomp.shared.text import rounded

Value = Callable[[Outcome], float]


def exact(value: float) -> str:
    """Seconds with four digits that mean something, also for runs of a millisecond."""
    return f"{value:.4g}"


def around(found: Summary) -> str:
    """The quartiles."""
    return f"{found.low:.3g} to {found.high:.3g}"


def times(
    plan: Plan,
    measured: Measured,
    threads: int,
    value: Value = seconds,
    title: str = "Seconds (quartiles).",
) -> Table:
    """Applications by configurations."""
    rows = []
    for app in _apps(measured):
        row = [app]
        for config in plan.configs:
            found = measured.summary(value, app=app, config=config, threads=threads)
            row.append(f"{exact(found.median)} ({around(found)})" if found else "-")
        rows.append(row)
    return Table(title, ["application", *plan.configs], rows)


def time_bars(
    plan: Plan,
    measured: Measured,
    threads: int,
    title: str,
    value: Value = seconds,
    ylabel: str = "seconds (median, quartiles)",
) -> Bars:
    groups = _apps(measured)
    series, spreads = {}, {}
    for config in plan.configs:
        found = [measured.summary(value, app=app, config=config, threads=threads) for app in groups]
        series[config] = [summary.median if summary else None for summary in found]
        spreads[config] = [(each.low, each.high) if each else None for each in found]
    return Bars(title, ylabel, groups, series, spreads, log=True)


def speedup(
    measured: Measured, better: str, worse: str, value: Value = seconds, **words: object
) -> Ratio | None:
    """How many times faster `better` is than `worse`."""
    return ratio(
        measured.series(value, config=worse, **words),
        measured.series(value, config=better, **words),
    )


def against(plan: Plan, base: str) -> list[tuple[str, str]]:
    """Every other configuration with the base; empty if the base is not among them."""
    others = [config for config in plan.configs if config != base]
    return [(config, base) for config in others] if base in plan.configs else []


def ratios(
    measured: Measured, pairs: Sequence[tuple[str, str]], threads: int, title: str
) -> list[Table]:
    """For each application how many times faster the first of each pair is, with intervals; no
    table without pairs."""
    if not pairs:
        return []
    rows = []
    for app in _apps(measured):
        cells = [
            ratio_text(speedup(measured, better, worse, app=app, threads=threads))
            for better, worse in pairs
        ]
        rows.append([app, *cells])
    header = ["application", *(f"{worse} / {better} [95%]" for better, worse in pairs)]
    return [Table(title, header, rows)]


def ratio_bars(
    measured: Measured, pairs: Sequence[tuple[str, str]], threads: int, title: str
) -> Bars:
    groups = _apps(measured)
    series, spreads = {}, {}
    for better, worse in pairs:
        name = f"{better} over {worse}"
        found = [speedup(measured, better, worse, app=app, threads=threads) for app in groups]
        series[name] = [each.value if each else None for each in found]
        spreads[name] = [(each.low, each.high) if each else None for each in found]
    return Bars(title, "times faster (95%)", groups, series, spreads, log=True, line=1.0)


def over_threads(
    plan: Plan, measured: Measured, title: str, value: Value = seconds, ylabel: str = "seconds"
) -> Lines:
    panels = {}
    for app in _apps(measured):
        curves = {}
        for config in plan.configs:
            points = [
                (threads, measured.median(value, app=app, config=config, threads=threads))
                for threads in plan.threads
            ]
            there = [(threads, middle) for threads, middle in points if middle is not None]
            if there:
                curves[config] = there
        panels[app] = curves
    return Lines(title, "threads", ylabel, panels, logy=True)


def faster(text: str, found: Ratio | None, least: float = 1.0, of: tuple[str, ...] = ()) -> Claim:
    """A claim that something is at least `least` times faster: it holds where the whole interval
    says so, and fails where the whole interval says the contrary."""
    if found is None:
        return Claim(text, None, "not measured", of)
    evidence = f"{ratio_text(found)} times"
    if found.low > least:
        return Claim(text, True, evidence, of)
    return Claim(text, False if found.high < least else None, evidence, of)


def less(
    text: str,
    ours: Summary | None,
    theirs: Summary | None,
    form=rounded,
    of: tuple[str, ...] = (),
) -> Claim:
    """A claim that one thing is less than another, where the ranges between the quartiles are
    apart. For what may be zero, so that a ratio has no meaning."""
    if ours is None or theirs is None:
        return Claim(text, None, "not measured", of)
    evidence = f"{form(ours.median)} against {form(theirs.median)}"
    if ours.high < theirs.low:
        return Claim(text, True, evidence, of)
    return Claim(text, False if ours.low > theirs.high else None, evidence, of)


def everywhere(
    measured: Measured, better: str, worse: str, threads: int, text: str, apps: Sequence[str] = ()
) -> Claim:
    """A claim that one configuration is faster than another for all of the applications."""
    found = {
        app: speedup(measured, better, worse, app=app, threads=threads)
        for app in apps or _apps(measured)
    }
    known = {app: each for app, each in found.items() if each}
    of = (better, worse)
    if not known:
        return Claim(text, None, "not measured", of)
    evidence = ", ".join(f"{app} {rounded(each.value)}x" for app, each in known.items())
    if all(each.low > 1 for each in known.values()):
        return Claim(text, True, evidence, of)
    fails = any(each.high < 1 for each in known.values())
    return Claim(text, False if fails else None, evidence, of)


def _apps(measured: Measured) -> list[str]:
    return list(dict.fromkeys(run.app for run in measured.runs))

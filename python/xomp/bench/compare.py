# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compare`: what got slower or faster from one results file to another, beyond noise.

A difference counts if the Mann-Whitney test finds it after the correction of Benjamini and Hochberg
for the number of comparisons, the bootstrap interval of the ratio excludes 1, and it is larger than
the threshold.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Annotated

import typer

from xomp.bench import store
from xomp.bench.pages import Table, ratio_text, show
from xomp.bench.run import Outcome
from xomp.bench.stats import Ratio, apart
from xomp.bench.store import Results
from xomp.cli.values import share
from xomp.errors import BadInputError
from xomp.shared.text import rounded


@dataclass(frozen=True)
class Options:
    old: Annotated[Path, typer.Argument(metavar="A", help="A results file.")]
    new: Annotated[
        Path | None, typer.Argument(metavar="B", help="Another, which is compared with it.")
    ] = None
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="OLD NEW",
            help="Two runtimes of one file A, for example two builds that ran interleaved.",
        ),
    ] = None
    relative_to: Annotated[
        str | None,
        typer.Option(
            metavar="RUNTIME",
            help="Compare ratios to a runtime that did not change, which cancels the machine's "
            "drift.",
        ),
    ] = None
    threshold: Annotated[
        float, typer.Option(parser=share, metavar="SHARE", help="The smallest change that counts.")
    ] = 0.03
    level: Annotated[
        float, typer.Option(parser=share, metavar="SHARE", help="The rate of false alarms.")
    ] = 0.05
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False
    everything: Annotated[
        bool, typer.Option("--everything", help="Show what did not change too.")
    ] = False


@dataclass(frozen=True)
class Change:
    what: str
    old: Sequence[float]
    new: Sequence[float]
    ratio: Ratio
    chance: float  # of a difference like this from noise alone, corrected

    def verdict(self, threshold: float, level: float) -> str:
        if self.chance >= level:
            return ""
        if self.ratio.low > 1 and self.ratio.value >= 1 + threshold:
            return "slower"
        if self.ratio.high < 1 and self.ratio.value <= 1 / (1 + threshold):
            return "faster"
        return ""


def place_text(place: tuple[str, int, str]) -> str:
    case, threads, runtime = place
    return f"{case}, {threads} {'thread' if threads == 1 else 'threads'}, {runtime}"


def measurements(outcome: Outcome) -> dict[str, float]:
    """What a run measured: its time, or one cost for each construct."""
    if outcome.job.case is not None:
        return {"": outcome.record["seconds"]}
    constructs = {f" {r['construct']}": r["ns"] for r in outcome.records if "construct" in r}
    return constructs or {"": outcome.usage["wall"]}


Series = dict[tuple[str, int, str], dict[int, float]]  # by case, threads, runtime; by round


def all_series(results: Results) -> Series:
    found: Series = {}
    for outcome in results.outcomes:
        if outcome.round >= 0 and outcome.failure is None:
            job = outcome.job
            for suffix, value in measurements(outcome).items():
                place = (f"{job.label}{suffix}", job.threads, job.runtime.label)
                found.setdefault(place, {})[outcome.round] = value
    return found


def failing(results: Results) -> set[tuple[str, int, str]]:
    return {
        (outcome.job.label, outcome.job.threads, outcome.job.runtime.label)
        for outcome in results.outcomes
        if outcome.failure is not None
    }


def relative(found: Series, label: str) -> Series:
    """Each time divided by that of the other runtime in the same round."""
    made: Series = {}
    for (case, threads, runtime), values in found.items():
        base = found.get((case, threads, label), {})
        shared = {index: values[index] / base[index] for index in values.keys() & base.keys()}
        if runtime != label and shared:
            made[case, threads, runtime] = shared
    if not made:
        raise BadInputError(f"no runs of {label} beside others to compare with")
    return made


def between(found: Series, labels: Sequence[str]) -> tuple[Series, Series]:
    """The two runtimes of one file, each under the name `OLD -> NEW`."""
    known = dict.fromkeys(runtime for _, _, runtime in found)
    for label in labels:
        if label not in known:
            raise BadInputError(f"no runs of {label}; there are {', '.join(known)}")
    title = " -> ".join(labels)
    old, new = (
        {
            (case, threads, title): values
            for (case, threads, runtime), values in found.items()
            if runtime == label
        }
        for label in labels
    )
    return old, new


def changes(old: Series, new: Series) -> list[Change]:
    """All that both have, with chances corrected for how many they are."""
    try:
        from scipy.stats import false_discovery_control, mannwhitneyu
    except ImportError:
        raise BadInputError("compare needs scipy: `xomp bench setup` installs it") from None
    places = [place for place in old if place in new]
    pairs = [(list(old[place].values()), list(new[place].values())) for place in places]
    chances = [mannwhitneyu(*pair).pvalue for pair in pairs]
    corrected = false_discovery_control(chances) if chances else []
    return [
        Change(place_text((case, threads, runtime)), *pair, apart(pair[1], pair[0]), chance)
        for (case, threads, runtime), pair, chance in zip(places, pairs, corrected, strict=True)
    ]


def least_chance(change: Change) -> float:
    """The smallest chance that the test can give for so few runs."""
    total = len(change.old) + len(change.new)
    return 2 / comb(total, len(change.old))


def table_of(found: Sequence[Change], options: Options) -> Table:
    header = ("measurement", "verdict", "runs", "B / A [95%]", "chance of noise")
    before, after = options.between or (options.old, options.new)
    table = Table(f"From A ({before}) to B ({after}).", header, left=2)
    for change in sorted(found, key=lambda change: -change.ratio.value):
        verdict = change.verdict(options.threshold, options.level)
        if verdict or options.everything:
            runs = f"{len(change.old)} and {len(change.new)}"
            chance = "<0.001" if change.chance < 0.001 else f"{change.chance:.3f}"
            table.rows.append(
                (change.what, verdict or "same", runs, ratio_text(change.ratio), chance)
            )
    return table


def broken_since(old: Results, new: Results) -> list[str]:
    """What fails now and did not before."""
    fresh = failing(new) - failing(old)
    return [place_text(place) for place in sorted(fresh)]


def warn_of_other_surroundings(old: Results, new: Results) -> None:
    """A difference of the machines or compilers is none of the runtimes."""
    for fact in store.SAME_MACHINE:
        before, after = old.head.get(fact), new.head.get(fact)
        if before != after:
            print(f"warning: {fact} was {before!r} and is {after!r}", file=sys.stderr)


def series_to_compare(options: Options, old: Results) -> tuple[Series, Series, list]:
    if (options.new is None) == (options.between is None):
        raise BadInputError("compare needs two files, or one and --between OLD NEW")
    if options.between:
        return *between(all_series(old), options.between), []
    new = store.read(options.new)
    warn_of_other_surroundings(old, new)
    both: list[Mapping] = [all_series(old), all_series(new)]
    if options.relative_to:
        both = [relative(each, options.relative_to) for each in both]
    return *both, broken_since(old, new)


def compare(options: Options) -> int:
    """1 if something got slower or began to fail, else 0."""
    old, new, broken = series_to_compare(options, store.read(options.old))
    found = changes(old, new)
    if not found and not broken:
        raise BadInputError("the two have no measurement in common")
    verdicts = [change.verdict(options.threshold, options.level) for change in found]
    table = table_of(found, options)
    if table.rows:
        print(table.markdown()) if options.markdown else show([table])
    slower, faster = verdicts.count("slower"), verdicts.count("faster")
    print(f"{slower} slower, {faster} faster, {len(found) - slower - faster} without a difference.")
    for name, only in (("A", old.keys() - new.keys()), ("B", new.keys() - old.keys())):
        if only:
            print(f"{len(only)} measurements are in {name} alone.")
    for what in broken:
        print(f"FAILS NOW: {what}")
    if found and min(map(least_chance, found)) * len(found) >= options.level:
        print(
            "With so few runs a single change cannot be told from noise: the smallest chance is "
            f"{rounded(least_chance(found[0]))} among {len(found)} comparisons. Use more --rounds."
        )
    return 1 if slower or broken else 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of `xomp bench run`: times side by side, and each run's spread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from xomp.bench.pages import Table, ratio_text
from xomp.bench.plan import SERIAL
from xomp.bench.rounds import series
from xomp.bench.run import Case, Job, Outcome, seconds
from xomp.bench.stats import ratio, summarize
from xomp.bench.store import Results
from xomp.shared.runtimes import TASKING
from xomp.shared.text import rounded, seconds_text

OWN_LIBRARY = {label: f"-{suffix}" for suffix, (label, _) in TASKING.items()}


@dataclass(frozen=True)
class Row:
    case: Case
    threads: int


def rows_of(jobs: Sequence[Job]) -> dict[Row, dict[str, Job]]:
    """The jobs by row and column: the runtime, and the compiler where there are several.

    A program with a tasking library of its own stands in the row of the OpenMP application with the
    same name: in that of the same variant if there is one, else in the first.
    """
    several = len({job.case.compiler for job in jobs}) > 1
    rows: dict[Row, dict[str, Job]] = {}
    for job in sorted(jobs, key=lambda job: job.runtime.label in OWN_LIBRARY):
        case, column = job.case, job.runtime.label
        if several:
            column += "" if case.compiler == "gcc" else f" ({case.compiler})"
            case = replace(case, compiler="gcc")
        row = Row(case, job.threads)
        if job.runtime.label in OWN_LIBRARY:
            row = row_of_the_same(row, OWN_LIBRARY[job.runtime.label], rows)
        rows.setdefault(row, {})[column] = job
    return rows


def row_of_the_same(row: Row, suffix: str, rows: Iterable[Row]) -> Row:
    """The row of the OpenMP application that fib-tbb, for example, is named after."""
    base = replace(row.case, app=row.case.app.removesuffix(suffix))
    alike = [
        each
        for each in rows
        if each.threads == row.threads and replace(each.case, variant=base.variant) == base
    ]
    same = [each for each in alike if each.case.variant == base.variant]
    return (same or alike or [row])[0]


def columns_of(rows: dict[Row, dict[str, Job]]) -> list[str]:
    return list(dict.fromkeys(label for by_label in rows.values() for label in by_label))


def case_text(case: Case, sizes: int) -> str:
    settings = [f"{name}={value}" for name, value in case.parameters + case.variables]
    size = [case.size] if sizes > 1 else []
    compiler = [f"({case.compiler})"] if case.compiler != "gcc" else []
    return " ".join([f"{case.app}:{case.variant}", *size, *settings, *compiler])


def failure_text(job: Job, outcomes: Sequence[Outcome]) -> str:
    reasons = [o.failure for o in outcomes if o.job.key == job.key and o.failure]
    return reasons[0].split(":")[0] if reasons else "not run"


def cpu(outcome: Outcome) -> float:
    """Of all threads together. It counts spinning, but not the time that others had."""
    return outcome.record["cpu"]


def side_by_side(
    results: Results, value: Callable[[Outcome], float] = seconds, what: str = "Time"
) -> Table:
    """The baseline's median, and for every other runtime the ratio to it, or its median."""
    jobs, outcomes, baseline = results.jobs, results.outcomes, results.baseline
    rows = rows_of(jobs)
    labels = columns_of(rows)
    others = [label for label in labels if label != baseline]
    compared = [baseline] if baseline in labels else []
    sizes = len({job.case.size for job in jobs})
    measured = len({outcome.round for outcome in outcomes if outcome.round >= 0})
    table = Table(
        f"{what}: median of {measured} rounds on {baseline}, and the others' ratios to it [95%]; "
        "above 1 is slower."
        if compared
        else f"{what}: median of {measured} rounds.",
        ("application", "threads", *(f"{label}, s" for label in compared), *others),
    )
    for row, by_label in rows.items():
        if row.case.variant == SERIAL and len(by_label) == 1 < len(labels):
            continue  # measured for task_sizes
        found = {label: series(outcomes, job, value) for label, job in by_label.items()}
        base = found.get(baseline, {})
        cells = [case_text(row.case, sizes), str(row.threads)]
        for label in [*compared, *others]:
            if label not in by_label:
                cells.append("-")
            elif not found[label]:
                cells.append(failure_text(by_label[label], outcomes))
            elif label == baseline or not base:
                text = seconds_text(summarize(list(found[label].values())).median)
                cells.append(text if label == baseline else f"{text} s")  # not a ratio
            else:
                cells.append(ratio_text(ratio(found[label], base)))
        table.rows.append(cells)
    return table


def beside_the_best(results: Results) -> Table:
    """Each build of xomp beside whichever other OpenMP runtime is the fastest in its row."""
    rows = rows_of(results.jobs)
    labels = [label for label in columns_of(rows) if label not in OWN_LIBRARY]
    own = [label for label in labels if label.startswith("xomp")]
    peers = [label for label in labels if label not in own and not label.startswith("floor")]
    table = Table(
        "Time beside the fastest of the other runtimes [95%]; above 1 is slower.",
        ("application", "threads", "fastest", "s", *own),
    )
    if len(peers) < 2 or not own:
        return table
    sizes = len({job.case.size for job in results.jobs})
    for row, by_label in rows.items():
        found = {label: series(results.outcomes, job, seconds) for label, job in by_label.items()}
        usual = {
            label: summarize(list(found[label].values())).median
            for label in peers
            if found.get(label)
        }
        if not usual or not any(found.get(label) for label in own):
            continue
        best = min(usual, key=usual.__getitem__)
        cells = [case_text(row.case, sizes), str(row.threads), best, seconds_text(usual[best])]
        for label in own:
            measured = found.get(label)
            cells.append(ratio_text(ratio(measured, found[best])) if measured else "-")
        table.rows.append(cells)
    return table


def spreads(results: Results) -> Table:
    """Every job's median and quartiles, its tasks, and what one task took."""
    header = ("application", "threads", "runtime", "runs", "median, s", "quartiles", "CPU s")
    table = Table(
        "Every measurement; ns per task x threads is time x threads / tasks.",
        (*header, "tasks", "ns per task x threads"),
    )
    sizes = len({job.case.size for job in results.jobs})
    for job in sorted(results.jobs, key=lambda job: (job.case.label, job.threads)):
        values = series(results.outcomes, job, seconds)
        place = (case_text(job.case, sizes), str(job.threads), job.runtime.label)
        if not values:
            reason = failure_text(job, results.outcomes)
            table.rows.append((*place, "0", reason, "-", "-", "-", "-"))
            continue
        summary = summarize(list(values.values()))
        used = series(results.outcomes, job, cpu)
        tasks = series(results.outcomes, job, lambda outcome: outcome.record["tasks"])
        usual = summarize(list(tasks.values())).median
        cost = f"{summary.median * job.threads / usual * 1e9:.1f}" if usual else "-"
        table.rows.append(
            (
                *place,
                str(summary.count),
                seconds_text(summary.median),
                f"{seconds_text(summary.low)} to {seconds_text(summary.high)}",
                seconds_text(summarize(list(used.values())).median),
                f"{usual:.0f}" if usual else "-",
                cost,
            )
        )
    return table


def task_sizes(results: Results) -> Table:
    """How much work a task holds: the serial code's time, divided by the tasks of a variant.

    Processor time, as one thread does not wait for others: the machine may be busy.
    """
    table = Table(
        "Work in a task: the serial code's processor time, divided by the tasks.",
        ("application", "tasks", "serial, s", "ns per task"),
    )
    first = [
        job
        for job in results.jobs
        if job.runtime.label == results.baseline and job.case.compiler == "gcc"
    ]
    serial = {(job.case.app, job.case): job for job in first if job.case.variant == SERIAL}
    fewest = min((job.threads for job in first), default=1)
    for job in sorted(first, key=lambda job: job.case.label):
        alone = serial.get((job.case.app, replace(job.case, variant=SERIAL)))
        if alone is None or job.threads != fewest or job.case.variant == SERIAL:
            continue
        took = series(results.outcomes, alone, cpu)
        tasks = series(results.outcomes, job, lambda outcome: outcome.record["tasks"])
        if took and tasks and (count := summarize(list(tasks.values())).median):
            median = summarize(list(took.values())).median
            name = case_text(job.case, len({each.case.size for each in first}))
            cells = (f"{count:.0f}", seconds_text(median), rounded(median / count * 1e9))
            table.rows.append((name, *cells))
    return table


def for_results(results: Results) -> list[Table]:
    both = [side_by_side(results), side_by_side(results, cpu, "Processor time of all threads")]
    made = [*both, beside_the_best(results), task_sizes(results), spreads(results)]
    return [table for table in made if table.rows]

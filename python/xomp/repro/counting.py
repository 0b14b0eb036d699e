# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An experiment on a machine that is only described (XOMP_TOPOLOGY): its runs are counted, not
timed, as all threads share the few processors that there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean

from xomp.bench.plan import SERIAL, make_job
from xomp.bench.run import Outcome
from xomp.repro.model import Bars, Plot, Result, Stacks, Table
from xomp.repro.plan import Measured, Plan, Run
from xomp.repro.probes import records, through, told

NOTE = (
    "On a described machine: which worker runs a task, in which domain, what is stolen and from "
    "where are as on a machine like that; when is not, as all threads share the processors that "
    "there are. So times are not shown, and nothing is concluded about them. Counters are of the "
    "whole process (`XOMP_STATS`, docs/variables.md), means of the runs."
)
# Of the counters those that say who ran a task and what thieves did, where they are not all zero.
SHOWN = (
    *("NTASKS_SELF", "NTASKS_LOCAL", "NTASKS_REMOTE", "NTASKS_STATIC_PUSH", "NTASKS_IMM_EXEC"),
    *("NREQ_SENT", "NREQ_HANDLED", "NREQ_HAS_STEAL", "NTASKS_STOLEN", "NTASKS_STOLEN_LOCAL"),
    *("NSTEALS_REMOTE", "NSTEALS_FAILED", "NSTEALS_REFUSED"),
)


# Who ran a task: its creator, another worker of its domain, or one of another domain.
WHO = {"NTASKS_SELF": "creator", "NTASKS_LOCAL": "its domain", "NTASKS_REMOTE": "another domain"}
STEALS = "NSTEALS_REMOTE"


def jobs(plan: Plan, runs: Sequence[Run]) -> list[Run]:
    """The same programs, without what the experiment itself looks at them with."""
    found: dict[tuple, Run] = {}
    for run in runs:
        if run.job.case is None or run.job.case.variant == SERIAL or not records(run):
            continue
        plain = make_job(run.job.case, run.job.runtime, run.threads, plan.limit)
        found.setdefault(plain.key, through(replace(run, job=plain), "counted"))
    return list(found.values())


def _means(outcomes: Sequence[Outcome]) -> dict[str, float]:
    lines = [told(outcome, "counted") for outcome in outcomes]
    lines = [line for line in lines if line]
    return {
        name: mean(line[name] for line in lines)
        for name in SHOWN
        if lines and all(name in line for line in lines)
    }


def result(plan: Plan, measured: Measured) -> Result:
    found = []
    for run in measured.runs:
        words = {"config": run.config, "app": run.app, "threads": run.threads, "tag": run.tag}
        outcomes = list(measured.series(lambda outcome: outcome, **words).values())
        found.append((run, _means(outcomes)))
    names = [name for name in SHOWN if any(counts.get(name) for _, counts in found)]
    rows = [
        [run.app, run.config, run.tag or "-", str(run.threads)]
        + [f"{counts[name]:.0f}" if name in counts else "-" for name in names]
        for run, counts in found
    ]
    header = ["application", "configuration", "of it", "threads", *names]
    table = Table("Tasks and steals, means of all runs.", header, rows)
    return Result([table], plots(found), notes=[NOTE])


def plots(found: Sequence[tuple[Run, dict[str, float]]]) -> list[Plot]:
    """Where tasks ran, and how often one domain stole from another."""
    known = [(_name(run, found), counts) for run, counts in found if WHO.keys() <= counts.keys()]
    sums = [sum(counts[name] for name in WHO) or 1 for _, counts in known]
    parts = {
        who: [100 * counts[name] / all_ for (_, counts), all_ in zip(known, sums, strict=True)]
        for name, who in WHO.items()
    }
    groups = [name for name, _ in known]
    made: list[Plot] = [Stacks("By whom tasks were run", "percent of the tasks", groups, parts)]
    steals = {name: counts[STEALS] for name, counts in known if counts.get(STEALS)}
    if len(steals) > 1:
        title = "Steals between locality domains"
        made.append(Bars(title, "steals, mean", list(steals), {STEALS: list(steals.values())}))
    return made


def _name(run: Run, found: Sequence[tuple[Run, dict[str, float]]]) -> str:
    """The application, and below it what tells its runs apart."""
    others = [other for other, _ in found if other.app == run.app]
    words = [run.config] if len({each.config for each in others}) > 1 else []
    words += [run.tag] if len({each.tag for each in others}) > 1 and run.tag else []
    if len({each.threads for each in others}) > 1:
        words.append(f"{run.threads} threads")
    return f"{run.app}\n{', '.join(words) or run.config}"

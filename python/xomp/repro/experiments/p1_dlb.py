# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1: dynamic balancing with its best settings (Fig. 7, Table I), and what the library counts
meanwhile (Tables II and III)."""

from __future__ import annotations

from itertools import product
from statistics import median

from xomp.bench.pages import ratio_text
from xomp.bench.stats import ratio
from xomp.repro import compare
from xomp.repro.experiments.paper1 import (
    APPS,
    CORES,
    MEMORY,
    NA_RP,
    NA_WS,
    NODES,
    SETTINGS,
    XGOMPTB,
    run,
)
from xomp.repro.model import Claim, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.repro.probes import through, told
from xomp.repro.published import load
from xomp.shared.text import rounded

# Section VI: smaller than in the other experiments. NQueens, Health and Align are as before. UTS is
# the Barcelona suite's `tiny`, whose 30.4 million nodes are the tasks of Table III.
INPUTS = {
    "fib": {"n": 40},
    "fft": {"n": 268435456},
    "floorplan": {"cells": 15},
    "uts": {"tree": "2000,0.333332,3,8"},
    "strassen": {"n": 2048},
    "sort": {"n": 268435456},
}
# How the tables of the paper call the applications.
COLUMNS = dict(
    zip(
        APPS,
        ("Fib", "NQueens", "FFT", "FP", "Health", "UTS", "STRAS", "Sort", "Align"),
        strict=True,
    )
)
SHORT = {"NA-RP": "RP", "NA-WS": "WS"}
VARIABLES = {
    "N_victim": "XOMP_VICTIMS",
    "N_steal": "XOMP_STEAL",
    "T_interval": "XOMP_INTERVAL",
    "P_local": "XOMP_LOCAL",
}
# The values that occur in Table I; below size paper only the ends of each range.
GRID = {
    "N_victim": (1, 8, 16, 24),
    "N_steal": (1, 8, 16, 32),
    "T_interval": (1000, 10000, 100000),
    "P_local": (1, 0.5, 0.03),
}


def plain(value: object) -> str:
    """A setting as the library wants it: 10^5 is 100000."""
    base, power, exponent = str(value).partition("^")
    return str(int(base) ** int(exponent)) if power else str(value)


def best_settings(app: str, config: str) -> dict[str, str]:
    """Those of Table I."""
    table, column = load(1, "table1"), f"{COLUMNS[app]} {SHORT[config]}"
    return {
        variable: plain(table.value(setting, column)) for setting, variable in VARIABLES.items()
    }


def tuned(plan: Plan, config: str, app: str) -> Run:
    settings = best_settings(app, config) if config in SHORT else None
    return run(plan, config, app, plan.most, INPUTS, settings=settings)


def fig7_jobs(plan: Plan) -> list[Run]:
    return [tuned(plan, config, app) for app in plan.apps for config in plan.configs]


def fig7(plan: Plan, measured: Measured) -> Result:
    most = plan.most
    pairs = compare.against(plan, "XGOMPTB")
    claims = [
        compare.everywhere(
            measured,
            "NA-WS",
            "XGOMPTB",
            most,
            "NA-WS improves every application (section VI.B.2)",
        ),
        compare.everywhere(
            measured,
            "NA-RP",
            "XGOMPTB",
            most,
            "NA-RP improves FP, Health, UTS, STRAS and Sort (section VI.B.1)",
            ["floorplan", "health", "uts", "strassen", "sort"],
        ),
        compare.everywhere(
            measured,
            "XGOMPTB",
            "NA-RP",
            most,
            "NA-RP makes Fib slower (section VI.B.1)",
            ["fib"],
        ),
    ]
    tables = [
        compare.times(plan, measured, most),
        *compare.ratios(measured, pairs, most, "Times faster than static balancing."),
    ]
    title = f"Dynamic balancing with the settings of Table I, {most} threads"
    return Result(tables, [compare.time_bars(plan, measured, most, title)], claims)


def grid(plan: Plan) -> list[dict[str, str]]:
    ranges = [
        values if plan.size == "paper" else (values[0], values[-1]) for values in GRID.values()
    ]
    return [
        dict(zip(VARIABLES.values(), map(str, chosen), strict=True)) for chosen in product(*ranges)
    ]


AUTO = "auto"  # not in the paper: its future work (section X)


def tag(settings: dict[str, str]) -> str:
    return " ".join(settings.values())


def table1_jobs(plan: Plan) -> list[Run]:
    """The sweep, and beside it what the library chooses by itself."""
    chosen = [(tag(settings), settings) for settings in grid(plan)]
    chosen.append((AUTO, dict.fromkeys(VARIABLES.values(), AUTO)))
    return [
        run(plan, config, app, plan.most, INPUTS, settings=settings, tag=name)
        for app in plan.apps
        for config in plan.configs
        for name, settings in chosen
    ]


def swept(measured: Measured, app: str, config: str) -> dict[str, float]:
    """The median seconds of each setting of the sweep."""
    return {
        each.tag: middle
        for each in measured.find(app=app, config=config)
        if each.tag != AUTO
        and (middle := measured.median(app=app, config=config, tag=each.tag)) is not None
    }


def beside_the_best(plan: Plan, measured: Measured) -> Table:
    """What the library chooses, beside the best and the worst setting of the sweep."""
    rows = []
    for app in plan.apps:
        for config in plan.configs:
            found = swept(measured, app, config)
            if not found:
                continue
            ends = (min(found, key=found.get), max(found, key=found.get))
            chosen = measured.series(app=app, config=config, tag=AUTO)
            middle = measured.median(app=app, config=config, tag=AUTO)
            best = measured.series(app=app, config=config, tag=ends[0])
            cells = [compare.exact(found[ends[0]]), compare.exact(middle) if middle else "-"]
            cells += [compare.exact(found[ends[1]]), ratio_text(ratio(chosen, best))]
            rows.append([app, config, *cells])
    header = ["application", "strategy", "best", AUTO, "worst", f"{AUTO} / best [95%]"]
    return Table(f"Seconds: `{AUTO}` beside the settings of the sweep.", header, rows)


def table1(plan: Plan, measured: Measured) -> Result:
    columns = [(app, config) for app in plan.apps for config in plan.configs]
    best = {}
    for app, config in columns:
        found = swept(measured, app, config)
        best[app, config] = min(found, key=found.get).split() if found else ["-"] * len(VARIABLES)
    header = [
        "setting",
        *(f"{COLUMNS[app]} {SHORT.get(config, config)}" for app, config in columns),
    ]
    rows = [
        [setting, *(best[column][index] for column in columns)]
        for index, setting in enumerate(VARIABLES)
    ]
    tried = len({each.tag for each in measured.runs} - {AUTO})
    notes = [
        f"The best of {tried} settings by the median of {plan.rounds} runs. Where settings differ "
        "less than the runs do, chance decides, and the best looks better than "
        "it is.",
        f"`{AUTO}` is not in the paper: the library chooses by the guidelines of Table IV, from "
        "the sizes of the tasks that it has run (docs/schedulers/na-ws.md).",
    ]
    return Result(
        [Table("Best settings.", header, rows), beside_the_best(plan, measured)], notes=notes
    )


def table1_claims(plan: Plan, measured: Measured) -> Result:
    result = table1(plan, measured)
    local = result.tables[0].rows[list(VARIABLES).index("P_local")]
    claims = []
    for config in plan.configs:
        names = [name for name in result.tables[0].header[1:] if name.endswith(SHORT[config])]
        values = dict(zip(result.tables[0].header[1:], local[1:], strict=True))
        known = [values[name] for name in names if values[name] != "-"]
        tried = {each.tag.split()[-1] for each in measured.find(config=config)} - {AUTO}
        compared = known and len(tried) > 1  # with one locality domain P_local does nothing
        holds = all(float(value) == 1 for value in known) if compared else None
        text = f"{config} is best when it stays local, for most applications (section VI.B)"
        evidence = ", ".join(f"{name} {values[name]}" for name in names)
        if holds is False:
            holds = sum(float(value) == 1 for value in known) > len(known) / 2
        claims.append(Claim(text, holds, evidence))
    return Result(result.tables, claims=claims, notes=result.notes)


# Tables II and III: name in the table, and the counter of section V.
COUNTERS = {
    "Static push": "NTASKS_STATIC_PUSH",
    "Imm. exec": "NTASKS_IMM_EXEC",
    "Req. sent": "NREQ_SENT",
    "Req. handled": "NREQ_HANDLED",
    "Req. w/ steal": "NREQ_HAS_STEAL",
    "Total steal": "NTASKS_STOLEN",
    "Local steal": "NTASKS_STOLEN_LOCAL",
}
REQUESTS = ("Req. sent", "Req. handled", "Req. w/ steal", "Total steal", "Local steal")


def statistics_jobs(plan: Plan) -> list[Run]:
    return [
        through(tuned(plan, config, app), "counted") for app in plan.apps for config in plan.configs
    ]


def counts(measured: Measured, app: str, config: str) -> dict[str, float | None]:
    """Means over the rounds, as in the paper; None where the library does not count."""
    rounds = list(measured.series(lambda outcome: outcome, app=app, config=config).values())
    found: dict[str, float | None] = {
        "Time (secs)": median(each.record["seconds"] for each in rounds) if rounds else None
    }
    tasks = [each.record["tasks"] for each in rounds]
    told_ = [told(each, "counted") for each in rounds]
    # What no other worker ran was run by its creator, at once or later: so the paper counts.
    others = [_others(each) for each in told_]
    if rounds and None not in others:
        pairs = zip(tasks, others, strict=True)
        found["Self tasks"] = sum(all_ - sum(other) for all_, other in pairs) / len(rounds)
        found["Local tasks"] = sum(local for local, _ in others) / len(rounds)
        found["Remote tasks"] = sum(remote for _, remote in others) / len(rounds)
    for name, counter in COUNTERS.items():
        values = [each[counter] for each in told_ if counter in each]
        found[name] = sum(values) / len(values) if values else None
    return found


def _others(counters: dict) -> tuple[int, int] | None:
    """Tasks run by another worker of the same NUMA node, and of another one."""
    if "NTASKS_LOCAL" in counters:
        return counters["NTASKS_LOCAL"], counters.get("NTASKS_REMOTE", 0)
    if "another_worker" in counters:
        return counters["another_worker"], 0
    return None


SIZES = (("B", 1e9), ("M", 1e6), ("K", 1e3))
MOST = 0.5  # of the requests


def long(printed: object) -> float:
    """310.8 M is 310800000."""
    number, _, letter = str(printed).partition(" ")
    return float(number) * dict(SIZES).get(letter, 1)


def short(value: float | None) -> str:
    """As the paper prints counts: 310.8 M."""
    if value is None:
        return "-"
    for letter, size in SIZES:
        if value >= size:
            return f"{value / size:.1f} {letter}"
    return f"{value:.0f}" if value == int(value) else rounded(value)


def statistics(plan: Plan, measured: Measured, names: tuple[str, ...]) -> tuple[Table, dict]:
    columns = [(app, config) for app in plan.apps for config in plan.configs]
    found = {(app, config): counts(measured, app, config) for app, config in columns}
    rows = []
    for name in names:
        values = [found[column].get(name) for column in columns]
        form = compare.exact if name == "Time (secs)" else short
        rows.append([name, *(form(value) if value is not None else "-" for value in values)])
    header = ["statistic", *(f"{COLUMNS[app]} {SHORT.get(config, '')}" for app, config in columns)]
    return Table(f"Means of {plan.rounds} runs.", header, rows), found


SLB_STATISTICS = (
    "Time (secs)",
    "Self tasks",
    "Local tasks",
    "Remote tasks",
    "Static push",
    "Imm. exec",
)
NOTE = (
    "Self, local and remote tasks are those that their creator, another worker of its NUMA node, "
    "or one of another node ran. Self tasks are all that the application made less the others'. "
    "Counters are of the whole process."
)


def table3(plan: Plan, measured: Measured) -> Result:
    table, found = statistics(plan, measured, SLB_STATISTICS)
    claims = []
    for app, config in found:
        each = found[app, config]
        if each["Imm. exec"] is None or not each["Static push"]:
            continue
        share = each["Imm. exec"] / (each["Imm. exec"] + each["Static push"])
        text = {
            "fib": "Fib: over 95% of the tasks are run at once (section VI.B.2)",
            "health": "Health: nearly all tasks are pushed (Table III)",
            "strassen": "STRAS: nearly all tasks are pushed (Table III)",
            "sort": "Sort: nearly all tasks are pushed (Table III)",
            "alignment": "Align: nearly all tasks are pushed (Table III)",
        }.get(app)
        if text:
            holds = share > 0.95 if app == "fib" else share < 0.05
            claims.append(Claim(text, holds, f"{share:.1%} run at once", counts=True))
    return Result([table], claims=claims, notes=[NOTE])


def handled_in_the_paper(app: str, config: str) -> float:
    """The share of the requests that were handled there (Table II)."""
    published, column = load(1, "table2"), f"{COLUMNS[app]} {SHORT[config]}"
    return long(published.value("Req. handled", column)) / long(
        published.value("Req. sent", column)
    )


def table2(plan: Plan, measured: Measured) -> Result:
    names = (*SLB_STATISTICS, *REQUESTS)
    table, found = statistics(plan, measured, names)
    claims = []
    for config in plan.configs:
        shares = {
            app: each["Req. handled"] / each["Req. sent"]
            for (app, of), each in found.items()
            if of == config and each["Req. sent"] and each["Req. handled"] is not None
            if handled_in_the_paper(app, config) > MOST
        }
        text = f"{config}: most requests are handled, where they are in Table II"
        evidence = ", ".join(f"{app} {share:.0%}" for app, share in shares.items())
        holds = None if not shares else all(share > MOST for share in shares.values())
        claims.append(Claim(text, holds, evidence or "not counted", counts=True))
    return Result([table], claims=claims, notes=[NOTE])


NEEDS = {"apps": APPS, "cores": CORES, "nodes": NODES, "memory": MEMORY}
STRATEGIES = frozenset({"NA-RP", "NA-WS"})
SLB_COUNTERS = (
    "NTASKS_SELF",
    "NTASKS_LOCAL",
    "NTASKS_REMOTE",
    "NTASKS_STATIC_PUSH",
    "NTASKS_IMM_EXEC",
)

EXPERIMENTS = (
    Experiment(
        1,
        "fig7",
        "Dynamic balancing beside static balancing, best settings",
        "section VI.B",
        Needs(**NEEDS, variables=tuple(VARIABLES.values())),
        (XGOMPTB, NA_RP, NA_WS),
        SETTINGS,
        rounds=10,
        jobs=fig7_jobs,
        result=fig7,
    ),
    Experiment(
        1,
        "table1",
        "Best settings of NA-RP and NA-WS",
        "section VI.B",
        Needs(**NEEDS, variables=tuple(VARIABLES.values()), any_of=STRATEGIES),
        (NA_RP, NA_WS),
        SETTINGS,
        rounds=10,
        jobs=table1_jobs,
        result=table1_claims,
    ),
    Experiment(
        1,
        "table2",
        "Statistics of tasks and requests with NA-RP and NA-WS",
        "section VI.B",
        Needs(
            **NEEDS,
            variables=tuple(VARIABLES.values()),
            statistics=(*SLB_COUNTERS, *list(COUNTERS.values())[2:]),
            any_of=STRATEGIES,
        ),
        (NA_RP, NA_WS),
        SETTINGS,
        rounds=10,
        jobs=statistics_jobs,
        result=table2,
    ),
    Experiment(
        1,
        "table3",
        "Statistics of tasks with static balancing",
        "section VI.B",
        Needs(**NEEDS, statistics=SLB_COUNTERS),
        (XGOMPTB,),
        SETTINGS,
        rounds=10,
        jobs=statistics_jobs,
        result=table3,
    ),
)

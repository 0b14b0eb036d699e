# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper 1, Fig. 8: throughput of proof-of-space plots over the size of a batch."""

from __future__ import annotations

from dataclasses import replace

from xomp.bench.pages import ratio_text
from xomp.bench.run import Outcome
from xomp.bench.stats import ratio
from xomp.repro import compare
from xomp.repro.experiments.paper1 import CORES, GOMP, NODES, SETTINGS, XGOMPTB, polling
from xomp.repro.model import Claim, Lines, Needs, Result, Table
from xomp.repro.plan import Experiment, Measured, Plan, Run
from xomp.shared.text import rounded

# Section VII names 1, 1024 and 8192. A batch is a task: more of it than the memory holds is none.
BATCHES = {
    "test": (1, 4, 16, 64),
    "small": (1, 8, 64, 512, 4096),
    "medium": (1, 8, 64, 512, 1024, 8192, 32768),
    "paper": (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768),
}


def jobs(plan: Plan) -> list[Run]:
    return [
        plan.run(
            config,
            app,
            plan.most,
            tag=str(batch),
            settings=polling(config, plan.most),
            batch=batch,
        )
        for app in plan.apps
        for config in plan.configs
        for batch in BATCHES[plan.size]
    ]


def rate(outcome: Outcome) -> float:
    """Million hashes per second, while puzzles are generated."""
    return outcome.record["mhs"]


def cost(outcome: Outcome) -> float:
    return 1 / rate(outcome)


def result(plan: Plan, measured: Measured) -> Result:
    batches = BATCHES[plan.size]
    rows, curves = [], {config: [] for config in plan.configs}
    for batch in batches:
        row = [str(batch)]
        for config in plan.configs:
            found = measured.median(rate, config=config, tag=str(batch))
            row.append(rounded(found) if found else "-")
            if found:
                curves[config].append((batch, found))
        faster = compare.speedup(measured, "XGOMPTB", "GOMP", cost, tag=str(batch))
        rows.append([*row, ratio_text(faster)])
    header = ["batch", *(f"{config}, MH/s" for config in plan.configs), "XGOMPTB / GOMP [95%]"]
    first = compare.speedup(measured, "XGOMPTB", "GOMP", cost, tag=str(batches[0]))
    claims = [
        compare.faster("with batches of 1 XGOMPTB has the higher throughput", first),
        _best(measured, curves),
    ]
    plot = Lines(
        f"Proof of space (PoSp) with {plan.most} threads",
        "puzzles in a batch",
        "million hashes per second",
        {"posp": curves},
        logx=True,
        logy=True,
    )
    notes = ["The rate is that of the generation of puzzles; sorting and writing are not in it."]
    return Result([Table("Throughput (medians).", header, rows)], [plot], claims, notes)


def _best(measured: Measured, curves: dict[str, list[tuple[float, float]]]) -> Claim:
    text = "at its best batch XGOMPTB is faster than GOMP at its best"
    if not all(curves.get(name) for name in ("GOMP", "XGOMPTB")):
        return Claim(text, None, "not measured")
    best = {name: max(points, key=lambda point: point[1])[0] for name, points in curves.items()}
    ours, theirs = (
        measured.series(cost, config=name, tag=str(best[name])) for name in ("XGOMPTB", "GOMP")
    )
    claim = compare.faster(text, ratio(theirs, ours))
    batches = f"batches of {best['XGOMPTB']} and of {best['GOMP']}"
    return replace(claim, evidence=f"{claim.evidence}, {batches}")


EXPERIMENTS = (
    Experiment(
        1,
        "fig8",
        "Throughput of proof of space over the size of a batch",
        "section VII",
        Needs(apps=("posp",), cores=CORES, nodes=NODES, memory=128.0),
        (GOMP, XGOMPTB),
        SETTINGS,
        jobs=jobs,
        result=result,
    ),
)

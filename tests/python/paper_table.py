# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of docs/schedulers/letter.md: the papers' algorithms to the letter beside xomp's
policies, and what `auto` chooses beside the best of a sweep.

    PYTHONPATH=python build/venv/bin/python tests/python/paper_table.py [measured]

writes them into the page; with `measured` also what programs take, on a quiet machine.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from statistics import median

import paper_letter
import paper_policies
from xomp.bench import balance
from xomp.bench.run import Job, run
from xomp.shared import apps
from xomp.shared.runtimes import find

PAGE = paper_policies.ROOT / "docs/schedulers/letter.md"
WORKERS = 16
SEEDS, MORE_SEEDS = 9, {"na-ws": 40}  # its makespans differ most
NEAR = 0.15  # of the letter's makespan
BALANCERS = ("na-rp", "na-ws")
REGIONS, RUNS = "5", 3  # of a program
NUMBERS = "XOMP_VICTIMS=24,XOMP_STEAL=32,XOMP_INTERVAL=10000,XOMP_LOCAL=1"
SETTINGS = {**dict.fromkeys(BALANCERS, NUMBERS), "mts": "XOMP_TOPOLOGY=numa:2 core:8 pu:1"}
VICTIMS, STEALS = (1, 4, 15), (1, 4, 8, 32)  # of the sweep


@cache
def shape(name: str) -> paper_letter.Task:
    return paper_letter.SHAPES[name](WORKERS)


def seeds(scheduler: str) -> int:
    return MORE_SEEDS.get(scheduler, SEEDS)


@cache
def letter(scheduler: str, name: str) -> float:
    made = paper_letter.SCHEDULERS[scheduler]
    return median(paper_letter.makespans(shape(name), made, WORKERS, seeds(scheduler)))


@cache
def changed(scheduler: str, name: str) -> float:
    """The letter, with the changes that the policy's page names."""
    if scheduler not in paper_letter.CHANGED:
        return letter(scheduler, name)
    made = paper_letter.CHANGED[scheduler]
    return median(paper_letter.makespans(shape(name), made, WORKERS, seeds(scheduler)))


@cache
def policy(scheduler: str, name: str, **numbers: int) -> float:
    count = seeds(scheduler)
    return median(paper_policies.makespans(shape(name), scheduler, WORKERS, count, **numbers))


def apart(one: float, other: float) -> bool:
    return abs(one / other - 1) > NEAR


def beside_the_letter() -> list[list[str]]:
    rows = [["scheduler", *paper_letter.SHAPES]]
    for scheduler in paper_letter.SCHEDULERS:
        cells = []
        for name in paper_letter.SHAPES:
            as_written, here = letter(scheduler, name), policy(scheduler, name)
            cell = f"{as_written:.2f} / {here:.2f}"
            if apart(here, as_written):
                cell += f" ({changed(scheduler, name):.2f})"
            cells.append(cell)
        rows.append([f"`{scheduler}`", *cells])
    return rows


def sweep(scheduler: str, name: str) -> list[float]:
    """Makespans of all settings, the best first."""
    return sorted(
        policy(scheduler, name, victims=victims, steal=steal)
        for victims in VICTIMS
        for steal in STEALS
    )


def auto(scheduler: str, name: str) -> float:
    return policy(scheduler, name, victims=paper_policies.AUTO, steal=paper_policies.AUTO)


def beside_the_best() -> list[list[str]]:
    rows = [["scheduler", "settings", *paper_letter.SHAPES]]
    for scheduler in BALANCERS:
        found = {name: sweep(scheduler, name) for name in paper_letter.SHAPES}
        cells = {
            "`auto`": [auto(scheduler, name) for name in found],
            "best of the sweep": [each[0] for each in found.values()],
            "worst of the sweep": [each[-1] for each in found.values()],
            "24 victims, 32 tasks": [policy(scheduler, name) for name in found],
        }
        for what, values in cells.items():
            rows.append([f"`{scheduler}`", what, *(f"{value:.2f}" for value in values)])
    return rows


def program(scheduler: str, name: str) -> float:
    """A real program of that shape, whose tasks sleep, under the scheduler."""
    label = ",".join(filter(None, [f"xomp@XOMP_SCHEDULER={scheduler}", SETTINGS.get(scheduler)]))
    job = Job(find(label), WORKERS, apps.build("balance"), (name, REGIONS))
    records = [record for _ in range(RUNS) for record in run(job).records]
    return median(record["seconds"] / balance.ideal(record) for record in records)


def of_programs() -> list[list[str]]:
    rows = [["scheduler", *paper_letter.SHAPES]]
    for scheduler in paper_letter.SCHEDULERS:
        cells = []
        for name in paper_letter.SHAPES:
            found = program(scheduler, name)
            near = not apart(found, policy(scheduler, name))
            cells.append(f"{found:.2f}" if near else f"**{found:.2f}**")
        rows.append([f"`{scheduler}`", *cells])
    return rows


def markdown(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


TABLES = {"letter": beside_the_letter, "sweep": beside_the_best}
MEASURED = {"programs": of_programs}


def renewed(page: str, tables: dict = TABLES) -> str:
    for name, rows in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        table = f"{begin}\n{markdown(rows())}\n\n{end}"
        page = re.sub(f"{begin}.*?{end}", lambda _, table=table: table, page, flags=re.S)
    return page


if __name__ == "__main__":
    chosen = {**TABLES, **(MEASURED if "measured" in sys.argv[1:] else {})}
    PAGE.write_text(renewed(PAGE.read_text(), chosen))

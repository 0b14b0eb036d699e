# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One number for many applications: geometric means of the times over the best peer's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, median

from xomp.bench.pages import Table
from xomp.bench.rounds import series
from xomp.bench.run import Job, seconds
from xomp.bench.store import Results
from xomp.bench.tables import OWN_LIBRARY, case_text, rows_of

FINE_GRAINED = ("fib", "nqueens", "floorplan", "health", "uts", "fft")
NOISE = 1.03


def is_peer(label: str) -> bool:
    """Whether xomp is compared with it: neither xomp nor another kind of thing."""
    name = label.partition("@")[0]
    return name not in ("xomp", "floor") and label not in OWN_LIBRARY


def geometric(values: Sequence[float]) -> str:
    return f"{math.exp(mean(map(math.log, values))):.2f}" if values else "-"


def over_best(results: Results) -> dict[tuple[str, int], dict[str, float]]:
    """By runtime and threads: each application's median over that of its best peer."""
    jobs = results.jobs
    sizes = len({job.case.size for job in jobs})

    def median_of(job: Job) -> float | None:
        values = series(results.outcomes, job, seconds)
        return median(values.values()) if values else None

    found: dict[tuple[str, int], dict[str, float]] = {}
    for row, by_label in rows_of(jobs).items():
        medians = {label: median_of(job) for label, job in by_label.items()}
        peers = [value for label, value in medians.items() if value and is_peer(label)]
        for label, value in medians.items():
            if label.partition("@")[0] == "xomp" and value and len(peers) > 1:
                name = case_text(row.case, sizes)
                found.setdefault((label, row.threads), {})[name] = value / min(peers)
    return found


def table(results: Results) -> Table:
    made = Table(
        f"Over the best peer: geometric means, and what is slower than {NOISE} times its time; "
        f"fine-grained are {', '.join(FINE_GRAINED)}.",
        ("runtime", "threads", "fine-grained", "all", "slower, slowest first"),
        summary=True,
    )
    for (label, threads), ratios in over_best(results).items():
        if len(ratios) < 2:
            continue
        fine = [ratio for name, ratio in ratios.items() if name.partition(":")[0] in FINE_GRAINED]
        slower = sorted(((ratio, name) for name, ratio in ratios.items() if ratio > NOISE))[::-1]
        told = ", ".join(f"{name} {ratio:.2f}" for ratio, name in slower) or "-"
        means = (geometric(fine), geometric(list(ratios.values())))
        made.rows.append((label, str(threads), *means, told))
    return made

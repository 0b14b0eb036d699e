# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a plan on many machines by Parsl (an optional dependency), with the results of a local run.

What is compared is run side by side: the jobs of one case, number of threads and round, on all
runtimes, go to one worker together. A configuration should therefore have one worker per machine.
The checkout must be at the same path on all machines, and in the workers' PYTHONPATH.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from shlex import quote

from xomp.bench.rounds import GIVE_UP_AFTER
from xomp.bench.run import Job, Outcome, run
from xomp.errors import BadInputError
from xomp.shared.paths import BENCH
from xomp.shared.pool import as_they_end

PACKAGES = Path(__file__).resolve().parents[2]

EXECUTOR_HELP = (
    "local (default), or parsl:CONFIG, where CONFIG is a Python file that defines `config`, or "
    "local-threads or local-htex"
)
BUILT_IN = ("local-threads", "local-htex")


def executor(text: str, local: Callable[..., list[Outcome]]) -> Callable[..., list[Outcome]]:
    """What --executor names, checked before anything is run."""
    if text == "local":
        return local
    kind, _, name = text.partition(":")
    if kind != "parsl" or not name:
        raise BadInputError(f"no executor {text!r}; there are local and parsl:CONFIG")
    if importlib.util.find_spec("parsl") is None:
        raise BadInputError("parsl is not installed: `pip install parsl`, or `xomp bench setup`")
    config = built_in(name) if name in BUILT_IN else load(Path(name))

    def execute(jobs: Sequence[Job], *rest, **options) -> list[Outcome]:
        return on_parsl(config, jobs, *rest, **options)

    return execute


def built_in(name: str):
    """Configurations for this machine: one worker, so that runs do not disturb each other."""
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor, ThreadPoolExecutor
    from parsl.providers import LocalProvider

    runs = str(BENCH / "parsl")
    if name == "local-threads":
        return Config(executors=[ThreadPoolExecutor(max_threads=1)], run_dir=runs)
    workers = HighThroughputExecutor(
        label="local",
        address="127.0.0.1",
        max_workers_per_node=1,
        provider=LocalProvider(
            init_blocks=1, max_blocks=1, worker_init=f"export PYTHONPATH={quote(str(PACKAGES))}"
        ),
    )
    return Config(executors=[workers], run_dir=runs, strategy="none")


def load(path: Path):
    """The `config` of a Python file."""
    from parsl.config import Config

    try:
        spec = importlib.util.spec_from_file_location("sweep_configuration", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInputError(f"cannot read the configuration {path}: {error!r}") from error
    config = getattr(module, "config", None)
    if not isinstance(config, Config):
        raise BadInputError(f"{path} defines no `config` of the class parsl.Config")
    return config


def blocks(jobs: Iterable[Job]) -> list[list[Job]]:
    """The jobs that are compared with each other: they differ in the runtime only."""
    groups: dict[tuple, list[Job]] = {}
    for job in jobs:
        groups.setdefault((job.label, job.threads), []).append(job)
    return list(groups.values())


def run_block(jobs: list[Job], index: int) -> list[tuple[str, Outcome]]:
    """On the worker: runs the jobs one after the other; each outcome with the machine's name."""
    return [(platform.node(), run(job, index)) for job in jobs]


def on_parsl(
    config,
    jobs: Sequence[Job],
    rounds: int,
    warmups: int = 1,
    seed: int = 1,
    budget: float | None = None,
    progress: Callable[[Job], None] = lambda job: None,
    record: Callable[..., None] = lambda outcome, host=None: None,
    earlier: Iterable[Outcome] = (),
) -> list[Outcome]:
    """As rounds.interleave, but the blocks of a round run wherever a worker is free.

    Rounds begin one after the other: warm-ups come first, and a failing job is given up as locally.
    """
    import parsl

    # Parsl starts its helpers by name; this Python's folder need not be in the path.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    known = {(outcome.job.key, outcome.round): outcome for outcome in earlier}
    generator = random.Random(seed)
    failures: dict[tuple, int] = {}
    outcomes: list[Outcome] = []

    def take(outcome: Outcome) -> None:
        outcomes.append(outcome)
        if outcome.failure:
            failures[outcome.job.key] = failures.get(outcome.job.key, 0) + 1

    started = time.monotonic()
    with parsl.load(config) as kernel:
        remote = parsl.python_app(run_block, data_flow_kernel=kernel)
        for index in range(-warmups, rounds):
            before = time.monotonic()
            waiting = []
            for block in generator.sample(blocks(jobs), k=len(blocks(jobs))):
                todo = [job for job in block if failures.get(job.key, 0) < GIVE_UP_AFTER]
                for job in todo:
                    if (job.key, index) in known:
                        take(known[job.key, index])
                todo = [job for job in todo if (job.key, index) not in known]
                generator.shuffle(todo)
                if todo:
                    progress(todo[0])
                    waiting.append(remote(todo, index))
            for future in as_they_end(waiting):
                for host, outcome in future.result():
                    record(outcome, host)
                    take(outcome)
            now = time.monotonic()
            if budget is not None and index >= 0 and now + (now - before) > started + budget:
                break
    return outcomes

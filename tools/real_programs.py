#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs that nobody here wrote on the system's libgomp and on xomp and compares them.

docs/real-programs.md says what they are and what came out. The table is printed and saved, with
every single run, in the work folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from real_programs_job import Job
from real_programs_jobs import (
    PACKAGES,
    UNPACKED,
    WHEELS,
    jobs,
    make_inputs,
    unpacked,
    venv_python,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

from xomp.errors import BAD_INPUT, BadInputError, tell  # noqa: E402
from xomp.library import check  # noqa: E402

FOLDER = Path(tempfile.gettempdir()) / "xomp-real-programs"
RUNTIMES = ("libgomp", "passive", "xomp")
MORE_RUNTIMES = (*RUNTIMES, "libomp")
BINDING = re.compile(
    r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `((?:GOMP|omp|__kmpc)_\w+)'"
)
WORKERS = re.compile(r"xomp: statistics of (\d+) workers?")


@dataclass
class Run:
    """One run of a program: how it ended, what it cost, a checksum of what it made.

    `threads`: the most that the process had, not counting what it started.
    """

    status: str
    wall: float
    cpu: float
    digest: str
    threads: int


@dataclass
class Served:
    """Who answered a program's OpenMP calls, as the loader and xomp's statistics tell."""

    by_xomp: set[str] = field(default_factory=set)
    by_others: set[str] = field(default_factory=set)
    workers: int = 0

    def __str__(self) -> str:
        if not self.by_xomp:
            return "no"
        return "part" if self.by_others else "yes"


class Harness:
    """Starts jobs on a runtime in a fresh folder each."""

    def __init__(self, folder: Path, library: Path, limit: float) -> None:
        self.folder = folder
        self.library = library
        self.limit = limit
        clean = ("OMP_", "GOMP_", "XOMP_", "LD_")
        self.base = {k: v for k, v in os.environ.items() if not k.startswith(clean)}
        self.base |= {"LC_ALL": "C", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}

    def way(self, runtime: str) -> tuple[list[str], dict[str, str]]:
        """The words before the command and the variables that put a program on a runtime.

        `path` is xomp without the preload; `passive` is libgomp whose idle threads do not spin,
        `libomp` LLVM's runtime in libgomp's place.
        """
        if runtime == "xomp":
            return [str(ROOT / "xomp"), "run", "--lib", str(self.library), "--"], {}
        if runtime == "path":
            return [], {"LD_LIBRARY_PATH": str(self.library.parent)}
        if runtime == "libomp":
            return [], {"LD_PRELOAD": "libomp.so.5"}
        if runtime == "passive":
            return [], {"OMP_WAIT_POLICY": "passive"}
        return [], {}

    def run(self, job: Job, runtime: str, extra: dict[str, str] | None = None) -> Run:
        work = self.folder / "run"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        words, variables = self.way(runtime)
        command = words + [word.format(inputs=self.folder / "inputs") for word in job.command]
        environment = self.base | variables | job.variables | (extra or {})
        with (work / "stdout").open("wb") as out, (work / "stderr").open("wb") as err:
            begin = time.monotonic()
            process = subprocess.Popen(
                command, cwd=work, env=environment, stdout=out, stderr=err, start_new_session=True
            )
            try:
                ended, usage, threads = self.wait(process, min(self.limit, job.limit))
            except KeyboardInterrupt:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            wall = time.monotonic() - begin
        status = "time limit" if not ended else "ok"
        if ended and process.returncode:
            status = f"exit {process.returncode}"
        digest = job.digest(work) if status == "ok" else ""
        return Run(status, wall, usage, digest, threads)

    @staticmethod
    def wait(process: subprocess.Popen[bytes], limit: float) -> tuple[bool, float, int]:
        """Waits, or kills the process group at the limit; whether it ended, its CPU time, and how
        many threads it had."""
        end = time.monotonic() + limit
        in_time, threads = True, 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode = os.waitstatus_to_exitcode(status)
                return in_time, usage.ru_utime + usage.ru_stime, threads
            with contextlib.suppress(OSError):  # it may have ended
                threads = max(threads, sum(1 for _ in Path(f"/proc/{process.pid}/task").iterdir()))
            if in_time and time.monotonic() > end:
                in_time = False
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.005)

    def served(self, job: Job, runtime: str) -> tuple[Run, Served]:
        """One run under the loader's eyes: which library each GOMP_ and omp_ symbol is bound to."""
        log = self.folder / "bindings"
        shutil.rmtree(log, ignore_errors=True)
        log.mkdir()
        watch = {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": str(log / "log"), "XOMP_STATS": "1"}
        run = self.run(job, runtime, watch)
        served = Served()
        for file in log.iterdir():
            for user, provider, symbol in BINDING.findall(file.read_text(errors="replace")):
                name = Path(provider).name
                runtimes = ("libxomp", "libgomp", "libiomp5", "libomp")
                if not name.startswith(runtimes) or Path(user).name.startswith(runtimes):
                    continue
                ours = Path(provider).resolve().parent == self.library.parent
                (served.by_xomp if ours else served.by_others).add(symbol)
        counts = WORKERS.findall((self.folder / "run" / "stderr").read_text(errors="replace"))
        served.workers = max(map(int, counts), default=0)
        return run, served


def install(folder: Path) -> None:
    """Debian packages for the whole machine; wheels into an environment of the work folder, where
    packages that cannot be installed beside others are as well."""
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    apt = [*sudo, "apt-get", "install", "-y", "-q", "--no-install-recommends", *PACKAGES]
    subprocess.run(apt, check=True)
    unpack(Path(unpacked(folder)))
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    subprocess.run([venv_python(folder), "-m", "pip", "install", "-q", *WHEELS], check=True)
    link_mkl(folder)


def unpack(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    subprocess.run(["apt-get", "download", "-q", *UNPACKED], cwd=folder, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)


def link_mkl(folder: Path) -> None:
    """A library that needs MKL's layers and libiomp5, as programs that are linked to them do."""
    library = folder / "venv" / "lib"
    layers = [
        f"-l:{next(library.glob(f'libmkl_{layer}.so.*')).name}"
        for layer in ("intel_lp64", "intel_thread", "core")
    ]
    command = ["gcc", "-shared", "-o", str(library / "libmkl_linked.so"), "-Wl,--no-as-needed"]
    command += [f"-L{library}", *layers, "-l:libiomp5.so", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(command, check=True)


def measure(
    harness: Harness, job: Job, runtimes: tuple[str, ...], rounds: int
) -> dict[str, object]:
    """Looks once who serves the job in each way, then times the runtimes in turns."""
    watched, served = harness.served(job, "xomp")
    by_path, served_by_path = harness.served(job, "path")
    if job.hangs:
        runtimes = ("libgomp", "xomp")
    runs: dict[str, list[Run]] = {runtime: [] for runtime in runtimes}
    for number in range(1 if job.hangs else rounds):
        for runtime in runtimes if number % 2 == 0 else reversed(runtimes):
            runs[runtime].append(harness.run(job, runtime))
    return {
        "job": job.name,
        "hangs": job.hangs,
        "served": str(served),
        "served by path": str(served_by_path),
        "doors": sorted(served.by_xomp),
        "workers": served.workers,
        "watched": [vars(watched), vars(by_path)],
        "runs": {runtime: [vars(run) for run in each] for runtime, each in runs.items()},
    }


def verdict(result: dict[str, object]) -> str:
    """Whether every run of xomp made what libgomp made."""
    runs = result["runs"]
    failed = {
        runtime: next(run["status"] for run in each if run["status"] != "ok")
        for runtime, each in runs.items()
        if any(run["status"] != "ok" for run in each)
    }

    def made(*runtimes: str) -> set[str]:
        every = (run for runtime in runtimes for run in runs.get(runtime, ()))
        return {run["digest"] for run in every if run["status"] == "ok"}

    if "xomp" in failed:
        return f"xomp: {failed['xomp']}"
    libgomp, libomp, xomp = made("libgomp", "passive"), made("libomp"), made("xomp")
    path = result["watched"][1]
    if result["served by path"] == "yes" and path["status"] != "time limit":
        xomp |= {path["digest"] or path["status"]}
    words = [f"{runtime}: {status}" for runtime, status in failed.items()]
    if libomp - libgomp:
        words.append("libomp: differs")
    if not libgomp:
        words.append("xomp: ok")
    elif libgomp == xomp:
        words.append("same" if len(libgomp) == 1 else f"varies alike ({len(libgomp)})")
    elif len(libgomp) > 1:
        words.append(f"varies ({len(libgomp)} on libgomp, {len(xomp)} on xomp)")
    else:
        words.append("DIFFERS")
    return "; ".join(words)


def row(result: dict[str, object]) -> str:
    """One line: medians of the first runtime in seconds, the others as ratios to them."""
    first, *others = result["runs"]

    def median(runtime: str, figure: str) -> float:
        return statistics.median(run[figure] for run in result["runs"][runtime])

    def ratio(runtime: str, figure: str, base: float) -> str:
        late = any(run["status"] == "time limit" for run in result["runs"][runtime])
        if late and figure == "cpu":
            return ""  # that of the processes that were killed is not known
        return f"{'> ' if late else ''}{median(runtime, figure) / base:.2f}"

    cells = [result["job"], result["served"], result["served by path"], verdict(result)]
    for figure in ("wall", "cpu"):
        if result["hangs"]:
            cells += ["", "", ""]
        else:
            base = median(first, figure)
            cells += [f"{base:.2f}", *(ratio(other, figure, base) for other in others)]
    cells.append(" / ".join(f"{median(r, 'threads'):.0f}" for r in (first, "xomp")))
    return "| " + " | ".join(cells) + " |"


def header(runtimes: tuple[str, ...]) -> str:
    first, *others = runtimes
    columns = ["program", "served by xomp, `xomp run`", "path only", "output"]
    for figure in ("wall", "CPU"):
        columns += [f"{figure} s, {first}", *others]
    columns.append(f"threads, {first} / xomp")
    return f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"


def check_library(path: Path) -> None:
    """Refuses what is no libxomp.so: no program would run on it."""
    if path.is_dir():
        raise BadInputError(f"'{path}' is a folder: --lib names the libxomp.so in it")
    check(str(path))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install packages and wheels first")
    parser.add_argument(
        "--only", nargs="+", metavar="WORD", help="jobs whose name has one of these"
    )
    parser.add_argument(
        "--runtimes",
        nargs="+",
        default=RUNTIMES,
        choices=MORE_RUNTIMES,
        help="the first one's times in seconds, the others' as ratios to them",
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120, help="seconds that a run may take")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"work folder ({FOLDER})")
    parser.add_argument("--lib", type=Path, default=ROOT / "build" / "lib" / "libxomp.so")
    options = parser.parse_args()
    try:
        check_library(options.lib)
    except BadInputError as error:
        tell("real_programs.py", error)
        return BAD_INPUT
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.install:
        install(folder)
    make_inputs(folder / "inputs")
    harness = Harness(folder, options.lib.resolve(), options.limit)
    results = []
    print(header(options.runtimes), flush=True)
    for job in jobs(folder):
        if options.only and not any(word in job.name for word in options.only):
            continue
        results.append(measure(harness, job, tuple(options.runtimes), options.rounds))
        print(row(results[-1]), flush=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1))
    bad = [r["job"] for r in results if verdict(r).startswith(("DIFFERS", "xomp:"))]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`icount`: instructions per construct on one thread, counted by callgrind, so repeatable.

Each construct is repeated a few and many times; the difference of the counts divided by that of the
repetitions is its cost without start-up and shut-down. Fibonacci is counted so too, by its tasks.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from xomp.bench import icount_kept, pages, plan, store
from xomp.bench.counted import Counted
from xomp.bench.measure import Plan, new_path
from xomp.bench.options import Compiler, Limit, RuntimeList
from xomp.bench.pages import Table
from xomp.bench.run import Job, parse
from xomp.bench.session import typed
from xomp.bench.store import Results
from xomp.cli.values import whole
from xomp.errors import BadInputError, unknown
from xomp.shared import apps
from xomp.shared.errors import MissingToolError
from xomp.shared.runtimes import Runtime, find, find_all

RUNTIMES = ("floor", "libgomp", "libomp", "libiomp5", "xomp")
FIB_SIZES = (16, 22)
FIB = ("fib:tied", "fib:untied", "fib:one")
KEPT_FIB = "fib:tied"  # the one of --check: the others' tasks take the same way
# Of programs built by clang, which come in by entry points of their own.
KEPT_CLANG = (
    *("fib:tied", "fib:untied", "task", "taskwait_child", "task_if0", "task_depend_chain"),
    *("taskgroup_child", "taskloop", "parallel", "for_static", "for_dynamic", "barrier"),
    *("single", "critical_named", "reduction", "sections"),
)

NAMED = re.compile(r"(ob|fn|cob|cfn|cfi|cfl|fl|fi|fe)=\((\d+)\)(?: (.*))?$")
DUMP = re.compile(r"desc: Trigger: Client Request: (\w+) (\d+)$")
COST = re.compile(r"(?:\+|-|0x)?[0-9a-f*]+ (\d+)$")


class CountError(Exception):
    """Callgrind did not deliver; the message says what happened."""


def self_costs(lines: Iterable[str]) -> Counter:
    """Instructions by (object, function) of a callgrind profile, callees not included.

    Names are given once as ``fn=(id) name`` and then by id; object and function ids have a
    numbering each, shared by caller and callee lines. The line after ``calls=`` is the callee's
    inclusive cost.
    """
    names: dict[tuple[str, str], str] = {}
    current = {"ob": "?", "fn": "?"}
    costs: Counter = Counter()
    skip = False
    for line in lines:
        line = line.rstrip("\n")
        named = NAMED.match(line)
        if named:
            kind, identity, name = named.groups()
            space = {"cob": "ob", "cfn": "fn"}.get(kind, kind)
            if name is not None:
                names[space, identity] = name
            if kind in current:
                current[kind] = names.get((space, identity), "?")
        elif line.startswith("calls="):
            skip = True
        elif (cost := COST.match(line)) is not None:
            if not skip:
                costs[current["ob"], current["fn"]] += int(cost[1])
            skip = False
    return costs


def callgrind(runtime: Runtime, program: Path, arguments: Sequence[str], limit: float, folder: str):
    """Runs the program; its dumps are in the folder. The result is what it printed."""
    profile = f"--callgrind-out-file={folder}/out"
    command = ["valgrind", "--tool=callgrind", profile, str(program), *arguments]
    try:
        done = subprocess.run(
            command, env=runtime.environment(1), capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired as error:
        raise CountError(f"did not end within {limit:g} s") from error
    records = parse(done.stdout)
    if done.returncode != 0 or not records or any(record.get("ok") != 1 for record in records):
        raise CountError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return records


def difference(few: Counter, many: Counter, times: int) -> dict[tuple[str, str], float]:
    many.subtract(few)
    return {place: cost / times for place, cost in many.items() if cost}


def count_constructs(
    runtime: Runtime, names: Sequence[str], limit: float, compiler: str = "gcc"
) -> list[Counted]:
    """All of them in one process, which has callgrind dump its counts after each."""
    program = apps.build("micro", compiler)
    dumps: dict[str, dict[int, Counter]] = {}
    with tempfile.TemporaryDirectory() as folder:
        callgrind(runtime, program, ["--count", *names], limit, folder)
        for path in sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:])):
            lines = path.read_text().splitlines()
            label = next((DUMP.match(line) for line in lines if DUMP.match(line)), None)
            if label:
                dumps.setdefault(label[1], {})[int(label[2])] = self_costs(lines)
    counted = []
    for name, by_times in dumps.items():
        few, many = sorted(by_times)
        costs = difference(by_times[few], by_times[many], many - few)
        counted.append(Counted(name, runtime.label, program, costs))
    return counted


def count_on_floor(runtime: Runtime, names: Sequence[str], limit: float) -> list[Counted]:
    """One process for each, as the floor lacks what some need."""
    counted = []
    for name in names or constructs():
        try:
            counted += count_constructs(runtime, [name], limit)
        except CountError as error:
            if "undefined symbol" not in str(error):
                raise
    return counted


def count_fib(runtime: Runtime, what: str, limit: float, compiler: str) -> Counted:
    program = apps.build("fib", compiler)
    found = []
    for size in FIB_SIZES:
        arguments = ["--n", str(size), "--variant", what.partition(":")[2]]
        with tempfile.TemporaryDirectory() as folder:
            records = callgrind(runtime, program, arguments, limit, folder)
            lines = (Path(folder) / "out").read_text().splitlines()
        found.append((self_costs(lines), records[0]["tasks"]))
    (few, small), (many, large) = found
    return Counted(what, runtime.label, program, difference(few, many, large - small))


def constructs(compiler: str = "gcc") -> list[str]:
    """The names that micro knows, from its own complaint about another."""
    done = subprocess.run([apps.build("micro", compiler), "?"], capture_output=True, text=True)
    return done.stderr.partition(": ")[2].partition(":")[2].split()


def count(
    runtime: Runtime, names: Sequence[str], limit: float, compiler: str = "gcc"
) -> list[Counted]:
    fib = [name for name in names if name.startswith("fib:")]
    others = [name for name in names if name not in fib]
    counted = [count_fib(runtime, what, limit, compiler) for what in fib]
    if others and runtime.label.partition("@")[0] == "floor":
        counted += count_on_floor(runtime, others, limit)
    elif others:
        counted += count_constructs(runtime, others, limit, compiler)
    return counted


def count_kept(runtime: Runtime, limit: float) -> icount_kept.Counts:
    """What is kept in the tree, of programs of gcc and, where it is installed, of clang."""
    counted = count(runtime, [KEPT_FIB, *constructs()], limit)
    try:
        apps.compiler_for("c", "clang")
    except MissingToolError:
        return icount_kept.of(runtime.library, counted)
    by_clang = count(runtime, KEPT_CLANG, limit, "clang")
    for each in by_clang:
        each.what += icount_kept.CLANG
    return icount_kept.of(runtime.library, [*counted, *by_clang])


def check_names(names: Sequence[str], compiler: str) -> None:
    plan.check_compilers([compiler])
    known = [*FIB, *constructs(compiler)]
    for name in names:
        if name not in known:
            raise BadInputError(unknown("construct", name, known))
    if shutil.which("valgrind") is None:
        raise BadInputError("valgrind is not installed")


def tables(results: Results) -> list[Table]:
    """Per construct: all instructions on each runtime, those outside the program in brackets."""
    labels = list(dict.fromkeys(each["runtime"] for each in results.counts))
    places = {(each["what"], each["runtime"]): each for each in results.counts}
    found = Table(
        "Instructions per construct on one thread (those outside the program); per iteration "
        "for for_dynamic, for_ordered and taskloop, per task for fib, per 64 tasks for graph_*.",
        ("construct", *labels),
    )
    there = dict.fromkeys(each["what"] for each in results.counts)
    known = [name for name in (*FIB, *constructs()) if name in there]
    for what in dict.fromkeys((*known, *there)):
        cells = [places.get((what, label)) for label in labels]
        found.rows.append((what, *map(cell_text, cells)))
    return [found]


def cell_text(count: dict | None) -> str:
    if count is None:
        return "-"
    return f"{count['instructions']:.1f} ({count['outside_the_program']:.1f})"


def costliest(counted: Sequence[Counted], functions: int) -> Table:
    header = ("construct", "runtime", "object", "function", "instructions")
    details = Table("The costliest functions.", header, left=4)
    for each in counted:
        top = sorted(each.costs.items(), key=lambda item: -item[1])[:functions]
        details.rows += [
            (each.what, each.runtime, Path(where).name, function, f"{cost:.2f}")
            for (where, function), cost in top
        ]
    return details


def keep(limit: float, update: bool) -> int:
    """`--check` and `--update`: xomp's counts beside those that are kept in the tree."""
    runtime = find("xomp")
    now = count_kept(runtime, limit)
    if update:
        icount_kept.write(now)
        print(f"kept {len(now.outside)} counts in {icount_kept.PATH}")
        return 0
    kept = icount_kept.read()
    pages.show([icount_kept.table(kept, now)])
    grown = icount_kept.grown(kept, now)
    for text in grown:
        print(f"GROWN: {text}", file=sys.stderr)
    return 1 if grown else 0


def icount(
    context: typer.Context,
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONSTRUCT",
            help="Constructs of micro, or fib:VARIANT.",
            show_default="all, and fib",
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Compare xomp's counts with the recorded ones instead: 1 if one has grown.",
        ),
    ] = False,
    update: Annotated[
        bool, typer.Option("--update", help="Record xomp's counts as the ones to keep.")
    ] = False,
    functions: Annotated[
        int,
        typer.Option(parser=whole(), metavar="N", help="Show the N costliest of each."),
    ] = 0,
    runtimes: RuntimeList = RUNTIMES,
    limit: Limit = 120.0,
    compiler: Compiler = "gcc",
) -> int:
    check_names(what or [], compiler)
    if check or update:
        if what or compiler != "gcc":
            raise BadInputError("--check and --update are about all constructs, built by gcc")
        return keep(limit, update)
    found, skipped = find_all(runtimes)
    if compiler != "gcc":
        found = [runtime for runtime, _ in plan.able("micro", compiler, found, skipped)]
    for label, reason in skipped.items():
        print(f"skipped {label}: {reason}", file=sys.stderr)
    if not found:
        raise BadInputError("nothing to run")
    failed = []
    counted: list[Counted] = []
    for runtime in found:
        try:
            counted += count(runtime, what or [*FIB, *constructs(compiler)], limit, compiler)
        except CountError as error:
            failed.append(f"FAILED: {runtime.label}: {error}")
    jobs = [Job(runtime, 1, apps.build("micro", compiler)) for runtime in found]
    arguments = typed(context)
    head = Plan(jobs, rounds=1, skipped=skipped).head(arguments)
    writer = store.Writer(new_path(arguments, head), head)
    for each in counted:
        writer.add_count(each.what, each.runtime, each.total, each.outside)
    writer.finish()
    writer.close()
    shown = tables(store.read(writer.path))
    if functions:
        shown.append(costliest(counted, functions))
    pages.show(shown)
    print(f"results: {writer.path}\ntables:  {pages.write_page(writer.path, head, shown)}")
    print("\n".join(failed), file=sys.stderr, end="\n" if failed else "")
    return 1 if failed else 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as JSON lines: one head, one line per run as soon as it ended, one line at the end.

docs/bench-format.md has every field. A line that was cut off by a crash is dropped when the file is
read, and overwritten when the run is resumed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xomp.bench.distance import Distances
from xomp.bench.run import Case, Job, Outcome
from xomp.errors import BadInputError
from xomp.shared.runtimes import Runtime

FORMAT = 1
MEASURED = ("seconds", "cpu", "tasks")  # what an application prints, as numbers
SAME_MACHINE = ("machine", "cpu", "processors", "kernel", "compiler")


@dataclass
class Results:
    path: Path
    head: dict
    outcomes: list[Outcome] = field(default_factory=list)  # those that count
    counts: list[dict] = field(default_factory=list)  # lines of icount
    finished: bool = False
    whole: int = 0  # bytes up to the end of the last whole line
    every: list[Outcome] = field(default_factory=list)  # with those that are set aside

    @property
    def jobs(self) -> list[Job]:
        """Each job once, in the order of the plan."""
        seen = {outcome.job.key: outcome.job for outcome in self.outcomes}
        order = {identity: index for index, identity in enumerate(self.head.get("jobs", []))}
        return sorted(seen.values(), key=lambda job: order.get(identity_of(job), len(order)))

    @property
    def command(self) -> str:
        """Which command of `xomp bench` made them; of those of `xomp repro` its experiment."""
        return [*self.head["command"].split(), "", "", ""][2]

    @property
    def aside(self) -> str:
        """A line about runs that are set aside; empty where none is."""
        return Distances(self.every).line()

    @property
    def baseline(self) -> str:
        return self.head.get("baseline", "libgomp")


def identity_of(job: Job) -> str:
    """The job in one word: the same in every process."""
    return hashlib.sha256(json.dumps(job.key).encode()).hexdigest()[:16]


def fingerprint(jobs: Sequence[Job], rounds: int, warmups: int, seed: int, beside: int = 0) -> str:
    """Two runs with the same fingerprint do the same; one can go on where the other stopped."""
    words = [*sorted(map(identity_of, jobs)), str(rounds), str(warmups), str(seed)]
    if beside:
        words.append(f"beside {beside}")
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]


def run_line(outcome: Outcome, host: str) -> dict:
    job, case = outcome.job, outcome.job.case
    told = {
        "kind": "run",
        "runtime": job.runtime.label,
        "library": str(job.runtime.library),
        "threads": job.threads,
        "program": job.program.name,
        "arguments": list(job.arguments),
    }
    if case is not None:
        told |= {
            "app": case.app,
            "variant": case.variant,
            "size": case.size,
            "parameters": dict(case.parameters),
            "variables": dict(case.variables),
            "compiler": case.compiler,
            "data": case.data,
        }
    if any(outcome.apart):
        told["apart"] = list(outcome.apart)
    return told | {
        "round": outcome.round,
        "host": host,
        "failure": outcome.failure,
        "records": outcome.records,
        "usage": outcome.usage,
    }


def measured(record: dict) -> bool:
    return all(isinstance(record[name], int | float) for name in MEASURED)


def outcome_of(line: dict) -> Outcome:
    """The run that a line tells of. Its job can be compared and shown, but not run."""
    case = None
    if "app" in line:
        case = Case(
            line["app"],
            line["variant"],
            line["size"],
            tuple(line["parameters"].items()),
            tuple(line["variables"].items()),
            line["compiler"],
            line["data"],
        )
        if not line["failure"] and not measured(line["records"][0]):
            raise ValueError
    runtime = Runtime(line["runtime"], Path(line["library"]), None)
    job = Job(runtime, line["threads"], Path(line["program"]), tuple(line["arguments"]), case=case)
    apart = [end and float(end) for end in line.get("apart", ())]
    return Outcome(job, line["round"], line["failure"], line["records"], line["usage"], apart)


def read(path: Path) -> Results:
    try:
        if path.exists() and not path.is_file():
            raise BadInputError(f"cannot read {path}: not a file")
        data = path.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    results = None
    for number, text in enumerate(data[:whole].splitlines(), 1):
        try:
            line = json.loads(text)
            if line["kind"] == "head":
                if line["format"] != FORMAT:
                    raise BadInputError(f"{path} has format {line['format']}, not {FORMAT}")
                results = Results(path, line, whole=whole)
            elif line["kind"] == "run":
                results.every.append(outcome_of(line))
            elif line["kind"] == "count":
                results.counts.append(line)
            elif line["kind"] == "end":
                results.finished = True
        except (ValueError, LookupError, TypeError, AttributeError):
            raise BadInputError(f"{path}, line {number}, is not a line of results") from None
    if results is None:
        raise BadInputError(f"{path} has no results: it does not begin with a head")
    results.outcomes = Distances(results.every).counted()
    return results


class Writer:
    """Appends runs to a results file, each as soon as it is known."""

    def __init__(self, path: Path, head: dict, resumed: Results | None = None) -> None:
        self.path = path
        self.host = head["machine"]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file = path.open("w" if resumed is None else "r+")
        except OSError as error:
            raise BadInputError(f"cannot write {path}: {error.strerror}") from error
        if resumed is None:
            self._write({"kind": "head", "format": FORMAT, **head})
        else:
            self.file.truncate(resumed.whole)
            self.file.seek(0, 2)
            now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            self._write({"kind": "resumed", "time": now, "load": head["load"]})

    def _write(self, line: dict) -> None:
        try:
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()
        except OSError as error:
            raise BadInputError(f"cannot write {self.path}: {error.strerror}") from error

    def add(self, outcome: Outcome, host: str | None = None) -> None:
        self._write(run_line(outcome, host or self.host))

    def add_count(self, what: str, runtime: str, total: float, outside: float) -> None:
        """Instructions that callgrind counted, for each construct."""
        place = {"kind": "count", "what": what, "runtime": runtime}
        self._write({**place, "instructions": total, "outside_the_program": outside})

    def finish(self, **facts: object) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._write({"kind": "end", "time": now, **facts})

    def close(self) -> None:
        with contextlib.suppress(OSError):  # of what is on file nothing is lost
            self.file.close()


def check_resumable(earlier: Results, head: dict) -> None:
    """Refuses to mix runs of different plans, machines or libraries in one file."""
    if earlier.head.get("fingerprint") != head["fingerprint"]:
        raise BadInputError(
            f"{earlier.path} holds another plan; it was made by: {earlier.head.get('command')}"
        )
    for fact in SAME_MACHINE:
        if earlier.head.get(fact) != head[fact]:
            raise BadInputError(
                f"cannot resume {earlier.path}: {fact} was {earlier.head.get(fact)!r} "
                f"and is {head[fact]!r} now"
            )
    before = {each["runtime"]: each["sha256"] for each in earlier.head["runtimes"]}
    for each in head["runtimes"]:
        if before.get(each["runtime"]) != each["sha256"]:
            raise BadInputError(
                f"cannot resume {earlier.path}: the library of {each['runtime']} has changed"
            )


def newest_unfinished(folder: Path, wanted: str) -> Path | None:
    """The latest results file of that fingerprint that did not come to its end."""
    found = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found:
        try:
            results = read(path)
        except BadInputError:
            continue
        if results.head.get("fingerprint") == wanted and not results.finished:
            return path
    return None

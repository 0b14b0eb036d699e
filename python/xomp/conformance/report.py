# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The summary table, the lists of differences, and the JSON file."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from xomp.conformance import machine
from xomp.conformance.compilers import UNCLASSIFIED, Family
from xomp.conformance.execute import FAIL, PASS, TIMEOUT, Runtime
from xomp.conformance.plan import LANGUAGES
from xomp.conformance.suite import UNBUILT, UNSUPPORTED, Outcome

SCHEMA = 1
_COLUMNS = (PASS, FAIL, TIMEOUT, UNBUILT, UNSUPPORTED)


def regressions(outcomes: list[Outcome], runtimes: list[Runtime]) -> dict[str, list[str]]:
    """Per runtime of ours: the tests that pass on the compiler's own runtime and not on it."""
    worse = _worse(outcomes, runtimes)
    return {name: [o.test.name for o in tests if not o.test.by_chance] for name, tests in worse}


def _worse(outcomes: list[Outcome], runtimes: list[Runtime]) -> list[tuple[str, list[Outcome]]]:
    """Those, and what passes on the compiler's own runtime by chance."""
    reference = _reference(runtimes)
    if reference is None:
        return []

    def worse(outcome: Outcome, name: str) -> bool:
        return outcome.on(reference) == PASS and outcome.on(name) in (FAIL, TIMEOUT)

    ours = [runtime.name for runtime in runtimes if not runtime.is_reference]
    return [(name, [o for o in outcomes if worse(o, name)]) for name in ours]


def failures_alone(outcomes: list[Outcome], runtimes: list[Runtime]) -> list[str]:
    """Where the compiler's own runtime was left out: the tests that some runtime of ours fails."""
    if _reference(runtimes) is not None:
        return []
    return [o.test.name for o in outcomes if any(o.on(r.name) in (FAIL, TIMEOUT) for r in runtimes)]


def improvements(outcomes: list[Outcome], runtimes: list[Runtime]) -> list[str]:
    """Tests that every one of our runtimes passes and the compiler's own does not."""
    reference = _reference(runtimes)
    ours = [r.name for r in runtimes if not r.is_reference]
    if reference is None or not ours:
        return []
    return [
        o.test.name
        for o in outcomes
        if o.on(reference) in (FAIL, TIMEOUT) and all(o.on(name) == PASS for name in ours)
    ]


def closing_counts(outcomes: list[Outcome], runtimes: list[Runtime]) -> tuple[int, int]:
    """Tests that all runtimes of ours pass (the reference, where it runs alone), and the rest."""
    judged = [r.name for r in runtimes if not r.is_reference] or [r.name for r in runtimes]
    ran = [o for o in outcomes if o.on(judged[0]) not in (UNSUPPORTED, "-")]
    passed = sum(all(o.on(name) == PASS for name in judged) for o in ran)
    return passed, len(ran) - passed


def refused(outcomes: list[Outcome], family: Family) -> dict[str, list[Outcome]]:
    """The tests that the compiler did not build, by the class of the reason; the largest first."""
    classes: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.binary is not None and outcome.binary.path is None:
            classes.setdefault(family.refusal(outcome.binary.log), []).append(outcome)
    return dict(sorted(classes.items(), key=lambda entry: -len(entry[1])))


def print_refused(outcomes: list[Outcome], family: Family) -> int:
    """Lists them; what no class knows, with what the compiler said."""
    classes = refused(outcomes, family)
    for reason, members in classes.items():
        if reason != UNCLASSIFIED:
            names = " ".join(outcome.test.name for outcome in members)
            print(f"\nNot built ({len(members)}): {reason}\n  {names}")
    for outcome in classes.get(UNCLASSIFIED, []):
        assert outcome.binary is not None
        print(f"\nNot built: {outcome.test.name}\n{outcome.binary.log}")
    return sum(map(len, classes.values()))


def print_summary(outcomes: list[Outcome], runtimes: list[Runtime], family: Family) -> None:
    _print_table(_rows(outcomes, runtimes))
    for name, tests in regressions(outcomes, runtimes).items():
        if tests:
            print(f"\nPasses on {family.reference}, fails on {name} ({len(tests)}):")
            by_name = {o.test.name: o for o in outcomes}
            for test in tests:
                print(f"  {test}  {by_name[test].results[name].detail}")
    chances = {
        o.test.name: o.test.by_chance for _, tests in _worse(outcomes, runtimes) for o in tests
    }
    for test, reason in chances.items():
        if reason:
            print(f"\nPasses on {family.reference} by chance, not on xomp: {test}\n  {reason}")
    better = improvements(outcomes, runtimes)
    if better:
        print(f"\nFails on {family.reference}, passes on xomp ({len(better)}): {' '.join(better)}")
    print_refused(outcomes, family)


def write_json(
    path: Path,
    outcomes: list[Outcome],
    runtimes: list[Runtime],
    family: Family,
    suite: dict[str, object],
) -> None:
    passed, failed = closing_counts(outcomes, runtimes)
    document = {
        "schema": SCHEMA,
        "suite": suite,
        "machine": machine.summary(),
        "runtimes": [
            {
                "name": r.name,
                "library": str(r.path()),
                "settings": dict(r.settings),
                "identity": r.identity(),
            }
            for r in runtimes
        ],
        "passed": passed,
        "failed": failed,
        "regressions": regressions(outcomes, runtimes),
        "improvements": improvements(outcomes, runtimes),
        "refused": {
            reason: [outcome.test.name for outcome in members]
            for reason, members in refused(outcomes, family).items()
        },
        "tests": [_record(outcome, runtimes) for outcome in outcomes],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def _record(outcome: Outcome, runtimes: list[Runtime]) -> dict[str, object]:
    record: dict[str, object] = {
        "name": outcome.test.name,
        "language": outcome.test.language,
        "results": {r.name: {"outcome": outcome.on(r.name)} for r in runtimes},
    }
    for name, result in outcome.results.items():
        record["results"][name] = asdict(result)  # type: ignore[index]
    if outcome.test.unsupported:
        record["unsupported"] = outcome.test.unsupported
    if outcome.binary is not None:
        record["build_seconds"] = round(outcome.binary.seconds, 2)
        if outcome.binary.path is None:
            record["build_log"] = outcome.binary.log
    return record


def _reference(runtimes: list[Runtime]) -> str | None:
    return next((r.name for r in runtimes if r.is_reference), None)


def _rows(outcomes: list[Outcome], runtimes: list[Runtime]) -> list[list[str]]:
    rows = [["language", "runtime", *_COLUMNS]]
    for language in (*LANGUAGES, "all"):
        chosen = [o for o in outcomes if language in ("all", o.test.language)]
        if chosen:
            for runtime in runtimes:
                counts = Counter(o.on(runtime.name) for o in chosen)
                rows.append([language, runtime.name, *(str(counts[c]) for c in _COLUMNS)])
    return rows


def _print_table(rows: list[list[str]]) -> None:
    try:
        if not sys.stdout.isatty():
            raise ImportError
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        _print_plain(rows)
        return
    table = Table(*rows[0], title="libgomp test suite")
    for index, row in enumerate(rows[1:]):
        ends = index + 2 == len(rows) or rows[index + 2][0] != row[0]
        table.add_row(*row, end_section=ends)
    Console().print(table)


def _print_plain(rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        names = [row[i].ljust(widths[i]) for i in range(2)]
        counts = [row[i].rjust(widths[i]) for i in range(2, len(row))]
        print("  ".join(names + counts))

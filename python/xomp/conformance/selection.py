# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses tests by pattern or by named subset, and reads the data files beside this package."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path

from xomp.conformance.plan import Test
from xomp.errors import BadInputError

_DATA = Path(__file__).resolve().parent / "data"
SUBSETS = ("all", "quick", "quick-clang")


class UnknownTestError(BadInputError):
    """A pattern or a subset names something that the suite does not have."""


def by_pattern(tests: list[Test], patterns: list[str]) -> list[Test]:
    """Shell patterns on the whole name, on what follows the language, or on the file's name."""
    for pattern in patterns:
        if not any(_matches(test.name, pattern) for test in tests):
            raise UnknownTestError(f"no test matches {pattern!r}")
    return [t for t in tests if not patterns or any(_matches(t.name, p) for p in patterns)]


def by_subset(tests: list[Test], subset: str) -> list[Test]:
    if subset == "all":
        return tests
    wanted = subset_names(subset)
    return [test for test in tests if test.name.partition("@")[0] in wanted]


def subset_names(subset: str) -> set[str]:
    lines = (_DATA / f"{subset}.txt").read_text(encoding="utf-8").splitlines()
    return {line.strip() for line in lines if line.strip() and not line.startswith("#")}


def not_applicable() -> dict[str, str]:
    """Name and reason of each test that only a real offload device could pass."""
    document = json.loads((_DATA / "not_applicable.json").read_text(encoding="utf-8"))
    return dict(document["tests"])


def settle_offload(tests: list[Test]) -> None:
    """Of the tests that ask for an offload device, leave out the listed ones and run the others."""
    listed = not_applicable()
    for test in tests:
        reason = listed.get(test.name.partition("@")[0])
        if test.needs_only_offload:
            test.missing.clear()
            if reason is not None:
                test.not_applicable = f"only an offload device could pass it: {reason}"


def settle_chance(tests: list[Test], compiler: str) -> None:
    """Mark the tests whose success on that compiler's own runtime says nothing."""
    document = json.loads((_DATA / "by_chance.json").read_text(encoding="utf-8"))
    for test in tests:
        test.by_chance = document.get(compiler, {}).get(test.name.partition("@")[0], "")


def _matches(name: str, pattern: str) -> bool:
    parts = (name, name.partition("/")[2], name.rpartition("/")[2])
    return any(fnmatchcase(part, pattern) for part in parts)

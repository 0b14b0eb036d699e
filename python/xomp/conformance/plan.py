# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the extracted suite into tests: what to compile, with which flags, and how to judge it.

The flags are those that libgomp's .exp files pass: -fopenmp and -O2 for C and C++ unless the test
has dg-options; Fortran's "dg-do run" tests go through a list of optimisation sets there, of which
-O2 stands for all here (--torture runs the list), and the other Fortran tests use -O.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from xomp.conformance import directives
from xomp.conformance.compilers import Family
from xomp.conformance.machine import OFFLOAD, Machine
from xomp.conformance.source import Suite

LANGUAGES = ("c", "c++", "fortran")

_FORTRAN_SUFFIXES = {".f", ".f90", ".f95", ".f03", ".f08"}
_TORTURE = {
    "-O0": ["-O0"],
    "-O1": ["-O1"],
    "-O2": ["-O2"],
    "-O3": ["-O3", "-fomit-frame-pointer", "-funroll-loops", "-fpeel-loops", "-ftracer",
            "-finline-functions"],
    "-O3-g": ["-O3", "-g"],
    "-Os": ["-Os"],
}  # fmt: skip


@dataclass
class Test:
    """One runnable test."""

    name: str  # language/path, e.g. "c/common/task-1.c"; torture runs add "@-O3"
    language: str
    sources: list[Path]
    flags: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    should_fail: bool = False
    expected_failure: bool = False
    output: str = ""
    time_limit: float = 30.0
    missing: list[str] = field(default_factory=list)  # effective targets that do not hold here
    not_applicable: str = ""  # why only an offload device could pass it
    by_chance: str = ""  # why it says nothing that it passes on the compiler's own runtime

    @property
    def unsupported(self) -> str:
        """Why the test cannot run here; empty where it can."""
        return self.not_applicable or (f"needs {' '.join(self.missing)}" if self.missing else "")

    @property
    def needs_only_offload(self) -> bool:
        return bool(self.missing) and OFFLOAD.issuperset(self.missing)


@dataclass(frozen=True)
class _Group:
    """One run of an .exp file over one folder."""

    folder: str
    prefix: str
    language: str
    suffixes: frozenset[str]


_GROUPS = (
    _Group("libgomp.c", "c/", "c", frozenset({".c"})),
    _Group("libgomp.c-c++-common", "c/common/", "c", frozenset({".c"})),
    _Group("libgomp.c++", "c++/", "c++", frozenset({".C"})),
    _Group("libgomp.c-c++-common", "c++/common/", "c++", frozenset({".c"})),
    _Group("libgomp.fortran", "fortran/", "fortran", frozenset(_FORTRAN_SUFFIXES)),
)


def discover(
    suite: Suite,
    machine: Machine,
    family: Family,
    limit: float,
    torture: bool = False,
    extra: tuple[str, ...] = (),
) -> list[Test]:
    """All runnable tests, in a fixed order; compile-only and link-only ones are left out.

    ``extra`` options come last on every compiler's command line.
    """
    tests: list[Test] = []
    languages = family.languages()
    for group in _GROUPS:
        if group.language not in languages:
            continue
        folder = suite.tests / group.folder
        for path in sorted(folder.rglob("*")):
            suffix = path.suffix.lower() if group.language == "fortran" else path.suffix
            if suffix in group.suffixes:
                name = group.prefix + str(path.relative_to(folder))
                tests += _read(suite, machine, family, group, path, name, limit, torture)
    for test in tests:
        test.flags += extra
    return tests


def _read(
    suite: Suite,
    machine: Machine,
    family: Family,
    group: _Group,
    path: Path,
    name: str,
    limit: float,
    torture: bool,
) -> list[Test]:
    text = path.read_text(encoding="latin-1")
    request = directives.read(text, lambda target: machine.holds(target, group.language))
    if request.kind != "run":
        return []
    made = []
    for suffix, options in _option_sets(group.language, text, request, torture):
        options = family.accepted(group.language, options)
        flags = family.first_flags(group.language) + suite.include_flags + ["-fopenmp"] + options
        reason = request.skip_reason(flags)
        if reason is not None and not request.missing:
            continue
        made.append(
            Test(
                name=name + suffix,
                language=group.language,
                sources=[path] + [path.parent / extra for extra in request.additional_sources],
                flags=flags,
                environment=request.environment,
                should_fail=request.should_fail,
                expected_failure=request.expected_failure,
                output=request.output,
                time_limit=(request.timeout or limit) * request.timeout_factor,
                missing=list(dict.fromkeys(request.missing)),
            )
        )
    return made


def _option_sets(
    language: str, text: str, request: directives.Request, torture: bool
) -> list[tuple[str, list[str]]]:
    """(suffix of the name, options) for every way in which the test is compiled."""
    own = (request.options or []) + request.additional_options
    if language != "fortran":
        default = ["-O2"] if request.options is None else []
        return [("", default + own)]
    # The .exp file searches for this text, so a test without it is compiled once, with -O.
    if re.search(r"dg-do run", text) is None:
        return [("", ["-O", *own])]
    if not torture:
        return [("", _TORTURE["-O2"] + own)]
    return [(f"@{label}", options + own) for label, options in _TORTURE.items()]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of compilers that the suite is built with, each with the runtime of its own.

GCC must build all of the suite, which is its own. Clang and flang refuse part of it: what is
GCC's extension, and what of OpenMP they do not know. A refusal belongs to a class by what the
compiler says.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

UNCLASSIFIED = "other"


@dataclass(frozen=True)
class Family:
    """Compilers whose binaries ask for the same runtime."""

    name: str  # as --compiler has it
    drivers: dict[str, tuple[str, ...]]  # per language the names to try
    needed: tuple[str, ...]  # languages without which there is no run
    package: str  # that has them
    reference: str  # the runtime of its own, as tables name it
    asked: str  # the file that binaries ask for
    flags: dict[str, list[str]] = field(default_factory=dict)  # per language, before all others
    libraries: tuple[str, ...] = ("-lm",)
    strangers: str = "(?!)"  # options of other compilers that say nothing of OpenMP: left out
    refusals: tuple[tuple[str, str], ...] = ()  # class, what the compiler says

    def driver(self, language: str) -> str | None:
        """The compiler of that language here, None where there is none."""
        return next(filter(None, map(shutil.which, self.drivers[language])), None)

    def missing(self) -> list[str]:
        return [self.drivers[lang][0] for lang in self.needed if self.driver(lang) is None]

    @property
    def results(self) -> str:
        """The file of the results of this family's binaries; each is taken up on its own."""
        return "results.jsonl" if self is GNU else f"results-{self.name}.jsonl"

    def languages(self) -> list[str]:
        return [language for language in self.drivers if self.driver(language)]

    def system_library(self) -> Path:
        """What the compiler's binaries run on when nothing is put in between."""
        command = [self.driver("c") or "cc", f"-print-file-name={self.asked}"]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
        return Path(told.stdout.strip()).resolve()

    def accepted(self, options: list[str]) -> list[str]:
        return [option for option in options if not re.match(self.strangers, option)]

    def refusal(self, log: str) -> str:
        """The class of what a compiler said when it built nothing."""
        for label, pattern in self.refusals:
            if re.search(pattern, log):
                return label
        return UNCLASSIFIED


_QUIET = ["-fmessage-length=0", "-fno-diagnostics-show-caret", "-fdiagnostics-color=never"]

GNU = Family(
    name="gcc",
    drivers={"c": ("gcc",), "c++": ("g++",), "fortran": ("gfortran",)},
    needed=("c", "c++", "fortran"),
    package="gcc g++ gfortran",
    reference="libgomp",
    asked="libgomp.so.1",
    flags={"c": _QUIET, "c++": _QUIET, "fortran": _QUIET},
)

# How gcc optimises and what it dumps. What asks it to parallelise loops is the point of a test.
_OF_GCC = (
    r"-fdump-|-f(no-)?tree-(?!parallelize-loops)|-f(no-)?ipa-|-fvect-cost-model"
    r"|-flto-partition|-fno-extern-tls-init"
)

# What clang and flang say, in the order in which it decides: the first that fits is the class.
_REFUSALS = (
    ("gcc's parallelisation of serial loops", r"unknown argument: '-ftree-parallelize-loops"),
    ("nested functions, gcc's extension", r"function definition is not allowed here"),
    ("the compiler crashed", r"PLEASE submit a bug report|fatal internal compiler error"),
    (
        "variable length arrays in C++ and in clauses",
        r"variably-modified type|cannot bind to a value of unrelated type|rvalue of type '.*\[n\]'"
        r"|rvalue of type 'int \(\*\)\[n\]'|argument array\) must be",
    ),
    ("routines for devices, which libomp leaves to another library", r"undefined .*`omp_target_"),
    ("omp.h: the type of a constructor of allocators' traits", r"call to 'omp_init_allocator'"),
    (
        "loops that are not in clang's canonical form",
        r"increment (expression|clause)|initialization clause of OpenMP for loop",
    ),
    (
        "what an OpenMP clause or directive may hold, which clang takes more narrowly",
        r"OpenMP|omp |reduction|data sharing|lastprivate|mapped along|in a map clause"
        r"|clause|compound statement of form|expression statement of form|cannot be nested inside"
        r"|immediate substatement|FE outlining|expected '|omp_outlined|omp_offloading",
    ),
    ("C++ that clang refuses", r"template argument list|incrementing expression of type bool"),
    ("names that the system's headers do not declare to clang", r"undeclared"),
)

_CLANG = ["-fmessage-length=0", "-fno-caret-diagnostics", "-w"]

LLVM = Family(
    name="clang",
    drivers={
        "c": ("clang-19", "clang"),
        "c++": ("clang++-19", "clang++"),
        "fortran": ("flang-new-19", "flang-19", "flang"),
    },
    needed=("c", "c++"),
    package="clang-19 libomp-19-dev",
    reference="libomp",
    asked="libomp.so.5",
    flags={"c": _CLANG, "c++": _CLANG, "fortran": []},
    libraries=("-lm", "-latomic"),  # gcc needs a lock of its runtime where clang calls libatomic
    strangers=_OF_GCC,
    refusals=_REFUSALS,
)

FAMILIES = {family.name: family for family in (GNU, LLVM)}

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
    fortran_headers: str = ""  # where omp_lib.h is, from the compiler's folder; empty: it knows
    libraries: tuple[str, ...] = ("-lm",)
    # Per language, options of other compilers that say nothing of OpenMP: they are left out.
    strangers: dict[str, str] = field(default_factory=dict)
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

    def first_flags(self, language: str) -> list[str]:
        driver = self.driver(language)
        if language != "fortran" or not self.fortran_headers or not driver:
            return self.flags[language]
        folder = (Path(driver).resolve().parent / self.fortran_headers).resolve()
        return [*self.flags[language], f"-I{folder}"]

    def accepted(self, language: str, options: list[str]) -> list[str]:
        strange = self.strangers.get(language)
        return [o for o in options if strange is None or not re.match(strange, o)]

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

# How gcc optimises and what it dumps; of Fortran also dialects that flang has always or never, and
# warnings. What asks gcc to parallelise loops is the point of a test.
_OF_GCC = (
    r"-fdump-|-f(no-)?tree-(?!parallelize-loops)|-f(no-)?ipa-|-fvect-cost-model"
    r"|-flto-partition|-fno-extern-tls-init"
)
_OF_GFORTRAN = (
    rf"{_OF_GCC}|-W(?!l,)|-std=|-msse|-mavx|-fno-inline|-fcray-pointer|-fall-intrinsics"
    r"|-ffree-line-length|-fcheck="
)

# What clang and flang say, in the order in which it decides: the first that fits is the class.
_REFUSALS = (
    ("gcc's parallelisation of serial loops", r"unknown argument: '-ftree-parallelize-loops"),
    ("nested functions, gcc's extension", r"function definition is not allowed here"),
    ("options and sources that flang does not know", r"flang.*unknown argument|'-cc1'"),
    (
        "the compiler crashed or made wrong code",
        r"PLEASE submit a bug report|CHECK\(.*\) failed|Segmentation fault|another function!"
        r"|unsupported OpenMP operation|Internal error|create the LLVM module|omp_outlined'"
        r"|element type is the same|operand must be a pointer|in atomic.capture region",
    ),
    ("what flang has not yet", r"not yet (implemented|supported)"),
    (
        "variable length arrays in C++ and in clauses",
        r"variably-modified type|cannot bind to a value of unrelated type"
        r"|rvalue of type 'int \(\*\)\[n\]'|argument array\) must be",
    ),
    (
        "devices: entries and routines that libomp leaves to another library",
        r"undefined .*`(omp_target_|__tgt_|omp_get_mapped)|omp_offloading",
    ),
    ("omp.h: the type of a constructor of allocators' traits", r"call to 'omp_init_allocator'"),
    (
        "loops that are not in clang's canonical form",
        r"increment (expression|clause)|initialization clause of OpenMP for loop"
        r"|assigning to .*for-13|incompatible pointer types assigning",
    ),
    ("directives and clauses that flang does not parse", r"error: Could not parse"),
    ("what clauses and directives may hold, in Fortran", r"Semantic errors in"),
    (
        "what clauses and directives may hold, in C and C++",
        r"OpenMP|omp |reduction|data sharing|lastprivate|mapped along|clause|statement of form"
        r"|cannot be nested inside|immediate substatement|FE outlining|expected '|undeclared"
        r"|statements outside of the teams|reference to local variable",
    ),
    ("C++ that clang refuses", r"template argument list|incrementing expression of type bool"),
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
    fortran_headers="../include/flang",
    libraries=("-lm", "-latomic"),  # gcc needs a lock of its runtime where clang calls libatomic
    strangers={"c": _OF_GCC, "c++": _OF_GCC, "fortran": _OF_GFORTRAN},
    refusals=_REFUSALS,
)

FAMILIES = {family.name: family for family in (GNU, LLVM)}

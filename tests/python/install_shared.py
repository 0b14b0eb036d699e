# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of installing share: a program that says what it runs on, and looks at folders."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# Weak, so that it starts on libgomp as well.
PROGRAM = """
#include <stdio.h>
#include <omp.h>
#pragma weak xomp_version
const char* xomp_version(void);
int main(void) {
  int n = 0;
  #pragma omp parallel num_threads(2) reduction(+ : n)
  #pragma omp single
  #pragma omp task shared(n)
  n = 41 + omp_get_num_threads() / 2;
  printf("%d on %s\\n", n, xomp_version ? xomp_version() : "another runtime");
  return n != 42;
}
"""


def clean_environment(**changes: str) -> dict[str, str]:
    """Nothing of the tests' own, and no way to find xomp but those under test."""
    ours = ("XOMP_", "LD_", "PYTHON", "_XOMP", "VIRTUAL_ENV", "DESTDIR", "MAKE", "MFLAGS")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**kept, **changes}


def call(*command, cwd=None, **changes: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=clean_environment(**changes),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def succeed(*command, cwd=None, **changes: str) -> str:
    done = call(*command, cwd=cwd, **changes)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def contents(folder: Path) -> set[str]:
    """Everything below a folder, by name."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def need(*commands: str) -> None:
    for command in commands:
        if not shutil.which(command):
            pytest.skip(f"there is no {command}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python programs that use OpenMP through a library of their own, which tell where they compute and
in how many threads, for the tests of what runs inside Python."""

import os
import subprocess
import sys
from pathlib import Path

LIBRARY = """
int team(void) {
  int n = 0;
  #pragma omp parallel reduction(+ : n)
  n++;
  return n;
}
"""

# `place()` is the word for one computation: the runtime and the number of threads that took part.
MODULE = """
import ctypes
library = ctypes.CDLL({path!r})
def place(*_):
    on_xomp = hasattr(ctypes.CDLL(None), "xomp_version")
    return f"{{'xomp' if on_xomp else 'another'}} {{library.team()}}"
"""


def write_module(folder: Path, compile_c) -> None:
    """places.py in the folder, and the library beside it."""
    path = compile_c("libplaces.so", LIBRARY, "-fopenmp", "-shared", "-fPIC")
    (folder / "places.py").write_text(MODULE.format(path=str(path)))


def python(root: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess:
    """Runs this Python with the package of the checkout, whatever the tests run on; 3 threads."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LD_", "XOMP_"))}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**kept, "PYTHONPATH": str(root / "python"), "OMP_NUM_THREADS": "3", **changes},
    )

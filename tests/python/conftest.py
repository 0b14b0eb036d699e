# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the Python tests share: the checkout, the library under test, a stock compiler."""

import os
import shutil
import signal
import subprocess
from math import inf
from pathlib import Path

import pytest

from xomp import __version__

ROOT = Path(__file__).resolve().parent.parent.parent

# Whose terminal this is changes nothing: a test that asks for a width sets it.
for name in ("COLUMNS", "LINES", "FORCE_COLOR"):
    os.environ.pop(name, None)
# Nor does who started the tests: a shell's background jobs ignore Ctrl-C, and so would the commands
# that a test interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def near_processors():
    """On machines whose processors change their distance as well `xomp bench` sets no run aside,
    and has no more of them than were asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xomp.bench.distance.FAR", inf)
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def library() -> Path:
    """The libxomp.so of the build that is tested."""
    path = Path(os.environ.get("TEST_BUILD", ROOT / "build")) / "lib/libxomp.so"
    if not path.exists():
        pytest.skip(f"{path} is not built")
    return path


@pytest.fixture
def compile_c(tmp_path):
    """Compiles C text with the stock compiler; the result is the output's path."""

    def compile_text(name: str, text: str, *flags: str) -> Path:
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        output = tmp_path / name
        subprocess.run(["gcc", "-O1", source, "-o", output, *flags], check=True)
        return output

    return compile_text


@pytest.fixture
def compile_by_clang(tmp_path):
    """The same by clang, whose programs call LLVM's entry points."""
    clang = shutil.which("clang-19") or shutil.which("clang")
    if not clang:
        pytest.skip("clang is not installed")

    def compile_text(name: str, text: str, *flags: str) -> Path:
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        output = tmp_path / name
        if subprocess.run([clang, "-O1", source, "-o", output, *flags], check=False).returncode:
            pytest.skip("clang has no OpenMP runtime here")
        return output

    return compile_text


# The note in which the command finds the version (runtime/abi/omp/version.cc).
NOTE = f"""
__asm__(".section .note.xomp, \\"a\\", @note\\n .balign 4\\n .long 5, {len(__version__) + 1}, 1\\n"
        ".asciz \\"xomp\\"\\n .balign 4\\n .asciz \\"{__version__}\\"\\n .balign 4\\n");
"""


@pytest.fixture
def empty_library(compile_c):
    """A libxomp.so by its note, that can be preloaded and does nothing."""
    return compile_c("libxomp.so", NOTE, "-shared", "-fPIC")


@pytest.fixture
def xomp(root):
    """Runs ./xomp with arguments; the result has returncode, stdout and stderr."""

    def run(*arguments, **environment):
        changed = {**os.environ, **{name: str(value) for name, value in environment.items()}}
        changed = {name: value for name, value in changed.items() if value != ""}
        command = [str(root / "xomp"), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env=changed
        )

    return run

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of stock gcc and clang with -fsanitize=thread run on xomp with LLVM's Archer: correct
ones are not accused, planted races are found, construct by construct (tests/races)."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xomp import races

RACES_FOUND = 66  # the sanitizer's exit status
# The sanitizer does not report a second race at an address: here it is another part's variable.
OPTIONS = "suppress_equal_addresses=0"


@pytest.fixture(scope="module", autouse=True)
def archer():
    try:
        return races.find_archer(None)
    except races.BadInputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", params=["gcc", "clang"])
def compiler(request) -> str:
    names = ("clang-19", "clang") if request.param == "clang" else ("gcc",)
    found = next(filter(shutil.which, names), None)
    return found or pytest.skip(f"{request.param} is not installed")


@pytest.fixture(scope="module")
def constructs(root, compiler, tmp_path_factory):
    output = tmp_path_factory.mktemp("races") / "constructs"
    sources = sorted((root / "tests/races").glob("*.c"))
    flags = ["-O1", "-g", "-Wall", "-fopenmp", "-fsanitize=thread"]
    libraries = [] if compiler == "gcc" else ["-latomic"]  # clang's atomics of long double
    command = [compiler, *flags, *sources, "-o", output, *libraries]
    if subprocess.run(command, check=False).returncode != 0:
        pytest.skip(f"{compiler} has no thread sanitizer here (libtsan, libclang-rt)")
    return output


@pytest.fixture(scope="module")
def options(compiler) -> str:
    """The sanitizer's. Clang's asks a program for names, which need not be installed."""
    names = shutil.which("addr2line")
    return OPTIONS if compiler == "gcc" else f"{OPTIONS}:external_symbolizer_path={names}"


@pytest.fixture(scope="module")
def parts(constructs) -> list[str]:
    return subprocess.check_output([constructs, "list"], text=True).split()


@pytest.fixture
def run(root, library, constructs, options):
    def run_with_archer(*words, command=("run", "--races"), **environment):
        return subprocess.run(
            [root / "xomp", *command, "--lib", library, "--", constructs, *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**os.environ, "TSAN_OPTIONS": options, **environment},
        )

    return run_with_archer


def function_at(file: str, line: int) -> str:
    """The one in whose text a line is: clang's functions of tasks have no names of their own."""
    lines = Path(file).read_text().splitlines()[:line]
    heads = (re.match(r"static void (\w+)\(", text) for text in reversed(lines))
    return next((head[1] for head in heads if head), "")


def reported(output: str, kind: str) -> set[str]:
    """The parts in whose functions races were reported; of helpers, that of their caller."""
    part = rf"{kind}_(\w+?)(?:_tree)?"
    made = r"(?:\._omp_(?:fn|cpyfn)\.\d+|(?:\.omp_outlined(?:_debug__)?)+)?"
    reports = re.split(r"^=+$", output, flags=re.M)
    found = set()
    for report in reports:
        if "WARNING: ThreadSanitizer" in report:
            found.update(re.findall(rf"\b{part}{made} /", report))
            places = re.findall(r" \.omp_\S+ (/\S+/tests/races/\w+\.c):(\d+)", report)
            matches = (re.fullmatch(part, function_at(file, int(line))) for file, line in places)
            found.update(match[1] for match in matches if match)
    return found


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("scheduler", ["auto", "slb", "na-rp", "na-ws", "ws", "mts"])
def test_correct_programs_are_not_accused(run, parts, threads, scheduler):
    done = run("ok", *parts, OMP_NUM_THREADS=str(threads), XOMP_SCHEDULER=scheduler)
    assert re.fullmatch(r"xomp run --races: no race seen .*; others may differ\n", done.stderr)
    assert done.returncode == 0


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("barrier", ["central", "tree"])
def test_planted_races_are_found(run, parts, compiler, threads, barrier):
    """Who runs which task is chance: what one run does not show, the next ones do."""
    missing = set(parts)
    if compiler != "gcc":
        missing.remove("atomic")  # clang does not instrument a long double
    wanted = len(missing)
    for _ in range(10):
        done = run("race", *missing, OMP_NUM_THREADS=str(threads), XOMP_BARRIER=barrier)
        assert done.returncode == RACES_FOUND or len(missing) < wanted
        missing -= reported(done.stderr, "race")
        if not missing:
            break
    assert missing == set()


def test_without_archer_correct_programs_are_accused(run, parts, options):
    """So that silence means something: the sanitizer does look, and does not know OpenMP."""
    done = run(
        "ok",
        command=("run",),
        OMP_NUM_THREADS="4",
        TSAN_OPTIONS=f"{options}:ignore_noninstrumented_modules=1",
    )
    accused = reported(done.stderr, "ok")
    assert {"barrier", "taskwait", "depend", "critical", "static", "taskgroup"} <= accused
    assert done.returncode == RACES_FOUND

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of stock gcc with -fsanitize=thread run on xomp with LLVM's Archer: correct ones are not
accused, planted races are found, construct by construct (tests/races)."""

import os
import re
import subprocess

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


@pytest.fixture(scope="module")
def constructs(root, tmp_path_factory):
    output = tmp_path_factory.mktemp("races") / "constructs"
    sources = sorted((root / "tests/races").glob("*.c"))
    flags = ["-O1", "-g", "-Wall", "-fopenmp", "-fsanitize=thread"]
    done = subprocess.run(["gcc", *flags, *sources, "-o", output], check=False)
    if done.returncode != 0:
        pytest.skip("gcc has no thread sanitizer here (libtsan)")
    return output


@pytest.fixture(scope="module")
def parts(constructs) -> list[str]:
    return subprocess.check_output([constructs, "list"], text=True).split()


@pytest.fixture
def run(root, library, constructs):
    def run_with_archer(*words, command=("run", "--races"), **environment):
        return subprocess.run(
            [root / "xomp", *command, "--lib", library, "--", constructs, *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**os.environ, "TSAN_OPTIONS": OPTIONS, **environment},
        )

    return run_with_archer


def reported(output: str, kind: str) -> set[str]:
    """The parts in whose functions races were reported; of helpers, that of their caller."""
    reports = re.split(r"^=+$", output, flags=re.M)
    found = set()
    for report in reports:
        if "WARNING: ThreadSanitizer" in report:
            found.update(
                re.findall(rf"\b{kind}_(\w+?)(?:_tree)?(?:\._omp_(?:fn|cpyfn)\.\d+)? /", report)
            )
    return found


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("scheduler", ["auto", "slb", "na-rp", "na-ws", "ws", "mts"])
def test_correct_programs_are_not_accused(run, parts, threads, scheduler):
    done = run("ok", *parts, OMP_NUM_THREADS=str(threads), XOMP_SCHEDULER=scheduler)
    assert re.fullmatch(r"xomp run --races: no race seen .*; others may differ\n", done.stderr)
    assert done.returncode == 0


@pytest.mark.parametrize("threads", [2, 4])
@pytest.mark.parametrize("barrier", ["central", "tree"])
def test_planted_races_are_found(run, parts, threads, barrier):
    """Who runs which task is chance: what one run does not show, the next ones do."""
    missing = set(parts)
    for _ in range(10):
        done = run("race", *missing, OMP_NUM_THREADS=str(threads), XOMP_BARRIER=barrier)
        assert done.returncode == RACES_FOUND or len(missing) < len(parts)
        missing -= reported(done.stderr, "race")
        if not missing:
            break
    assert missing == set()


def test_without_archer_correct_programs_are_accused(run, parts):
    """So that silence means something: the sanitizer does look, and does not know OpenMP."""
    done = run(
        "ok",
        command=("run",),
        OMP_NUM_THREADS="4",
        TSAN_OPTIONS=f"{OPTIONS}:ignore_noninstrumented_modules=1",
    )
    accused = reported(done.stderr, "ok")
    assert {"barrier", "taskwait", "depend", "critical", "static", "taskgroup"} <= accused
    assert done.returncode == RACES_FOUND

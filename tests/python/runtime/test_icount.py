# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No fast path needs more instructions than are kept in icount.json, on one thread.

Where more are needed for a good reason, `./xomp bench icount --update` records the new counts, and
the commit that does so says why.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from xomp.bench import icount, icount_kept
from xomp.bench.icount_kept import Counts
from xomp.errors import BadInputError
from xomp.shared.runtimes import find

FAST_PATHS = {
    *("fib:tied", "task", "taskwait_empty", "taskwait_child", "taskgroup_child"),
    *("task_if0", "task_final", "task_depend_chain", "task_depend_free", "task_reduction"),
    *("parallel", "parallel_task", "for_static", "for_dynamic", "for_guided", "taskloop"),
    *("barrier", "single", "critical", "lock", "atomic", "sections", "for_ordered"),
}


def is_release(build: Path) -> bool:
    cache = (build / "CMakeCache.txt").read_text()
    settings = dict(re.findall(r"^(\w+):\w+=(.*)$", cache, re.MULTILINE))
    changed = settings.get("XOMP_SANITIZE") or settings.get("XOMP_DELAYS", "OFF") == "ON"
    return settings["CMAKE_BUILD_TYPE"] == "Release" and not changed


@pytest.fixture(scope="module")
def counted(library):
    """What the library under test needs now."""
    if not is_release(library.parent.parent):
        pytest.skip("the counts kept are those of the release build")
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    before = os.environ.get("BENCH_XOMP_LIBRARY")
    os.environ["BENCH_XOMP_LIBRARY"] = str(library)
    runtime = find("xomp")
    if before is None:
        del os.environ["BENCH_XOMP_LIBRARY"]
    else:
        os.environ["BENCH_XOMP_LIBRARY"] = before
    return icount.count_kept(runtime, 100.0)


def test_no_fast_path_has_grown(counted):
    assert icount_kept.grown(icount_kept.read(), counted) == []


def test_every_fast_path_is_kept():
    by_clang = {what + icount_kept.CLANG for what in icount.KEPT_CLANG}
    assert set(icount_kept.read().outside) >= FAST_PATHS | by_clang


def test_one_more_instruction_is_seen_with_the_same_compiler():
    kept = Counts("gcc 12", {"task": 17.0, "parallel": 461.0})
    assert icount_kept.grown(kept, Counts("gcc 12", {"task": 17.1, "parallel": 461.3})) == []
    grown = icount_kept.grown(kept, Counts("gcc 12", {"task": 18.0, "parallel": 463.0}))
    assert grown == [
        "task: 18 instructions, 17 before",
        "parallel: 463 instructions, 461 before",
    ]


def test_other_compiler_is_checked_with_more_tolerance():
    kept = Counts("gcc 12", {"parallel": 400.0})
    assert icount_kept.grown(kept, Counts("gcc 14", {"parallel": 450.0})) == []
    assert icount_kept.grown(kept, Counts("gcc 14", {"parallel": 470.0})) != []


def test_what_is_not_counted_or_not_recorded_is_told():
    kept, now = Counts("gcc 12", {"task": 17.0}), Counts("gcc 12", {"barrier": 52.0})
    assert icount_kept.grown(kept, now) == [
        "task: not counted any more",
        "barrier: not recorded",
    ]


def test_where_no_clang_is_its_counts_are_not_missed():
    kept = Counts("gcc 12", {"task": 17.0, "task (clang)": 40.0, "parallel (clang)": 400.0})
    assert icount_kept.grown(kept, Counts("gcc 12", {"task": 17.0})) == []
    now = Counts("gcc 12", {"task": 17.0, "task (clang)": 42.0})
    assert icount_kept.grown(kept, now) == [
        "task (clang): 42 instructions, 40 before",
        "parallel (clang): not counted any more",
    ]


def test_counts_are_read_back(tmp_path):
    path = tmp_path / "icount.json"
    counts = Counts("gcc 12", {"task": 17.0})
    icount_kept.write(counts, path)
    assert icount_kept.read(path) == counts
    path.write_text("[]")
    with pytest.raises(BadInputError, match="holds no counts"):
        icount_kept.read(path)

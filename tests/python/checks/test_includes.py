# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The include check finds what points upwards, and this runtime has none of it."""

import subprocess
import sys

import pytest


def check(root, *arguments):
    command = [sys.executable, root / "tools/check_includes.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def runtime(tmp_path):
    for name in ("sys/futex.h", "queue/ring.h", "task/task.h", "team/team.h", "abi/gnu/task.cc"):
        path = tmp_path / "runtime" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#pragma once\n")
    (tmp_path / "include").mkdir()
    for name in ("xomp.h", "omp-tools.h"):
        (tmp_path / "include" / name).write_text("")
    return tmp_path / "runtime"


def test_this_runtime_points_downwards(root):
    done = check(root)
    assert done.stdout == ""
    assert done.returncode == 0


def test_downward_includes_are_allowed(root, runtime):
    text = '#include "sys/futex.h"\n#include "task/task.h"\n#include "xomp.h"\n#include <atomic>\n'
    (runtime / "abi/gnu/task.cc").write_text(text)
    assert check(root, runtime).returncode == 0


@pytest.mark.parametrize(
    ("room", "include"),
    [
        ("queue", "task/task.h"),
        ("task", "team/team.h"),
        ("sys", "queue/ring.h"),
        ("team", "xomp.h"),
        ("queue", "omp-tools.h"),
        ("task", "nowhere/x.h"),
    ],
)
def test_upward_and_unknown_includes_are_named(root, runtime, room, include):
    (runtime / room / "wrong.cc").write_text(f'\n#include "{include}"\n')
    done = check(root, runtime)
    assert done.returncode == 1
    assert f"{room}/wrong.cc:2" in done.stdout
    assert include in done.stdout


@pytest.mark.parametrize("room", ["trace", "task", "abi"])
def test_the_header_of_tools_is_for_events_and_above(root, runtime, room):
    (runtime / room).mkdir(exist_ok=True)
    (runtime / room / "tool.cc").write_text('#include "omp-tools.h"\n')
    assert check(root, runtime).returncode == 0


def test_a_room_of_its_own_is_named(root, runtime):
    (runtime / "misc").mkdir()
    (runtime / "misc/things.h").write_text("#pragma once\n")
    assert "'misc' is not a room" in check(root, runtime).stdout

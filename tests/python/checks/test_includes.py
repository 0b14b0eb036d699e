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
    for name in (
        "sys/futex.h",
        "queue/ring.h",
        "sched/policy.h",
        "sched/papers/messaging.h",
        "ompt/tell.h",
        "events/events.h",
        "task/task.h",
        "team/team.h",
        "locks/locks.h",
        "memory/allocators.h",
        "worksharing/loop.h",
        "target/host.h",
        "abi/gnu/task.cc",
    ):
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
    (runtime / "sched/papers/messaging.h").write_text('#include "sched/policy.h"\n')
    text = '#include "locks/locks.h"\n#include "team/team.h"\n'
    (runtime / "worksharing/loop.h").write_text(text)
    assert check(root, runtime).returncode == 0


@pytest.mark.parametrize(
    ("layer", "include"),
    [
        ("queue", "task/task.h"),
        ("sched", "sched/papers/messaging.h"),
        ("sched/papers", "task/task.h"),
        ("task", "sched/papers/messaging.h"),
        ("team", "sched/papers/messaging.h"),
        ("abi", "sched/papers/messaging.h"),
        ("trace", "ompt/tell.h"),
        ("trace", "events/events.h"),
        ("ompt", "events/events.h"),
        ("task", "team/team.h"),
        ("sys", "queue/ring.h"),
        ("team", "worksharing/loop.h"),
        ("team", "locks/locks.h"),
        ("locks", "memory/allocators.h"),
        ("worksharing", "target/host.h"),
        ("target", "worksharing/loop.h"),
        ("team", "xomp.h"),
        ("queue", "omp-tools.h"),
        ("task", "nowhere/x.h"),
    ],
)
def test_upward_and_unknown_includes_are_named(root, runtime, layer, include):
    (runtime / layer).mkdir(exist_ok=True)
    (runtime / layer / "wrong.cc").write_text(f'\n#include "{include}"\n')
    done = check(root, runtime)
    assert done.returncode == 1
    assert f"{layer}/wrong.cc:2" in done.stdout
    assert include in done.stdout


@pytest.mark.parametrize("layer", ["trace", "ompt", "task", "abi"])
def test_the_header_of_tools_is_for_events_and_above(root, runtime, layer):
    (runtime / layer).mkdir(exist_ok=True)
    (runtime / layer / "tool.cc").write_text('#include "omp-tools.h"\n')
    assert check(root, runtime).returncode == 0


@pytest.mark.parametrize("layer", ["misc", "sched/misc", "abi/misc"])
def test_a_room_of_its_own_is_named(root, runtime, layer):
    (runtime / layer).mkdir()
    (runtime / layer / "things.h").write_text("#pragma once\n")
    assert f"'{layer}' is not a layer" in check(root, runtime).stdout

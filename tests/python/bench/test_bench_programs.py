# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark programs on the system's libgomp: right results, and failures that are noticed."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from xomp.bench.run import Job, run
from xomp.shared import apps
from xomp.shared.runtimes import find, loaded_library

# RFC 3174 section 7.3; its fourth vector repeats 64 bytes ten times.
VECTORS = [
    (b"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
        b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
    ),
    (b"a" * 1000000, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    (b"01234567" * 80, "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
]


def sha1(message):
    program = apps.build("sha1_check")
    return subprocess.run([program], input=message, capture_output=True).stdout.decode().strip()


def outcome_of(program, *arguments, threads=2, runtime="libgomp", limit=60.0, deep=False):
    path = program if isinstance(program, Path) else apps.build(program)
    return run(Job(find(runtime), threads, path, arguments, limit, deep))


@pytest.mark.parametrize(("message", "digest"), VECTORS)
def test_sha1_of_the_published_vectors(message, digest):
    assert sha1(message) == digest


@pytest.mark.parametrize("length", [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128])
def test_sha1_pads_every_length(length):
    message = bytes(range(length))
    assert sha1(message) == hashlib.sha1(message).hexdigest()


def uts_in_python(root_children, probability, children, seed):
    """Nodes, leaves and depth of a binomial tree, with another implementation of SHA-1."""
    nodes = leaves = deepest = 0
    root = hashlib.sha1(bytes(16) + seed.to_bytes(4, "big")).digest()
    stack = [(root, root_children, 0)]
    while stack:
        state, count, depth = stack.pop()
        nodes += 1
        leaves += count == 0
        deepest = max(deepest, depth)
        for index in range(count):
            child = hashlib.sha1(state + index.to_bytes(4, "big")).digest()
            value = (int.from_bytes(child[16:], "big") & 0x7FFFFFFF) / 2**31
            stack.append((child, children if value < probability else 0, depth + 1))
    return nodes, leaves, deepest


@pytest.mark.parametrize("variant", ["paper", "bots"])
@pytest.mark.parametrize("tree", [(20, 0.124875, 8, 42), (300, 0.3, 3, 7), (1, 0.1, 2, 0)])
def test_uts_counts_small_trees(tree, variant):
    outcome = outcome_of("uts", "--tree", ",".join(map(str, tree)), "--variant", variant)
    assert outcome.failure is None
    found = tuple(outcome.record[key] for key in ("nodes", "leaves", "depth"))
    assert found == uts_in_python(*tree)
    nodes, leaves, _ = found
    assert outcome.record["tasks"] == (nodes if variant == "bots" else nodes - leaves)


def test_uts_counts_t3_as_published():
    outcome = outcome_of("uts", "--tree", "T3", deep=True)
    assert outcome.failure is None
    found = tuple(outcome.record[key] for key in ("nodes", "depth", "leaves"))
    assert found == (4112897, 1572, 3599034)


def test_uts_granularity_does_not_change_the_tree():
    outcome = outcome_of("uts", "--tree", "TINY", "--granularity", "3")
    assert outcome.record["nodes"] == 6213


@pytest.mark.parametrize(("variant", "tasks"), [("tied", 2), ("one", 1), ("untied", 2)])
def test_fib_is_right_and_counts_its_tasks(variant, tasks):
    outcome = outcome_of("fib", "--n", "20", "--variant", variant)
    assert outcome.failure is None
    assert outcome.record["result"] == 6765
    assert outcome.record["tasks"] == tasks * 10945


def test_hello_uses_the_threads_asked_for():
    assert outcome_of("hello", threads=3).record["threads"] == 3


def test_hello_says_when_others_begin_the_first_tasks():
    record = outcome_of("hello", "tasks", threads=3).record
    assert 0 < record["half_us"] <= record["all_us"] < 1e6
    assert outcome_of("hello", "tasks", threads=1).record["all_us"] == 0


def test_floor_runs_every_task_on_one_thread():
    outcome = outcome_of("fib", "--n", "20", threads=4, runtime="floor")
    assert (outcome.failure, outcome.record["threads"]) == (None, 1)


def test_program_loads_the_runtime_that_is_measured():
    floor = find("floor")
    assert loaded_library(apps.build("fib"), floor.environment(1)) == floor.library


def test_a_runtime_in_a_folder_with_a_space_is_found(tmp_path):
    folder = tmp_path / "with space"
    folder.mkdir()
    library = folder / "libgomp.so.1"
    library.write_bytes(find("floor").library.read_bytes())
    environment = find("floor").environment(1, {"LD_LIBRARY_PATH": str(folder)})
    assert loaded_library(apps.build("fib"), environment) == library.resolve()


def script(tmp_path, text):
    path = tmp_path / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_run_past_its_limit_is_a_failure(tmp_path):
    outcome = outcome_of(script(tmp_path, "sleep 60"), limit=0.3)
    assert outcome.failure == "did not end within 0.3 s"


def test_crash_is_a_failure(tmp_path):
    outcome = outcome_of(script(tmp_path, "echo fib ok=1; kill -SEGV $$"))
    assert outcome.failure == "crashed with SIGSEGV"


def test_peak_memory_is_the_programs_own(tmp_path):
    """Not that of the interpreter which started it."""
    assert outcome_of("hello").usage["maxrss_kb"] < 8192


def test_a_program_is_built_once_in_a_folder_with_a_space(tmp_path, monkeypatch):
    monkeypatch.setattr(apps, "BENCH", tmp_path / "a fresh $clone")
    folder = tmp_path / "the sources"
    folder.mkdir()
    (folder / "answer.h").write_text("#define ANSWER 0\n")
    (folder / "hello.c").write_text('#include "answer.h"\nint main(void) { return ANSWER; }\n')
    monkeypatch.setitem(apps.PLUMBING, "hello", apps.App("hello", (folder / "hello.c",)))
    program = apps.build("hello")
    built = program.stat().st_mtime_ns
    assert apps.build("hello").stat().st_mtime_ns == built
    (folder / "answer.h").write_text("#define ANSWER 3\n")
    assert subprocess.run([apps.build("hello")]).returncode == 3

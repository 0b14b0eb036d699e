# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What applications tell: how many tasks they made, published answers, tasks moved."""

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from xomp.bench.run import Job, parse, run
from xomp.shared import apps
from xomp.shared.errors import MissingToolError
from xomp.shared.runtimes import find

# Counts the calls of GOMP_task on their way to the runtime, and those that the runtime makes of the
# body of a taskloop (of which there is one at a time), and says how many at the end.
COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
static long calls;
typedef void Task(void (*)(void*), void*, void (*)(void*, void*), long, long, _Bool, unsigned,
                  void**, int, void*);
void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long align,
               _Bool deferred, unsigned flags, void** depend, int priority, void* detach) {
  static Task* next;
  if (next == NULL)
    next = (Task*)dlsym(RTLD_NEXT, "GOMP_task");
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  next(body, data, copy, size, align, deferred, flags, depend, priority, detach);
}
typedef void Body(void*);
static Body* body_of_loop;
static void count_body(void* data) {
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  body_of_loop(data);
}
typedef void Loop(Body*, void*, void (*)(void*, void*), long, long, unsigned, unsigned long, int,
                  long, long, long);
void GOMP_taskloop(Body* body, void* data, void (*copy)(void*, void*), long size, long align,
                   unsigned flags, unsigned long tasks, int priority, long start, long end,
                   long step) {
  body_of_loop = body;
  Loop* next = (Loop*)dlsym(RTLD_NEXT, "GOMP_taskloop");
  next(count_body, data, copy, size, align, flags, tasks, priority, start, end, step);
}
__attribute__((destructor)) static void tell(void) { printf("counter calls=%ld\\n", calls); }
"""
# Health and Heat lay out their inputs by tasks, too, before the clock starts.
COUNTED = sorted(
    name
    for name, app in apps.discover().items()
    if app.threads == "openmp" and name not in ("health", "heat")
)


def record_of(name, *arguments, threads=2):
    app = apps.get(name)
    outcome = run(Job(find("libgomp"), threads, apps.build(name), arguments, deep=app.deep))
    assert outcome.failure is None
    return outcome.record


def refusal_of(name, *arguments):
    """What a program says that ends with 2."""
    done = subprocess.run([apps.build(name), *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize("name", COUNTED)
def test_as_many_tasks_are_made_as_the_program_says(name, compile_c):
    try:
        program = apps.build(name)
    except MissingToolError as error:
        pytest.skip(str(error))
    counter = compile_c("counter.so", COUNTER, "-shared", "-fPIC")
    environment = {**find("libgomp").environment(2), "LD_PRELOAD": str(counter)}
    for variant in apps.describe(name)["variants"]:
        command = [program, "--variant", variant["name"]]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        told, counted = parse(done.stdout)
        assert told["ok"] == 1
        assert told["tasks"] == counted["calls"], variant["name"]


def test_strassen_makes_the_tasks_of_table_3():
    """Paper 1: 960.8 thousand with 2048 and Y = 16, that is, seven levels."""
    assert record_of("strassen", "--n", "128", "--block", "1")["tasks"] == 960799


def test_fib_makes_the_tasks_of_table_3():
    """Paper 1: 318.1, 1.6 and 11.5 million for 40, which are all but equal to twice the splits."""
    ratio = (1 + 5**0.5) / 2
    tasks = record_of("fib", "--n", "22")["tasks"] * ratio**18
    assert tasks == pytest.approx(318.1e6 + 1.6e6 + 11.5e6, rel=1e-3)


@pytest.mark.parametrize("n", [4, 6])
def test_nqueens_finds_what_a_brute_force_finds(n):
    boards = itertools.permutations(range(n))
    safe = sum(
        all(abs(board[i] - board[j]) != j - i for j in range(n) for i in range(j))
        for board in boards
    )
    assert record_of("nqueens", "--n", str(n))["solutions"] == safe


@pytest.mark.parametrize("n", [2, 3, 5, 8, 60, 128, 2700, 4096])
@pytest.mark.parametrize("variant", ["untied", "serial"])
def test_fft_of_many_factors_is_right(n, variant):
    record_of("fft", "--n", str(n), "--leaf", "4", "--chunk", "8", "--variant", variant)


def test_fft_refuses_other_factors():
    assert "7" in refusal_of("fft", "--n", "7")


@pytest.mark.parametrize("n", [1, 2, 3, 5, 17, 1000, 4099])
def test_sort_is_right_with_the_smallest_thresholds(n):
    thresholds = ("--quick", "4", "--merge", "1", "--insertion", "1")
    record_of("sort", "--n", str(n), *thresholds)


def test_strassen_refuses_what_would_be_inexact():
    assert "inexact" in refusal_of("strassen", "--n", "4096", "--block", "1")


@pytest.fixture
def uts_file(tmp_path):
    """Writes the first line of an input file of UTS; the result is the folder for --data."""

    def write(line: str) -> Path:
        (tmp_path / "uts").mkdir()
        (tmp_path / "uts/mine.input").write_text(f"{line}\n# ...\n")
        return tmp_path

    return write


@pytest.mark.parametrize("answers", ["6213 67 5438", "6213 1 1"])
def test_uts_gives_the_answers_of_an_input_file(uts_file, answers):
    folder = uts_file(f"20 0.124875 8 42 1 {answers}")
    record = record_of("uts", "--data", str(folder), "--tree", "mine")
    assert (record["nodes"], record["depth"], record["leaves"]) == (6213, 67, 5438)


@pytest.mark.parametrize("answers", ["6212 67 5438", "6213 66 5438", "6213 67 5437", "6212 1 1"])
def test_uts_notices_answers_that_differ(uts_file, answers):
    folder = uts_file(f"20 0.124875 8 42 1 {answers}")
    job = Job(
        find("libgomp"), 1, apps.build("uts"), ("--data", str(folder), "--tree", "mine"), deep=True
    )
    assert run(job).failure == "wrong result"


@pytest.mark.parametrize("line", ["", "20 0.1 8", "0 0.1 8 42 1 1 1 1", "20 1.5 8 42 1 1 1 1"])
def test_uts_refuses_a_malformed_input_file(uts_file, line):
    assert "mine.input" in refusal_of("uts", "--data", uts_file(line), "--tree", "mine")


def test_uts_refuses_an_input_file_that_is_not_there(tmp_path):
    assert "cannot read" in refusal_of("uts", "--data", tmp_path, "--tree", "mine")


def test_uts_refuses_trees_without_an_end():
    assert "below 1" in refusal_of("uts", "--tree", "10,0.5,2,1")


@pytest.mark.parametrize("variant", ["paper", "bots"])
def test_uts_counts_moved_tasks_only_where_there_are_threads_to_move_to(variant):
    alone = record_of("uts", "--count-moved", "1", "--variant", variant, threads=1)
    assert alone["moved"] == 0
    # Half a second of work: the others are there before it ends, and have nothing else to do.
    tree = ("--tree", "T3", "--variant", variant)
    several = record_of("uts", *tree, "--count-moved", "1", threads=4)
    assert 0 < several["moved"] <= several["tasks"]


def test_uts_says_nothing_of_moves_when_it_is_not_asked():
    assert "moved" not in record_of("uts")


@pytest.mark.skipif("XOMP_TEST_DATA" not in os.environ, reason="XOMP_TEST_DATA names no folder")
def test_uts_gives_the_published_answers():
    """With the folder of published inputs: about five seconds of work."""
    folder = os.environ["XOMP_TEST_DATA"]
    record = record_of("uts", "--data", folder, "--tree", "test")
    assert (record["nodes"], record["depth"], record["leaves"]) == (4112897, 1572, 3599034)
    assert record_of("uts", "--data", folder, "--tree", "tiny")["nodes"] == 30399117

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tools are told of constructs of which the checker's rules do not say that it must be."""

import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest


@pytest.fixture
def told_of(library):
    """The lines that the checker prints for a compiled program."""
    checker = library.parent / "libxomp_ompt_check.so"
    if not checker.exists():
        pytest.skip(f"{checker} is not built")

    def run(program: Path, **environment: str) -> list[str]:
        done = subprocess.run(
            [program],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={
                **os.environ,
                "LD_LIBRARY_PATH": str(library.parent),
                "OMP_TOOL_LIBRARIES": str(checker),
                "OMPT_CHECK": "print,fail",
                **environment,
            },
        )
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    return run


@pytest.fixture
def told(told_of, compile_c, root):
    """The same for the text of one."""

    def run(text: str, *flags: str, **environment: str) -> list[str]:
        words = ["-fopenmp", f"-I{root / 'include'}", *flags]
        return told_of(compile_c("program", text, *words), **environment)

    return run


@pytest.fixture
def told_by_clangs(told_of, compile_by_clang):
    """The same for one that clang builds."""

    def run(text: str, **environment: str) -> list[str]:
        return told_of(compile_by_clang("program", text, "-fopenmp"), **environment)

    return run


TASKLOOP = """
static int sum;
static void add(int n) {
  __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED);
}
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(4)
  for (int i = 10; i < 110; ++i) {
#pragma omp task
    add(1);
  }
  return sum == 100 ? 0 : 1;
}
"""


@pytest.mark.parametrize("threads", ["1", "4"])
def test_each_task_of_a_taskloop_tells_its_chunk(told, threads):
    lines = told(TASKLOOP, OMP_NUM_THREADS=threads)
    chunks = re.findall(
        r"thread (\d+): dispatch taskloop_chunk region=\d+ task=(\d+) "
        r"instance=(?:0x)?([0-9a-f]+)\+(\d+)",
        "\n".join(lines),
    )
    assert sorted((int(first, 16), int(count)) for _, _, first, count in chunks) == [
        (0, 25),
        (25, 25),
        (50, 25),
        (75, 25),
    ]
    for thread, task, _, _ in chunks:
        before = f"ompt: thread {thread}: task_schedule switch .*next={task}$"
        assert [line for line in lines if re.match(before, line)] != []


TEAMS = """
static int sum;
int main(void) {
#pragma omp teams num_teams(3)
  {
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(2)
    {
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp task
      __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    }
  }
#pragma omp parallel num_threads(2)
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  return sum == 17 ? 0 : 1;
}
"""


def test_a_league_is_told_with_its_teams(told):
    lines = "\n".join(told(TEAMS))
    begin = re.search(r"parallel_begin region=(\d+) by=1 requested=3 flags=0x40000002", lines)
    assert begin
    league = begin.group(1)
    teams = re.findall(
        rf"implicit_task begin region={league} task=(\d+) number=(\d) of 3 flags=initial", lines
    )
    assert [number for _, number in teams] == ["0", "1", "2"]
    for task, number in teams:
        assert f"implicit_task end task={task} number={number} of 0 flags=initial" in lines
        assert re.search(rf"parallel_begin region=\d+ by={task} requested=2", lines)
    assert f"parallel_end region={league} by=1 " in lines


# The symbols that binaries of GCC 4.3 and before ask for.
OLD_LOCKS = """
typedef struct { int words[2]; } lock_t;
void old_init(lock_t*); void old_set(lock_t*); void old_unset(lock_t*);
int old_test(lock_t*); void old_destroy(lock_t*);
__asm__(".symver old_init, omp_init_nest_lock@OMP_1.0");
__asm__(".symver old_set, omp_set_nest_lock@OMP_1.0");
__asm__(".symver old_unset, omp_unset_nest_lock@OMP_1.0");
__asm__(".symver old_test, omp_test_nest_lock@OMP_1.0");
__asm__(".symver old_destroy, omp_destroy_nest_lock@OMP_1.0");
int main(void) {
  lock_t lock;
  old_init(&lock);
  old_set(&lock);
  int rounds = old_test(&lock);
  old_set(&lock);
  old_unset(&lock);
  old_unset(&lock);
  old_unset(&lock);
  old_destroy(&lock);
  return rounds == 2 ? 0 : 1;
}
"""


def test_nestable_locks_of_old_binaries_are_told(told):
    events = re.findall(r"thread 1: ((?:lock|mutex|nest)_\w+ \w+)", "\n".join(told(OLD_LOCKS)))
    assert events == [
        "lock_init nest_lock",
        "mutex_acquire nest_lock",
        "mutex_acquired nest_lock",
        "mutex_acquire test_nest_lock",
        "nest_lock begin",
        "mutex_acquire nest_lock",
        "nest_lock begin",
        "nest_lock end",
        "nest_lock end",
        "mutex_released nest_lock",
        "lock_destroy nest_lock",
    ]


TRIED_LOCKS = """
#include <omp.h>
int main(void) {
  omp_lock_t lock;
  omp_nest_lock_t nest_lock;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  int got = omp_test_lock(&lock) + omp_test_lock(&lock) + omp_test_nest_lock(&nest_lock);
  omp_unset_lock(&lock);
  omp_unset_nest_lock(&nest_lock);
  return got == 2 ? 0 : 1;
}
"""


def test_a_lock_that_was_tried_is_acquired_as_one(told):
    events = re.findall(r"thread 1: (mutex_\w+ \w+)", "\n".join(told(TRIED_LOCKS)))
    assert events == [
        "mutex_acquire test_lock",
        "mutex_acquired test_lock",
        "mutex_acquire test_lock",
        "mutex_acquire test_nest_lock",
        "mutex_acquired test_nest_lock",
        "mutex_released lock",
        "mutex_released nest_lock",
    ]


FEWER_THREADS = """
static int sum;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(5)
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
#pragma omp parallel
  __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  return sum == 5 ? 0 : 1;
}
"""


def test_a_region_tells_how_many_threads_were_asked_for(told):
    lines = told(
        FEWER_THREADS, OMP_NUM_THREADS="4", OMP_THREAD_LIMIT="3", OMP_MAX_ACTIVE_LEVELS="1"
    )
    asked = re.findall(r"parallel_begin .* requested=(\d+)", "\n".join(lines))
    assert asked == ["2", "5", "5", "4"]
    sizes = re.findall(r"implicit_task begin .* number=0 of (\d+) flags=implicit", "\n".join(lines))
    assert sizes == ["2", "1", "1", "3"]


# More than the runtime remembers of each.
MANY_LOCKS = """
#include <omp.h>
enum { kLocks = 40 };
int main(void) {
  omp_nest_lock_t locks[kLocks];
  for (int i = 0; i < kLocks; ++i) {
    omp_init_nest_lock(&locks[i]);
    omp_set_nest_lock(&locks[i]);
  }
  for (int i = 0; i < kLocks; ++i) {
    omp_unset_nest_lock(&locks[i]);
    omp_destroy_nest_lock(&locks[i]);
  }
  return 0;
}
"""


def test_a_release_names_the_kind_of_lock_however_many_are_held(told):
    lines = told(MANY_LOCKS)
    assert sum("mutex_released nest_lock" in line for line in lines) == 40


# Who waits at the end of a region that another thread ends asks for what it is in.
ANCESTORS = """
#include <omp-tools.h>
static ompt_get_task_info_t task_info;
static ompt_get_parallel_info_t region_info;
static int own, further; /* atomic */
static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                    ompt_data_t* task, const void* code) {
  int number = 0;
  if (kind != ompt_sync_region_barrier_implicit_parallel || endpoint != ompt_scope_begin)
    return;
  if (!task_info(0, 0, 0, 0, 0, &number) || number == 0)
    return;
  __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
  if (task_info(1, 0, 0, 0, 0, 0) || region_info(1, 0, 0))
    __atomic_fetch_add(&further, 1, __ATOMIC_RELAXED);
}
static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  region_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
  return 1;
}
static ompt_start_tool_result_t result = {initialize, 0, {0}};
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) { return &result; }
static int sum;
int main(void) {
  for (int i = 0; i < 10; ++i) {
#pragma omp parallel num_threads(3)
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
  return own == 20 && further == 0 ? 0 : 1;
}
"""


def test_who_waits_at_the_end_of_a_region_is_told_of_nothing_that_may_be_gone(told):
    told(ANCESTORS, "-Wl,--export-dynamic-symbol=ompt_start_tool")


# Compilers jump to the runtime for what is last in a function, which the runtime has called.
LAST_IN_INITIAL_TASKS = """
static int sum;
static void add(void) { __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED); }
int main(void) {
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
  add();
#pragma omp target
#pragma omp parallel num_threads(2)
  add();
#pragma omp target nowait
#pragma omp parallel num_threads(2)
  add();
#pragma omp taskwait
#pragma omp parallel num_threads(2)
#pragma omp target teams num_teams(2)
#pragma omp parallel num_threads(2)
  add();
  return sum == 16 ? 0 : 1;
}
"""


def test_regions_at_the_end_of_target_and_teams_have_an_address(told, told_by_clangs):
    for lines in told(LAST_IN_INITIAL_TASKS, "-O2"), told_by_clangs(LAST_IN_INITIAL_TASKS):
        begun = [line for line in lines if "parallel_begin region" in line]
        assert len(begun) > 6
        assert all("from=0x" in line for line in begun)


STATIC_LOOPS = """
static int sum;
static void add(int n) { __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED); }
int main(void) {
#pragma omp for
  for (int i = 0; i < 5; ++i)
    add(1);
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < 50; ++i)
      add(1);
#pragma omp for schedule(static, 3)
    for (unsigned long i = 60; i > 0; i -= 2)
      add(1);
#pragma omp sections nowait
    {
#pragma omp section
      add(1);
#pragma omp section
      add(1);
#pragma omp section
      add(1);
    }
#pragma omp for
    for (int i = 0; i < 1; ++i)
      add(1);
  }
  return sum == 89 ? 0 : 1;
}
"""


def works(lines: list[str]) -> dict[str, list[tuple[str, str, int]]]:
    """Of each task the worksharing that it begins and ends."""
    found = defaultdict(list)
    told = r"work (\w+) (\w+) region=\d+ task=(\d+) count=(\d+) from=0x"
    for endpoint, kind, task, count in re.findall(told, "\n".join(lines)):
        found[task].append((endpoint, kind, int(count)))
    return found


def in_pairs(*parts: tuple[str, int]) -> list[tuple[str, str, int]]:
    return [(endpoint, *part) for part in parts for endpoint in ("begin", "end")]


def test_static_loops_of_clangs_programs_are_told(told_by_clangs):
    initial, *implicit = works(told_by_clangs(STATIC_LOOPS)).values()
    assert initial == in_pairs(("loop_static", 5))
    loops = (("loop_static", 50), ("loop_static", 30), ("sections", 3), ("loop_static", 1))
    assert implicit == [in_pairs(*loops)] * 2


def chunks(lines: list[str], kind: str) -> list[list[tuple[int, int]]]:
    """What each task begins: the first iteration, and how many."""
    found = defaultdict(list)
    told = rf"dispatch {kind} region=\d+ task=(\d+) instance=(?:0x)?([0-9a-f]+)\+(\d+)"
    for task, first, count in re.findall(told, "\n".join(lines)):
        found[task].append((int(first, 16), int(count)))
    return sorted(found.values())


# As on libomp, but for parts without iterations.
def test_the_first_chunk_of_each_part_of_a_static_loop_is_told(told_by_clangs):
    lines = told_by_clangs(STATIC_LOOPS)
    parts = [[(0, 5)], [(0, 25), (0, 3), (0, 1)], [(25, 25), (3, 3)]]
    assert chunks(lines, "ws_loop_chunk") == sorted(parts)
    assert [len(each) for each in chunks(lines, "section")] == [1, 1]


AUTO = """
static int sum;
static void add(int n) { __atomic_fetch_add(&sum, n, __ATOMIC_RELAXED); }
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(auto)
    for (int i = 0; i < 50; ++i)
      add(1);
#pragma omp for schedule(auto) ordered
    for (int i = 0; i < 20; ++i)
#pragma omp ordered
      add(1);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 30; ++i)
      add(1);
  }
  return sum == 100 ? 0 : 1;
}
"""


# As on libomp: auto was run-sched-var, of which the default is one iteration at a time.
def test_loops_that_clang_leaves_to_the_runtime_are_guided(told_by_clangs):
    loops = in_pairs(("loop_guided", 50), ("loop_guided", 20), ("loop_guided", 30))
    assert list(works(told_by_clangs(AUTO, OMP_SCHEDULE="auto")).values()) == [loops] * 2
    loops[4:] = in_pairs(("loop_dynamic", 30))
    assert list(works(told_by_clangs(AUTO, OMP_SCHEDULE="dynamic")).values()) == [loops] * 2


ALONE = """
static int sum;
int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 50; ++i)
      sum++;
#pragma omp for schedule(guided, 3)
    for (int i = 0; i < 40; ++i)
      sum++;
  }
  return sum == 90 ? 0 : 1;
}
"""


# They are one chunk.
def test_loops_of_one_thread_are_told_with_the_schedule_that_they_ask_for(told, told_by_clangs):
    loops = in_pairs(("loop_dynamic", 50), ("loop_guided", 40))
    assert list(works(told(ALONE)).values()) == [loops]
    assert list(works(told_by_clangs(ALONE)).values()) == [loops]


DISTRIBUTE = """
static int sum;
int main(void) {
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for num_threads(2)
  for (int i = 0; i < 40; ++i)
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  return sum == 40 ? 0 : 1;
}
"""


def test_distribute_is_told_around_the_loops_of_its_teams(told_by_clangs):
    lines = told_by_clangs(DISTRIBUTE)
    told = list(works(lines).values())
    assert told.count(in_pairs(("distribute", 40))) == 2
    assert told.count(in_pairs(("loop_static", 20))) == 4
    assert len(told) == 6
    assert chunks(lines, "distribute_chunk") == [[(0, 20)], [(20, 20)]]
    assert chunks(lines, "ws_loop_chunk") == [[(0, 10)]] * 2 + [[(10, 10)]] * 2


MASKED = """
static volatile int count;
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    count = 1;
#pragma omp masked filter(1)
    count = 2;
#pragma omp flush
  }
  return 0;
}
"""


def test_masked_and_flush_of_clangs_programs_are_told(told_by_clangs):
    lines = told_by_clangs(MASKED)
    tasks = {
        number: task
        for task, number in re.findall(
            r"implicit_task begin region=2 task=(\d+) number=(\d)", "\n".join(lines)
        )
    }
    masked = re.findall(r"masked (\w+) region=2 task=(\d+) from=0x", "\n".join(lines))
    for number in "01":
        assert [end for end, task in masked if task == tasks[number]] == ["begin", "end"]
    assert len(masked) == 4
    assert sum(bool(re.search(r": flush from=0x", line)) for line in lines) == 2

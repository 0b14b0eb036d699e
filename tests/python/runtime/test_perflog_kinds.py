# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each kind of record, from a program that contains a known number of what it stands for."""

import subprocess
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

import perflog_reader as reader

MUTEXES = """
#include <omp.h>
static omp_lock_t lock;
static omp_nest_lock_t nest;
static int count;
static long double large;
int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 40; ++i) {
#pragma omp critical
    count++;
#pragma omp critical(name)
    count++;
    omp_set_lock(&lock);
    count++;
    omp_unset_lock(&lock);
    while (!omp_test_lock(&lock))
      ;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp atomic
    large += 1;
  }
  return 0;
}
"""

LOOPS = """
#include <stdlib.h>
static volatile int sum;
int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < 1000; ++i)
      (void)sum;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 500; ++i)
      (void)sum;
#pragma omp for schedule(monotonic : dynamic, 3)
    for (int i = 0; i < 100; ++i)
      (void)sum;
#pragma omp for schedule(runtime)
    for (int i = 0; i < 60; ++i)
      (void)sum;
#pragma omp for ordered schedule(dynamic)
    for (int i = 0; i < 40; ++i)
#pragma omp ordered
      (void)sum;
  }
#pragma omp parallel for schedule(dynamic, 2) num_threads(4)
  for (int i = 0; i < 90; ++i)
    (void)sum;
  return 0;
}
"""
TRIPS = {1000: 2, 500: 3, 100: 2, 60: 1, 40: 2 | 32, 90: 2}

STATIC_LOOPS = """
static volatile int sum;
int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for nowait
    for (int i = 0; i < 1000; ++i)
      (void)sum;
#pragma omp for schedule(static, 7)
    for (int i = 0; i < 60; ++i)
      (void)sum;
#pragma omp sections
    {
#pragma omp section
      (void)sum;
#pragma omp section
      (void)sum;
    }
  }
#pragma omp teams num_teams(2)
#pragma omp distribute
  for (int i = 0; i < 80; ++i)
    (void)sum;
  return 0;
}
"""

CONSTRUCTS = """
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int sum;
static volatile int here;
// Until all other threads of the process sleep: the three of the region wait behind the single.
static void others_sleep(void) {
  int self = syscall(SYS_gettid), awake = 1;
  while (here < 4 || awake) {
    usleep(1000);
    awake = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *each; (each = readdir(tasks));) {
      int number = atoi(each->d_name);
      char path[64], state = 'S';
      snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
      FILE *file = number && number != self ? fopen(path, "r") : NULL;
      if (file) {
        fscanf(file, "%*d (%*[^)]) %c", &state);
        fclose(file);
      }
      awake += state != 'S';
    }
    closedir(tasks);
  }
}
int main(void) {
#pragma omp parallel num_threads(4)
  {
    __atomic_fetch_add(&here, 1, __ATOMIC_RELAXED);
#pragma omp single
    others_sleep();
#pragma omp barrier
#pragma omp single nowait
    (void)sum;
#pragma omp sections
    {
#pragma omp section
      (void)sum;
#pragma omp section
      (void)sum;
#pragma omp section
      (void)sum;
    }
#pragma omp master
    {
#pragma omp taskgroup
      {
#pragma omp task
        (void)sum;
      }
#pragma omp taskloop num_tasks(5)
      for (int i = 0; i < 5; ++i)
        (void)sum;
    }
  }
  return 0;
}
"""

DEPENDENCES = """
int main(void) {
  int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task depend(out : a) depend(inout : b)
    a++;
#pragma omp task depend(in : a) depend(mutexinoutset : c)
    c++;
#pragma omp task depend(in : a) depend(mutexinoutset : c)
    c++;
#pragma omp task depend(in : c, a)
    b += c;
#pragma omp taskwait depend(in : a)
  }
  return 0;
}
"""

PRODUCER = """
#include <omp.h>
#include <unistd.h>
int main(void) {
  int taken = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    int producer = omp_get_thread_num();
    for (int i = 0; i < 40; ++i)
#pragma omp task shared(taken) firstprivate(producer)
    {
      usleep(100);
      __atomic_fetch_add(&taken, omp_get_thread_num() != producer, __ATOMIC_RELAXED);
    }
    while (__atomic_load_n(&taken, __ATOMIC_RELAXED) == 0)
      usleep(1000); // no task scheduling point
  }
  return 0;
}
"""


def recorded(program, library, folder, **environment):
    done = subprocess.run(
        [program],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=reader.environment(library, folder, **environment),
    )
    assert (done.returncode, done.stderr) == (0, "")
    log = reader.read_only(folder)
    reader.check_nesting(log)
    return log


@pytest.fixture
def log_of(compile_c, library, tmp_path):
    def record(name, text, **environment):
        program = compile_c(name, text, "-fopenmp")
        return recorded(program, library, tmp_path / "log", **environment)

    return record


def test_mutexes(log_of):
    log = log_of("mutexes", MUTEXES)
    expected = {1: 240, 2: 240, 3: 120, 4: 120}  # critical, lock, nestable lock, atomic
    for kind in ("MUTEX_WAIT", "MUTEX_HELD"):
        assert Counter(record.flags & 15 for record in log.of(kind)) == expected
    assert len({record.other for record in log.of("MUTEX_HELD")}) == 5
    # Who holds it is alone.
    of_mutex = defaultdict(list)
    for record in log.of("MUTEX_HELD"):
        of_mutex[record.other].append(record)
    for held in of_mutex.values():
        held.sort(key=lambda record: record.begin)
        for first, second in pairwise(held):
            # The release is told when the next one may have it already.
            assert first.begin < second.begin
            assert first.track != second.track or first.end <= second.begin
    waits = {(record.track, record.end) for record in log.of("MUTEX_WAIT")}
    assert all((record.track, record.begin) in waits for record in log.of("MUTEX_HELD"))


def test_loops_and_their_chunks(log_of):
    log = log_of("loops", LOOPS, OMP_SCHEDULE="static,5")
    loops = defaultdict(list)
    for record in log.of("LOOP"):
        loops[record.other].append(record)
    assert {trips: len(parts) for trips, parts in loops.items()} == dict.fromkeys(TRIPS, 4)
    for trips, parts in loops.items():
        assert {part.flags for part in parts} == {TRIPS[trips]}
        iterations = []
        for part in parts:
            for chunk in log.of("CHUNK"):
                inside = part.begin <= chunk.begin and chunk.end <= part.end
                if chunk.track == part.track and inside:
                    assert chunk.task == part.task
                    iterations += range(chunk.other, chunk.other + chunk.place)
        assert sorted(iterations) == list(range(trips))
    ends = [record for record in log.of("BARRIER") if record.flags == 2]
    assert len(ends) == 4 * 4  # of the five in the region but the one with nowait


def test_static_loops_of_clangs_programs(compile_by_clang, library, tmp_path):
    program = compile_by_clang("static", STATIC_LOOPS, "-fopenmp")
    log = recorded(program, library, tmp_path / "log")
    loops = Counter((record.other, record.flags) for record in log.of("LOOP"))
    # Each of two teams has its part of the distributed one, on the same thread.
    assert loops == {(1000, 1): 4, (60, 1): 4, (80, 1 | 64): 2}
    assert len({record.place for record in log.of("LOOP")}) == 3
    assert [(record.other, record.flags) for record in log.of("SECTIONS")] == [(2, 1)] * 4
    assert log.of("CHUNK") == log.of("SECTION") == []


def test_other_constructs(log_of):
    log = log_of("constructs", CONSTRUCTS)
    singles = Counter((record.place, record.flags) for record in log.of("SINGLE"))
    assert sorted(singles.values()) == [1, 1, 3, 3]
    assert {place for place, flags in singles if flags} == {place for place, _ in singles}
    assert len(log.of("SECTIONS")) == 4
    assert sorted(record.other for record in log.of("SECTION")) == [0, 1, 2]
    assert len(log.of("TASKGROUP")) == 2  # one is taskloop's
    (region,) = log.of("REGION")
    barriers = Counter(record.flags for record in log.of("BARRIER"))
    assert barriers[0] == 4 * 2  # single's, which the compiler calls as any other, and the explicit
    assert barriers[2] == 4  # of sections
    assert barriers[1] >= 1
    assert {record.other for record in log.of("BARRIER")} == {region.other}
    # Three waited for the fourth with nothing to do.
    stalls = [record for record in log.of("STALL") if record.other == reader.NUMBERS["BARRIER"]]
    assert len({record.track for record in stalls}) >= 3


@pytest.mark.parametrize("threads", [1, 3])
def test_dependences_by_item(log_of, threads):
    log = log_of("dependences", DEPENDENCES.replace("(3)", f"({threads})"))
    items = defaultdict(list)
    for record in log.of("DEPENDENCE"):
        items[record.task].append((record.other, record.flags))
    tasks = {record.task for record in log.of("TASK")}
    assert len(tasks) == 200 and set(items) == tasks
    kinds = Counter(tuple(sorted(flags for _, flags in each)) for each in items.values())
    assert kinds == {(1, 1): 50, (0, 3): 100, (0, 0): 50}
    assert len({item for each in items.values() for item, _ in each}) == 3
    # What the edges say happened in that order.
    ended = {record.task: record.end for record in log.of("TASK")}
    begun = {record.task: record.begin for record in log.of("TASK")}
    last_writer = {}
    (track,) = {record.track for record in log.of("DEPENDENCE")}
    for record in log.records:
        if record.kind != "DEPENDENCE":
            continue
        assert record.track == track
        writer = last_writer.get(record.other)
        if writer is not None and writer != record.task:
            assert ended[writer] <= begun[record.task]
        if record.flags == 1:
            last_writer[record.other] = record.task


@pytest.mark.parametrize("scheduler", ["auto", "ws"])
def test_tasks_that_others_took_were_stolen(log_of, scheduler):
    log = log_of("producer", PRODUCER, XOMP_SCHEDULER=scheduler)
    taken = [record for record in log.of("TASK") if record.flags & 128]
    assert taken
    assert sum(record.other for record in log.of("STEAL")) >= len(taken)
    tracks = {record.track for record in log.records}
    assert {record.worker for record in log.of("STEAL")} <= tracks
    assert all(record.track != record.worker for record in taken)


def test_hardware_is_there_or_said_to_be_absent(log_of):
    log = log_of("constructs", CONSTRUCTS)
    named = {int(line.split()[0]) for line in log.text["hardware"]}
    assert bool(named) != bool(log.text["hardware-absent"])
    assert {record.task for record in log.of("HARDWARE")} == named
    last = {}
    for record in log.of("HARDWARE"):
        before = last.get((record.track, record.task), 0)
        assert record.other >= before
        last[record.track, record.task] = record.other

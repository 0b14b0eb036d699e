# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""XOMP_PERFLOG: what the log says of programs of which it is known what they do."""

import contextlib
import struct
import subprocess
import time
from collections import Counter

import pytest

import perflog_reader as reader
from processes import started

TASKS = """
#include <stdlib.h>
#include <stdatomic.h>
static atomic_long ran;
static void work(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 300; ++i)
#pragma omp task
    {
      ran++;
#pragma omp task
      ran++;
#pragma omp task if (0)
      ran++;
#pragma omp task final(1)
      {
#pragma omp task
        ran++;
      }
    }
    int chain = 0;
    for (int i = 0; i < 200; ++i)
#pragma omp task depend(inout : chain) untied
      chain++, ran++;
#pragma omp taskloop num_tasks(64)
    for (int i = 0; i < 64; ++i)
      ran++;
#pragma omp taskwait
  }
#pragma omp task
  ran++;
#pragma omp taskwait
}
int main(void) {
  work();
  return 0;
}
"""
TASK_COUNT = 300 * 5 + 200 + 64 + 1

FIB = """
#include <stdlib.h>
static long fib(int n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}
int main(int argc, char **argv) {
  long result = 0;
  int n = atoi(argv[1]);
  do
#pragma omp parallel
#pragma omp single
    result = fib(n);
  while (argc > 2);
  return result < 0;
}
"""


def fib_tasks(n: int) -> int:
    return 0 if n < 2 else 2 + fib_tasks(n - 1) + fib_tasks(n - 2)


@pytest.fixture
def record(library, tmp_path):
    """Runs a program with the recorder on; the result has the folder of its logs as well."""

    def run(program, *arguments, threads=4, folder=None, **environment):
        folder = folder or tmp_path / "log"
        changed = reader.environment(library, folder, threads, **environment)
        command = [str(program), *map(str, arguments)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, env=changed
        )
        done.folder = folder
        return done

    return run


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """Compiles a program once, however many tests run it."""
    folder = tmp_path_factory.mktemp("programs")
    made = {}

    def program(name, text, *flags):
        if name not in made:
            source = folder / f"{name}.c"
            source.write_text(text)
            made[name] = folder / name
            command = ["gcc", "-O2", "-g", "-fopenmp", source, "-o", made[name], *flags]
            subprocess.run(command, check=True)
        return made[name]

    return program


def good(done) -> reader.Log:
    assert (done.returncode, done.stderr) == (0, "")
    log = reader.read_only(done.folder)
    reader.check_nesting(log)
    return log


VARIANTS = [
    {"threads": 1},
    {"threads": 4},
    {"threads": 4, "XOMP_BARRIER": "central"},
    {"threads": 3, "XOMP_SCHEDULER": "slb", "XOMP_QUEUE_SIZE": 2},
    {"threads": 4, "XOMP_SCHEDULER": "na-ws"},
    {"threads": 4, "XOMP_SCHEDULER": "mts", "XOMP_TOPOLOGY": "numa:2 core:2 pu:1"},
    {"threads": 2, "OMP_CANCELLATION": "true"},
]


@pytest.mark.parametrize(
    "variant", VARIANTS, ids=lambda variant: "-".join(map(str, variant.values()))
)
def test_every_task_is_there_once(programs, record, variant):
    log = good(record(programs("tasks", TASKS), **variant))
    assert log.count("TASK") == TASK_COUNT
    reader.check_parents(log)
    assert len(log.of("REGION")) == 1
    assert len(log.of("IMPLICIT")) == variant["threads"] + 1  # the initial one
    deferred = [task for task in log.of("TASK") if not task.flags & 1]
    assert log.count("CREATE") >= len([task for task in deferred if not task.flags & 2])


def test_what_is_known_of_a_task(programs, record):
    log = good(record(programs("tasks", TASKS), threads=1))
    tasks = log.of("TASK")
    assert sum(bool(task.flags & 2) for task in tasks) == 300 * 2  # if(0), and in a final one
    assert sum(bool(task.flags & 4) for task in tasks) == 200  # untied
    assert sum(bool(task.flags & 8) for task in tasks) == 300 * 2
    assert sum(bool(task.flags & 16) for task in tasks) == 200  # dependences
    at_once = [task for task in tasks if task.flags & 1]
    reasons = Counter(task.flags >> 6 for task in at_once)
    assert reasons[0] == sum(bool(task.flags & 2) for task in at_once) == 300 * 2
    assert reasons[1] == 1  # outside of the region
    assert reasons[3] == 0  # large arguments
    assert len(log.of("DEPENDENCE")) == 200
    assert {record.flags for record in log.of("DEPENDENCE")} == {1}
    assert len({record.other for record in log.of("DEPENDENCE")}) == 1
    assert len({task.place for task in tasks}) == 8


def test_places_are_in_the_program(programs, record):
    program = programs("tasks", TASKS)
    log = good(record(program, threads=4))
    (start, end), *more = [
        (int(line.split()[0], 16), int(line.split()[1], 16))
        for line in log.text["module"]
        if line.endswith(f" {program}")
    ]
    assert not more
    places = [
        record.place
        for record in log.records
        if record.kind in {"TASK", "CREATE", "TASKWAIT", "REGION"}
    ]
    assert places and all(start <= place < end for place in places)


def test_what_the_text_says(programs, record):
    program = programs("tasks", TASKS)
    log = good(record(program, 'a "b"\n', threads=3))
    assert log.text["command"] == [f'"{program}" "a \\"b\\"\\012"']
    assert log.text["program"] == [str(program)]
    assert log.text["threads"] == ["3"]
    assert "OMP_NUM_THREADS 3" in log.text["setting"]
    clocks = [tuple(map(int, line.split())) for line in log.text["clock"]]
    assert len(clocks) >= 2 and clocks == sorted(clocks)
    # Workers may still be on their way to sleep when the first thread ends the process.
    (first,) = {record.track for record in log.of("REGION")}
    end = int(log.text["end"][0])
    assert end >= max(record.end for record in log.records if record.track == first)


@pytest.mark.parametrize("limit", [0, "64K", "1M"])
def test_sums_are_exact_when_the_log_is_full(programs, record, limit):
    done = record(programs("fib", FIB), 20, threads=2, XOMP_PERFLOG_LIMIT=limit)
    log = good(done)
    assert log.count("TASK") == fib_tasks(20)
    assert log.summed("TASK") > 0
    assert limit == "1M" or log.text["full"]
    assert log.count("REGION") == 1 and log.count("IMPLICIT") == 3
    (path,) = done.folder.glob("*.xomplog")
    # Beyond the limit: text, and for each thread its sums and its outermost spans.
    assert path.stat().st_size <= 4096 + (16 + 1 + 2 * 2) * 65536


def test_tasks_that_waited_are_recorded_as_long_as_there_is_room(programs, record):
    log = good(record(programs("fib", FIB), 21, threads=1, XOMP_PERFLOG_LIMIT="4M"))
    assert log.count("TASK") == fib_tasks(21)
    assert not log.text["full"] and log.summed("TASK") > 0
    assert log.summed("TASKWAIT") == 0
    waited = {record.task for record in log.of("TASKWAIT")}
    tasks = {record.task for record in log.of("TASK")}
    assert waited <= tasks | {record.task for record in log.of("IMPLICIT")}


def regions_so_far(folder) -> int:
    """In a log that is just being written: what is read of it may be of different moments, which
    the reader does not accept."""
    with contextlib.suppress(AssertionError, ValueError, struct.error):
        return reader.read_only(folder).count("REGION")
    return 0


def test_a_killed_program_leaves_a_readable_log(programs, library, tmp_path):
    folder = tmp_path / "log"
    environment = reader.environment(library, folder, 3, XOMP_PERFLOG_LIMIT="8M")
    command = [str(programs("fib", FIB)), "15", "for ever"]
    with started(command, env=environment) as running:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and regions_so_far(folder) <= 20:
            time.sleep(0.05)
        running.kill()
    log = reader.read_only(folder)
    assert log.count("REGION") > 20
    assert not log.text["end"]
    reader.check_nesting(log)
    # A part of the last region's tasks is missing, no more: each of the others has all.
    assert log.count("TASK") >= log.count("REGION") * fib_tasks(15)


FORK = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void tasks(int number) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < number; ++i)
#pragma omp task
    __asm__ volatile("");
}
int main(void) {
  tasks(100);
  if (fork() == 0) {
    if (fork() == 0)
      return 0; // without OpenMP: no log
    wait(NULL);
    tasks(30);
    exit(0);
  }
  int status;
  wait(&status);
  tasks(7);
  return status;
}
"""


def test_a_child_of_fork_has_a_log_of_its_own(programs, record):
    done = record(programs("fork", FORK), threads=2)
    assert (done.returncode, done.stderr) == (0, "")
    logs = [reader.read(path) for path in done.folder.glob("*.xomplog")]
    assert sorted(log.count("TASK") for log in logs) == [30, 107]
    assert sorted(log.count("REGION") for log in logs) == [1, 2]
    for log in logs:
        reader.check_nesting(log)
        assert log.text["end"]
        assert log.text["pid"] == [str(log.process)]


NESTED = """
#include <omp.h>
int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
#pragma omp task
  __asm__ volatile("");
  return 0;
}
"""


def test_nested_regions(programs, record):
    log = good(record(programs("nested", NESTED)))
    regions = {record.other: record for record in log.of("REGION")}
    assert sorted(record.worker for record in regions.values()) == [2, 3, 3]
    members = {identity: [] for identity in regions}
    for record_ in log.of("IMPLICIT"):
        if record_.other:
            members[record_.other].append(record_.worker)
    assert all(
        sorted(numbers) == list(range(regions[identity].worker))
        for identity, numbers in members.items()
    )
    implicit = {record.task: record for record in log.of("IMPLICIT")}
    outer = next(identity for identity, record in regions.items() if record.worker == 2)
    assert all(
        implicit[record.task].other == outer for record in regions.values() if record.worker == 3
    )
    assert all(implicit[task.other].other in regions for task in log.of("TASK"))
    assert log.count("TASK") == 6


THREADS = """
#include <pthread.h>
static void *work(void *argument) {
#pragma omp parallel num_threads(2)
#pragma omp task
  __asm__ volatile("");
#pragma omp task
  __asm__ volatile("");
  return argument;
}
int main(void) {
  for (int round = 0; round < 20; ++round) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
      pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; ++i)
      pthread_join(threads[i], NULL);
  }
  return 0;
}
"""


def test_threads_of_the_program(programs, record):
    log = good(record(programs("threads", THREADS, "-pthread")))
    begun = [record for record in log.of("THREAD") if record.flags & 2]
    ended = [record for record in log.of("THREAD") if not record.flags & 2]
    assert sum(record.flags & 1 for record in begun) == 60
    assert len(begun) == len(ended) == 120
    assert log.count("TASK") == 60 * 3
    # A track is used again when its thread has ended.
    assert len({record.track for record in log.records}) <= 12
    reader.check_parents(log)


BEFORE = """
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void tell(const char *name) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%s %d %lld\\n", name, getpid(), now.tv_sec * 1000000000LL + now.tv_nsec);
  fflush(stdout);
}
static void region(void) {
#pragma omp parallel
#pragma omp single
  __asm__ volatile("");
}
int main(void) {
  tell("begin");
  region();
  int child = fork();
  if (child == 0) {
    tell("fork");
    region();
    return 0;
  }
  waitpid(child, NULL, 0);
}
"""


def test_code_before_the_first_call_belongs_to_the_run(programs, record):
    done = record(programs("before", BEFORE), threads=2)
    assert (done.returncode, done.stderr) == (0, "")
    told = {name: (pid, int(at)) for name, pid, at in map(str.split, done.stdout.splitlines())}
    parent, child = (
        reader.read(done.folder / f"{pid}.xomplog") for pid, _ in (told["begin"], told["fork"])
    )
    ticks, time = map(int, parent.text["clock"][0].split())
    assert time <= told["begin"][1]
    begins = sorted(each.begin for each in parent.of("THREAD") if each.flags & 2)
    assert begins[0] == ticks < begins[1]
    # A child begins when it is met: what was before belongs to its parent.
    ticks, time = map(int, child.text["clock"][0].split())
    assert time >= told["fork"][1]
    assert min(each.begin for each in child.of("THREAD")) > begins[1]


DATA = """
#include <omp.h>
#include <xomp.h>
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int domain = -1; domain <= 2; ++domain) {
    omp_child_task_affinity(domain);
    for (int i = 0; i < 10; ++i)
#pragma omp task
      __asm__ volatile("");
#pragma omp task if (0)
    __asm__ volatile("");
  }
}
"""


@pytest.mark.parametrize("scheduler", ["auto", "mts", "slb"])
def test_a_task_is_where_its_data_are_said_to_be(programs, record, root, library, scheduler):
    flags = (f"-I{root}/include", f"-L{library.parent}", "-l:libxomp.so")
    topology = {"XOMP_TOPOLOGY": "numa:2 core:2 pu:1", "XOMP_SCHEDULER": scheduler}
    log = good(record(programs("data", DATA, *flags), threads=4, **topology))
    said = Counter(task.data_domain for task in log.of("TASK"))
    assert said == {255: 2 * 11, 0: 11, 1: 11}  # -1 and 2 are no domains


CALLS = """\
#include <sys/wait.h>
#include <unistd.h>
static long sum;
static void region(void) {
  #pragma omp parallel
  for (int i = 0; i < 100; i++) {
    #pragma omp critical
    sum++;
    #pragma omp single
    {
      #pragma omp task
      sum--;
    }
  }
}
int main(void) {
  region();
  if (fork() == 0) {
    region();
    return 0;
  }
  wait(NULL);
  region();
}
"""


def test_what_clang_says_of_calls_is_in_each_log_once(compile_by_clang, record):
    """Also in that of a child of fork, which has a log of its own."""
    done = record(compile_by_clang("calls", CALLS, "-fopenmp", "-g", "-s"), threads=4)
    assert (done.returncode, done.stderr) == (0, "")
    paths = list(done.folder.iterdir())
    assert len(paths) == 2
    for path in paths:
        log = reader.read(path)
        calls = [line.split(" ", 2) for line in log.text["call"]]
        assert len(calls) == len({tuple(call) for call in calls})
        said = {int(body, 16): source.split(";")[2:4] for _, body, source in calls}
        (region,) = {record.place for record in log.of("REGION")}
        (task,) = {record.place for record in log.of("TASK")}
        assert said[region] == ["region", "5"] and said[task] == ["region", "11"]
        said = {int(codeptr, 16): source.split(";")[2:4] for codeptr, _, source in calls}
        for kind, line in ("MUTEX_WAIT", "7"), ("SINGLE", "9"), ("CREATE", "11"):
            assert [said[place] for place in {record.place for record in log.of(kind)}] == [
                ["region", line]
            ]

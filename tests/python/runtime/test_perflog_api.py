# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""xomp_perflog_start, _stop and _dump: parts of a run, in any order, from any thread."""

import subprocess

import pytest

import perflog_reader as reader

COMMON = """
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "xomp.h"
#define CHECK(what) \\
  do \\
    if (!(what)) { \\
      fprintf(stderr, "line %d: %s\\n", __LINE__, #what); \\
      exit(1); \\
    } \\
  while (0)
static void tasks(int number) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < number; ++i)
#pragma omp task
    __asm__ volatile("");
}
static void here(int number) {
  for (int i = 0; i < number; ++i)
#pragma omp task if (0)
    __asm__ volatile("");
}
"""

PARTS = """
int main(int argc, char **argv) {
  CHECK(xomp_perflog_dump() == ENOENT);
  CHECK(xomp_perflog_stop() == EALREADY);
  tasks(100);
  here(10);
  CHECK(xomp_perflog_start(argv[1]) == 0);
  CHECK(xomp_perflog_start(argv[1]) == EALREADY);
  here(2);
  tasks(200);
  CHECK(xomp_perflog_stop() == 0);
  CHECK(xomp_perflog_stop() == EALREADY);
  tasks(400);
  here(40);
  CHECK(xomp_perflog_start("/other") == EBUSY);
  CHECK(xomp_perflog_start(NULL) == 0);
  tasks(800);
  here(8);
  CHECK(xomp_perflog_dump() == 0);
  CHECK(xomp_perflog_stop() == 0);
  CHECK(xomp_perflog_dump() == 0);
  here(16);
  return 0;
}
"""

IN_A_REGION = """
int main(int argc, char **argv) {
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    {
      here(5);
      CHECK(xomp_perflog_start(argv[1]) == 0);
      here(7);
#pragma omp task if (0)
      {
        here(3);
        CHECK(xomp_perflog_stop() == 0);
        here(11);
        CHECK(xomp_perflog_start(NULL) == 0);
        here(20);
      }
    }
#pragma omp barrier
#pragma omp master
    here(1);
  }
  tasks(50);
  CHECK(xomp_perflog_stop() == 0);
#pragma omp parallel num_threads(2)
#pragma omp master
  {
    CHECK(xomp_perflog_start(NULL) == 0);
    tasks(1000); // a nested region
  }
  return 0;
}
"""

FROM_THREADS = """
static int starts, stops;
static void *work(void *argument) {
  for (int i = 0; i < 50; ++i) {
    int error = xomp_perflog_start(argument);
    CHECK(error == 0 || error == EALREADY);
    __atomic_fetch_add(&starts, error == 0, __ATOMIC_RELAXED);
    tasks(10);
    CHECK(xomp_perflog_dump() == 0);
    error = xomp_perflog_stop();
    CHECK(error == 0 || error == EALREADY);
    __atomic_fetch_add(&stops, error == 0, __ATOMIC_RELAXED);
  }
  return NULL;
}
int main(int argc, char **argv) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, work, argv[1]);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  CHECK(starts == stops && starts > 0);
  CHECK(xomp_perflog_stop() == EALREADY);
  return 0;
}
"""


@pytest.fixture
def run(compile_c, library, root, tmp_path):
    def compile_and_run(text, **more):
        flags = ("-fopenmp", "-pthread", f"-I{root}/include", str(library))
        program = compile_c("program", COMMON + text, *flags)
        environment = reader.environment(library, tmp_path / "unused", **more)
        del environment["XOMP_PERFLOG"]
        folder = tmp_path / "log"
        done = subprocess.run(
            [program, folder],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=environment,
            cwd=tmp_path,
        )
        assert (done.returncode, done.stderr) == (0, "")
        log = reader.read_only(folder)
        reader.check_nesting(log)
        return log

    return compile_and_run


@pytest.mark.parametrize("limit", ["1G", "0"])  # with "0" there are sums only
def test_parts_of_a_run(run, limit):
    log = run(PARTS, XOMP_PERFLOG_LIMIT=limit)
    assert log.count("TASK") == 2 + 200 + 800 + 8
    assert len(log.of("REGION")) == 2


def test_begun_in_the_middle_of_a_region(run):
    log = run(IN_A_REGION)
    # The task in which it is stopped and begun again is not known as one.
    assert log.count("TASK") == 7 + 3 + 20 + 1 + 1 + 50 + 1000
    assert len(log.of("REGION")) == 2


def test_begun_by_several_threads(run):
    log = run(FROM_THREADS)
    assert 0 < log.count("TASK") <= 3 * 50 * 10


def test_without_a_folder_it_is_the_working_directory(run, tmp_path):
    (tmp_path / "log").symlink_to(tmp_path, target_is_directory=True)
    log = run("int main(void) { CHECK(xomp_perflog_start(NULL) == 0); here(3); return 0; }")
    assert log.count("TASK") == 3

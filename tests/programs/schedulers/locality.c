// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locality domains (paper 3, section 5.1) in strict mode: a task runs in the domain for which it is
// meant, its children where it runs itself, however they are waited for; and a domain whose workers
// all wait for a task that none of them can start does not stop the program. Under a scheduler
// without a queue for each domain the calls return the same, and every task runs.
//
// xomp-test: threads=8 env=XOMP_SCHEDULER=mts env=XOMP_LOCALITY=strict timeout=60 libs=lib/libxomp.so compilers=gcc,clang
// xomp-test: "env=XOMP_TOPOLOGY=numa:4 core:2 pu:1"
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../include/xomp.h"
#include "check.h"

enum { kTasks = 40 };

static int domains, strict;
static atomic_int ran, astray;

// Runs in domain `wanted`, or anywhere if tasks may migrate.
static void here(int wanted) {
  ran++;
  if (omp_get_locality_domain_num() != wanted)
    astray++;
}

static void expect(int tasks) {
  CHECK(ran == tasks);
  CHECK(!strict || astray == 0);
  ran = astray = 0;
}

static void tree(int depth) {
  int domain = omp_get_locality_domain_num();
  here(domain);
  if (depth == 0)
    return;
  for (int i = 0; i < 2; i++) {
#pragma omp task
    {
      here(domain);
      tree(depth - 1);
    }
  }
#pragma omp taskwait
}

static void deal(void) {
  for (int domain = 0; domain < domains; domain++) {
    omp_child_task_affinity(domain);
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      here(domain);
    }
  }
  omp_child_task_affinity(-1);
}

static void domain_of_each_thread(void) {
#pragma omp parallel
  CHECK(omp_get_locality_domain_num() == omp_get_thread_num() * domains / omp_get_num_threads());
  CHECK(omp_get_locality_domain_num() == 0);
}

static void tasks_run_where_they_belong(void) {
#pragma omp parallel
#pragma omp single
  deal(); // until the barrier
  expect(domains * kTasks);
#pragma omp parallel
#pragma omp single
  {
    deal();
#pragma omp taskwait
    expect(domains * kTasks);
#pragma omp taskgroup
    deal();
    expect(domains * kTasks);
  }
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    deal(); // whose task ends before them
#pragma omp taskgroup
    {
#pragma omp task if (0)
      deal();
    }
  }
  expect(2 * domains * kTasks);
}

static void children_run_where_their_parent_does(void) {
#pragma omp parallel
#pragma omp single
  for (int domain = 0; domain < domains; domain++) {
    omp_child_task_affinity(domain);
#pragma omp task
    tree(4);
  }
  expect(domains * (31 + 30));
}

static void successors_run_where_they_belong(void) {
  int chain = 0;
  (void)chain; // only its address counts
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3 * domains; i++) {
    omp_child_task_affinity(i % domains);
#pragma omp task depend(inout : chain)
    here(i % domains);
  }
  expect(3 * domains);
}

static void what_is_no_domain_means_ones_own(void) {
#pragma omp parallel
#pragma omp single
  {
    int own = omp_get_locality_domain_num();
    for (int each = 0; each < 3; each++) {
      omp_child_task_affinity(1);
      omp_child_task_affinity(each == 0 ? -1 : each == 1 ? domains : 1 << 30);
#pragma omp task
      here(own);
    }
  }
  expect(3);
}

// Every worker but one is blocked by a critical region, whose holder waits for a task in the domain
// of blocked ones.
static void domain_that_cannot_go_on(void) {
  static atomic_int done;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp critical
      {
        usleep(20000); // the others come to the critical region
        omp_child_task_affinity(domains - 1);
#pragma omp task
        done++;
#pragma omp taskwait
      }
    } else {
      usleep(5000);
#pragma omp critical
      done++;
    }
  }
  CHECK(done >= 8);
}

int main(void) {
  const char* mode = getenv("XOMP_LOCALITY");
  const char* scheduler = getenv("XOMP_SCHEDULER");
  strict = mode && strcmp(mode, "strict") == 0 && scheduler && strcmp(scheduler, "mts") == 0;
  domains = omp_get_num_locality_domains();
  CHECK(domains == 4);
  domain_of_each_thread();
  tasks_run_where_they_belong();
  children_run_where_their_parent_does();
  successors_run_where_they_belong();
  what_is_no_domain_means_ones_own();
  domain_that_cannot_go_on();
  return 0;
}

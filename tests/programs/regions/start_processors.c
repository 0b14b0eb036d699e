// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a team start away from their creator's processor, but the program sees nothing of
// that: each thread may use the processors that its creator may, from the first statement on; and
// where a sandbox forbids to choose processors there are as many threads as otherwise. What the
// creator binds itself to in the region is its own affair.
// Naive versions: threads keep the processors they started with, copy what their creator may use by
// then, or none is started.
// xomp-test: flags=-D_GNU_SOURCE threads=2 compilers=gcc,clang
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "process.h"

static cpu_set_t all;

static void team_uses(const cpu_set_t* expected, int threads) {
  int right = 0, begun = 0;
#pragma omp parallel num_threads(threads) reduction(+ : right, begun)
  {
    cpu_set_t mine;
    CHECK(sched_getaffinity(0, sizeof mine, &mine) == 0);
    right += CPU_EQUAL(&mine, expected) != 0;
    begun += 1;
  }
  CHECK(begun == threads);
  CHECK(right == threads);
}

static void threads_use_the_creators_processors(void) {
  team_uses(&all, 2);
  team_uses(&all, 4); // the new two perhaps beyond the processors
}

static void threads_of_a_bound_creator(void) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  team_uses(&one, 2);
}

static void creator_binds_itself_in_the_region(void) {
  cpu_set_t other = all;
#pragma omp parallel num_threads(2)
  {
    cpu_set_t mine, one;
    if (omp_get_thread_num() == 0) {
      CPU_ZERO(&one);
      CPU_SET(sched_getcpu(), &one);
      CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    }
#pragma omp barrier
    CHECK(sched_getaffinity(0, sizeof mine, &mine) == 0);
    if (omp_get_thread_num() == 1)
      other = mine;
  }
  CHECK(CPU_EQUAL(&other, &all));
}

// From here on the kernel answers EPERM to sched_setaffinity.
static void forbid_choosing(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
  CHECK(sched_setaffinity(0, sizeof all, &all) == -1 && errno == EPERM);
}

static void threads_in_a_sandbox(void) {
  forbid_choosing();
  team_uses(&all, 2);
  team_uses(&all, 3);
}

static void in_child(void (*test)(void)) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    test();
    exit(0);
  }
  expect_exit(child, 0);
}

int main(void) {
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  // Each in a process of its own: with a team that has no threads yet.
  in_child(threads_use_the_creators_processors);
  in_child(threads_of_a_bound_creator);
  for (int i = 0; i < 12; ++i)
    in_child(creator_binds_itself_in_the_region);
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
    return 77; // no sandboxes here: an emulator
  in_child(threads_in_a_sandbox);
  return 0;
}

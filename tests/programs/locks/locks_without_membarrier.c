// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks that threads sleep for, where the system refuses membarrier, as some sandboxes do.
// xomp-test: threads=2,8 barriers=tree timeout=60 skip=tsan compilers=gcc,clang
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { kRounds = 400, kEach = 16 };

// 77: this system lets no filter be installed.
static void refuse_membarrier(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38), // ENOSYS
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program, 0, 0))
    exit(77);
  CHECK(syscall(SYS_membarrier, 0, 0, 0) == -1);
}

int main(void) {
  refuse_membarrier();
  omp_lock_t lock;
  omp_init_lock(&lock);
  long entries = 0, regions = 0;
#pragma omp parallel
  for (int i = 0; i < kRounds; i++) {
    omp_set_lock(&lock);
    entries++;
    if (i % kEach == 0) // the others fall asleep
      nanosleep(&(struct timespec){.tv_nsec = 100000}, 0);
    omp_unset_lock(&lock);
#pragma omp critical
    regions++;
  }
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  CHECK(entries == (long)kRounds * threads && regions == entries);
  omp_destroy_lock(&lock);
  return 0;
}

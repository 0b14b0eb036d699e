// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program as if the kernel were Linux 4.18: each system call that is newer is answered with
// ENOSYS, as an older kernel does.
//   old_kernel PROGRAM ARGUMENTS...
// 77: this system lets no filter be installed.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// 4.18 brought these two; all later calls have higher numbers.
enum { kNewest = SYS_rseq > SYS_io_pgetevents ? SYS_rseq : SYS_io_pgetevents };
enum { kPidfdOpen = 434, kFutexWaitv = 449 }; // of all architectures; Linux 5.3 and 5.16

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: old_kernel PROGRAM ARGUMENTS...\n");
    return 2;
  }
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kNewest, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("old_kernel: no filter");
    return 77;
  }
  if (syscall(kPidfdOpen, getpid(), 0) >= 0 || errno != ENOSYS ||
      syscall(kFutexWaitv, NULL, 0, 0, NULL, 0) >= 0 || errno != ENOSYS) {
    fprintf(stderr, "old_kernel: newer system calls are answered\n");
    return 1;
  }
  execv(argv[1], argv + 1);
  perror(argv[1]);
  return 127;
}

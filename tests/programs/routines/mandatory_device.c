// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Under OMP_TARGET_OFFLOAD=mandatory a device memory routine that names a device that does not
// exist ends the process with a message, as device constructs do; the host may be named as ever,
// and without the variable the routines answer.
// Not by clang, whose programs have these routines from libomptarget.
// xomp-test: threads=1 barriers=tree
#include <omp.h>

#include "process.h"

enum { kNowhere = 7, kRoutines = 8 };

static int call(int routine, int device) {
  static char a[8], b[8];
  size_t one[] = {4}, zero[] = {0};
  int host = omp_get_initial_device();
  switch (routine) {
  case 0:
    omp_target_free(omp_target_alloc(8, device), device);
    return 0;
  case 1:
    return omp_target_memcpy(a, b, 8, 0, 0, device, host);
  case 2:
    return omp_target_memcpy(a, b, 8, 0, 0, host, device);
  case 3:
    return omp_target_memcpy_rect(a, b, 1, 1, one, zero, zero, one, one, device, host);
  case 4:
    return omp_target_is_present(a, device);
  case 5:
    return omp_target_associate_ptr(a, b, 8, 0, device);
  case 6:
    return omp_target_disassociate_ptr(a, device);
  default:
    omp_target_free(device == kNowhere ? a : NULL, device);
    return 0;
  }
}

int main(int count, char** arguments) {
  if (count > 1) {
    call(atoi(arguments[1]) / 2, atoi(arguments[1]) % 2 ? kNowhere : omp_get_initial_device());
    puts("went on");
    return 0;
  }
  for (int i = 0; i < 2 * kRoutines; ++i) {
    char argument[8];
    snprintf(argument, sizeof argument, "%d", i);
    struct outcome mandatory = run_self(argument, "OMP_TARGET_OFFLOAD=mandatory", NULL);
    CHECK(WIFEXITED(mandatory.status));
    if (i % 2) {
      CHECK(WEXITSTATUS(mandatory.status) == 1);
      CHECK(strstr(mandatory.output, "OMP_TARGET_OFFLOAD is set to MANDATORY"));
    } else {
      CHECK(strstr(mandatory.output, "went on"));
    }
    CHECK(strstr(run_self(argument, NULL, NULL).output, "went on"));
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "locality.h"

#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int omp_get_num_locality_domains(void) __attribute__((weak));
extern void omp_child_task_affinity(int domain) __attribute__((weak));

int locality_domains(void) {
  return omp_get_num_locality_domains != NULL ? omp_get_num_locality_domains() : 1;
}

void locality_children(int domain) {
  if (omp_child_task_affinity != NULL)
    omp_child_task_affinity(domain);
}

void locality_be_strict(char** arguments) {
  static const char name[] = "XOMP_LOCALITY", strict[] = "strict";
  const char* now = getenv(name);
  if (now != NULL && strcmp(now, strict) == 0)
    return;
  setenv(name, strict, 1);
  execv("/proc/self/exe", arguments);
  app_reject("cannot start again in strict mode: %s", strerror(errno));
}

void locality_note(void) {
  if (omp_get_num_locality_domains != NULL && omp_child_task_affinity != NULL)
    app_note("locality=%d", locality_domains());
  else
    app_note("locality=unavailable");
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of constructs share: each has functions ok_NAME and race_NAME, and a list of them.
#pragma once
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kTasks = 24, kMost = 64 };

static volatile int sink;

// Long enough for other threads to take the next task. Orders nothing.
static inline void pause_briefly(void) {
  struct timespec time = {0, 300000};
  nanosleep(&time, NULL);
}

static inline void expect(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "wrong result: %s\n", what);
    exit(3);
  }
}

#define EXPECT(condition) expect(condition, #condition)

// The sanitizer's own words for an order that Archer does not know (docs/races.md).
void AnnotateHappensBefore(const char* file, int line, const volatile void* what);
void AnnotateHappensAfter(const char* file, int line, const volatile void* what);
#define POSTS(what) AnnotateHappensBefore(__FILE__, __LINE__, what)
#define HAS_WAITED(what) AnnotateHappensAfter(__FILE__, __LINE__, what)

struct Part {
  const char* name; // NULL: the list ends
  void (*ok)(void);
  void (*race)(void);
};
#define PART(name) {#name, ok_##name, race_##name}

extern const struct Part region_parts[], exclusion_parts[], worksharing_parts[], task_parts[],
    dependence_parts[], reduction_parts[];

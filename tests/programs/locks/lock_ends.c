// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A release does not touch the lock any more once it is free: whoever has it next may end its life
// at that moment. Here the processor traps after each instruction of the release, and the lock's
// memory is taken away as soon as another thread could have the lock.
// xomp-test: threads=1,4 barriers=tree timeout=60 skip=tsan compilers=gcc,clang
#define _GNU_SOURCE
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

#ifdef __x86_64__
enum { kPage = 4096 };

static void* page;
static int steps, free_after; // instructions of the release, and those before the lock was free

// Of either kind, the first four bytes; the lowest byte is 0 when nobody has it.
static void look(int signal) {
  (void)signal;
  steps++;
  if (free_after || *(volatile unsigned char*)page)
    return;
  free_after = steps;
  CHECK(mprotect(page, kPage, PROT_NONE) == 0);
}

// The flag that makes the processor trap.
static void step(int on) {
  unsigned long flags;
  __asm__ volatile("pushfq; pop %0" : "=r"(flags));
  flags = on ? flags | 0x100 : flags & ~0x100UL;
  __asm__ volatile("push %0; popfq" : : "r"(flags) : "cc", "memory");
}

static void check(void (*release)(void)) {
  steps = free_after = 0;
  step(1);
  release();
  step(0);
  CHECK(free_after > 0 && steps > free_after);
  CHECK(mprotect(page, kPage, PROT_READ | PROT_WRITE) == 0);
  memset(page, 0, kPage);
}

static void release_lock(void) { omp_unset_lock(page); }
#ifndef __clang__ // whose nestable lock lies elsewhere
static void release_nest_lock(void) { omp_unset_nest_lock(page); }
#endif

int main(void) {
  page = mmap(0, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  struct sigaction action = {.sa_handler = look};
  CHECK(sigaction(SIGTRAP, &action, 0) == 0);
#pragma omp parallel
#pragma omp critical
  for (int i = 0; i < 10; i++) {
    omp_init_lock(page);
    omp_set_lock(page);
    check(release_lock);
#ifndef __clang__
    omp_init_nest_lock(page);
    omp_set_nest_lock(page);
    check(release_nest_lock);
#endif
  }
  return 0;
}
#else
int main(void) { return 0; }
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each shape is a region whose work grows with the number of threads, so that its ideal makespan
// hardly depends on it. The sizes are multiples of a unit far above what a task costs. In most
// shapes a scheduler that leaves nobody idle beside a ready task comes close to the ideal in
// whatever order it takes them; `parents`, `chains` and `priorities` also show the order: who
// begins old tasks late has long work left at the end.
#include "shapes.h"

#include <omp.h>
#include <stdlib.h>

static long one(int threads) {
  (void)threads;
  return 1;
}

// A taskloop with one long iteration in 16.
enum { kIterations = 32, kOneIn = 16, kLongIteration = 8 };

static void run_taskloop(int threads) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < kIterations * threads; i++)
    work(i % kOneIn == kOneIn / 2 ? kLongIteration : 1);
}

static long total_taskloop(int threads) {
  return threads * (kIterations + kIterations / kOneIn * (kLongIteration - 1L));
}

static long path_taskloop(int threads) {
  (void)threads;
  return kLongIteration;
}

// What `producer`, `parents`, `long-first`, `producers` and `overlap` are to take at best.
enum { kSpan = 16 };

static long span(int threads) {
  (void)threads;
  return kSpan;
}

static long span_for_each(int threads) { return (long)kSpan * threads; }

// A producer that creates tasks for the others and then works itself.
static void run_producer(int threads) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kSpan * (threads - 1); i++) {
#pragma omp task
      work(1);
    }
    work(kSpan);
  }
}

// Tasks for half of the threads create children for the other half, and then work themselves.
static int parents(int threads) { return threads > 1 ? threads / 2 : 1; }

static void run_parents(int threads) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < parents(threads); i++) {
#pragma omp task
    {
      for (int j = 0; j < kSpan; j++) {
#pragma omp task
        work(1);
      }
      work(kSpan);
    }
  }
}

static long total_parents(int threads) { return 2L * kSpan * parents(threads); }

// A mix of long and short tasks in no order.
enum { kMixed = 16, kLongOfMix = 6 };

static long mixed_size(int task) {
  unsigned drawn = (unsigned)task * 2654435761u >> 28; // 0 to 15
  return drawn < 3 ? kLongOfMix : 1;
}

static void run_mixed(int threads) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kMixed * threads; i++) {
#pragma omp task
    work(mixed_size(i));
  }
}

static long total_mixed(int threads) {
  long total = 0;
  for (int i = 0; i < kMixed * threads; i++)
    total += mixed_size(i);
  return total;
}

static long path_mixed(int threads) {
  (void)threads;
  return kLongOfMix;
}

// A recursion of which only the leaves work: one branch holds seven eighths of them, or, where each
// call waits for its two, as recursions that return something do, three quarters.
enum { kLeaves = 16 };

static int fewer(int leaves, int share) { return leaves < share ? 1 : leaves / share; }

static void skewed(int leaves) {
  if (leaves == 1) {
    work(1);
    return;
  }
#pragma omp task
  skewed(leaves - fewer(leaves, 8));
#pragma omp task
  skewed(fewer(leaves, 8));
}

static void run_skewed(int threads) {
#pragma omp parallel
#pragma omp single
  skewed(kLeaves * threads);
}

static void skewed_waits(int leaves) {
  if (leaves == 1) {
    work(1);
    return;
  }
#pragma omp task
  skewed_waits(leaves - fewer(leaves, 4));
#pragma omp task
  skewed_waits(fewer(leaves, 4));
#pragma omp taskwait
}

static void run_skewed_waits(int threads) {
#pragma omp parallel
#pragma omp single
  skewed_waits(kLeaves * threads);
}

static long total_skewed(int threads) { return (long)kLeaves * threads; }

// One long task before many short ones.
static void run_long_first(int threads) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    work(kSpan);
    for (int i = 0; i < kSpan * (threads - 1); i++) {
#pragma omp task
      work(1);
    }
  }
}

// Twice as many dependence chains as threads, every other one three times as long as its
// neighbours.
enum { kLongChain = 12, kShortChain = 4 };

static int chain_length(int chain) { return chain % 2 ? kShortChain : kLongChain; }

static void run_chains(int threads) {
  int chains = 2 * threads;
  char* link = calloc((size_t)chains, 1);
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < kLongChain; step++) {
    for (int chain = 0; chain < chains; chain++) {
      if (step < chain_length(chain)) {
#pragma omp task depend(inout : link[chain])
        work(1);
      }
    }
  }
  free(link);
}

static long total_chains(int threads) { return (long)threads * (kLongChain + kShortChain); }

static long path_chains(int threads) {
  (void)threads;
  return kLongChain;
}

// A taskgroup of tasks, each of which goes through three taskgroups of its own; every other one has
// three times as many tasks in them.
enum { kPhases = 3, kManyMembers = 6, kFewMembers = 2 };

static int members(int group) { return group % 2 ? kManyMembers : kFewMembers; }

static void run_groups(int threads) {
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int group = 0; group < threads; group++) {
#pragma omp task
    for (int phase = 0; phase < kPhases; phase++) {
#pragma omp taskgroup
      {
        for (int i = 0; i < members(group); i++) {
#pragma omp task
          work(1);
        }
        work(1);
      }
    }
  }
}

static long total_groups(int threads) {
  long total = 0;
  for (int group = 0; group < threads; group++)
    total += (long)kPhases * (members(group) + 1);
  return total;
}

static long path_groups(int threads) {
  (void)threads;
  return kPhases;
}

// Several producers, a quarter of the threads; every other one creates three times as many tasks.
static int producers(int threads) { return threads < 8 ? 2 : threads / 4; }

static int products(int producer, int threads) {
  int mean = kSpan * threads / producers(threads);
  return producer % 2 ? mean - mean / 2 : mean + mean / 2;
}

static void run_producers(int threads) {
#pragma omp parallel
  {
    int apart = threads < producers(threads) ? 1 : threads / producers(threads);
    for (int producer = 0; producer < producers(threads); producer++) {
      if (omp_get_thread_num() == producer * apart % threads) {
        for (int i = 0; i < products(producer, threads); i++) {
#pragma omp task
          work(1);
        }
      }
    }
  }
}

static long total_producers(int threads) {
  long total = 0;
  for (int producer = 0; producer < producers(threads); producer++)
    total += products(producer, threads);
  return total;
}

// A tree that unfolds unevenly: a node works and then has three children with five, two and one
// eighth of its descendants.
enum { kNodes = 24 };

static void split(int nodes, int part[3]) {
  part[0] = (nodes - 1) * 5 / 8;
  part[1] = (nodes - 1) / 4;
  part[2] = nodes - 1 - part[0] - part[1];
}

static void unfold(int nodes) {
  int part[3];
  work(1);
  split(nodes, part);
  for (int i = 0; i < 3; i++) {
    if (part[i] > 0) {
#pragma omp task firstprivate(i)
      unfold(part[i]);
    }
  }
}

static void run_tree(int threads) {
#pragma omp parallel
#pragma omp single
  unfold(kNodes * threads);
}

static long total_tree(int threads) { return (long)kNodes * threads; }

static long depth(int nodes) {
  int part[3];
  long deepest = 0;
  split(nodes, part);
  for (int i = 0; i < 3; i++) {
    long below = part[i] > 0 ? depth(part[i]) : 0;
    deepest = below > deepest ? below : deepest;
  }
  return 1 + deepest;
}

static long path_tree(int threads) { return depth(kNodes * threads); }

// Short tasks, and then long ones for half of the threads that have priority over them.
enum { kShortOnes = 12, kLongOne = 8 };

static void run_priorities(int threads) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kShortOnes * threads; i++) {
#pragma omp task
      work(1);
    }
    for (int i = 0; i < parents(threads); i++) {
#pragma omp task priority(1)
      work(kLongOne);
    }
  }
}

static long total_priorities(int threads) {
  return (long)kShortOnes * threads + (long)kLongOne * parents(threads);
}

static long path_priorities(int threads) {
  (void)threads;
  return kLongOne;
}

// One task beside as much work of its creator, then a taskwait, again and again.
enum { kRounds = 8, kBeside = 2 };

static void run_overlap(int threads) {
  (void)threads;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kRounds; i++) {
#pragma omp task
    work(kBeside);
    work(kBeside);
#pragma omp taskwait
  }
}

static long total_overlap(int threads) {
  (void)threads;
  return 2L * kRounds * kBeside;
}

static long path_overlap(int threads) {
  (void)threads;
  return (long)kRounds * kBeside;
}

// One producer of tasks that hold nothing, but for each 50th: what is learnt from a mean misleads.
enum { kTasks = 200000, kOneWorksIn = 50 };

static void run_sparse(int threads) {
  (void)threads;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
#pragma omp task
    if (i % kOneWorksIn == 0)
      work(1);
  }
}

static long total_sparse(int threads) {
  (void)threads;
  return kTasks / kOneWorksIn;
}

const Shape kShapes[] = {
    {"taskloop", "a taskloop with one long iteration in 16", run_taskloop, total_taskloop,
     path_taskloop, kSleeping},
    {"producer", "a producer creates tasks and then works itself", run_producer, span_for_each,
     span, kSleeping},
    {"parents", "tasks create children and then work", run_parents, total_parents, span, kSleeping},
    {"mixed", "long and short tasks in no order", run_mixed, total_mixed, path_mixed, kSleeping},
    {"skewed", "a recursion with seven eighths on one side", run_skewed, total_skewed, one,
     kSleeping},
    {"skewed-waits", "a recursion with three quarters on one side, and a taskwait",
     run_skewed_waits, total_skewed, one, kSleeping},
    {"long-first", "one long task before many short ones", run_long_first, span_for_each, span,
     kSleeping},
    {"chains", "dependence chains of different length", run_chains, total_chains, path_chains,
     kSleeping},
    {"groups", "nested taskgroups of different size", run_groups, total_groups, path_groups,
     kSleeping},
    {"producers", "several producers of different strength", run_producers, total_producers, one,
     kSleeping},
    {"tree", "a tree that unfolds unevenly", run_tree, total_tree, path_tree, kSleeping},
    {"priorities", "long tasks with priority after short ones", run_priorities, total_priorities,
     path_priorities, kSleeping, .has_priorities = 1},
    {"overlap", "one task beside its creator's own work", run_overlap, total_overlap, path_overlap,
     kSleeping},
    {"sparse", "200,000 tasks, each 50th computes for 100 us", run_sparse, total_sparse, one,
     kComputing},
    {0},
};

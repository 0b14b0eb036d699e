// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search: counts the nodes of a tree that is generated while it is searched.
// `paper` makes a task per node with children (paper 2, Fig. 1), `bots` one per node, as the
// Barcelona suite and paper 1 do. On request a run counts the tasks that were moved to another
// thread than their parent's (paper 2, section 5.3).
#include "uts.h"

#include <omp.h>
#include <stdlib.h>

static long count_moved;

enum { kCacheLine = 64, kNotCounting = -1 };

static struct {
  _Alignas(kCacheLine) uint64_t count;
}* moved; // by thread

// At the start of a task: counts it if it was moved from the thread of its parent; returns the
// thread on which it is.
static int note_thread(int parents) {
  if (parents == kNotCounting)
    return kNotCounting;
  int own = omp_get_thread_num();
  moved[own].count += own != parents;
  return own;
}

static Count search_paper(const Node* parent, uint64_t depth, int parents_thread) {
  int thread = note_thread(parents_thread);
  int count = parent->children;
  Node node[count];
  Count partial[count];
  for (int i = 0; i < count; i++) {
    Node* child = &node[i];
    make_child(&tree, granularity, child, parent, i);
    if (child->children > 0) {
#pragma omp task untied firstprivate(i, child, depth, thread) shared(partial)
      partial[i] = search_paper(child, depth + 1, thread);
    } else {
      partial[i] = (Count){1, 1, depth + 1};
    }
  }
#pragma omp taskwait
  return combine(partial, count, depth);
}

static Count search_bots(const Node* parent, uint64_t depth, int parents_thread) {
  int thread = note_thread(parents_thread);
  int count = parent->children;
  if (count == 0)
    return combine(NULL, 0, depth);
  Node node[count];
  Count partial[count];
  for (int i = 0; i < count; i++) {
    Node* child = &node[i];
    make_child(&tree, granularity, child, parent, i);
#pragma omp task untied firstprivate(i, child, depth, thread) shared(partial)
    partial[i] = search_bots(child, depth + 1, thread);
  }
#pragma omp taskwait
  return combine(partial, count, depth);
}

static void run(Count (*search)(const Node*, uint64_t, int)) {
#pragma omp parallel
#pragma omp single nowait
  {
    int thread = count_moved ? omp_get_thread_num() : kNotCounting;
#pragma omp task untied
    found = search(&root, 0, thread);
  }
}

static void run_paper(void) { run(search_paper); }

static void run_bots(void) { run(search_bots); }

static void run_serial(void) { found = search_serial(&root, 0); }

static const Variant kVariants[] = {
    {"paper", "an untied task per node with children", run_paper},
    {"bots", "an untied task per node", run_bots},
    {"serial", "no OpenMP", run_serial},
    {0},
};

static const Parameter kParameters[] = {
    UTS_PARAMETERS,
    {"count-moved",
     "1 to count the tasks moved to another thread",
     kInteger,
     &count_moved,
     {"0", "0", "0", "0"},
     0,
     1},
    {0},
};

static void prepare(void) {
  prepare_tree();
  size_t bytes = (size_t)omp_get_max_threads() * sizeof *moved;
  moved = aligned_alloc(kCacheLine, bytes);
  if (moved == NULL)
    app_reject("no memory for %zu bytes", bytes);
  for (int thread = 0; thread < omp_get_max_threads(); thread++)
    moved[thread].count = 0;
}

static void note_moved(void) {
  uint64_t total = 0;
  for (int thread = 0; thread < app_threads(); thread++)
    total += moved[thread].count;
  app_note("moved=%llu moved_per_thread_second=%.1f", (unsigned long long)total,
           (double)total / app_threads() / app_seconds());
}

static int check(void) {
  uint64_t inner = found.nodes - found.leaves;
  app_tasks(app_variant_has("bots") ? found.nodes : app_variant_has("paper") ? inner : 0);
  if (count_moved)
    note_moved();
  return check_tree();
}

int main(int argc, char** argv) {
  static const App app = {
      "uts", "Unbalanced Tree Search", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}

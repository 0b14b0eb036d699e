// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search: counts the nodes of a tree that is generated while it is searched.
// `paper` makes a task per node with children (paper 2, Fig. 1), `bots` one per node, as the
// Barcelona suite and paper 1 do. On request a run counts the tasks that were moved to another
// thread than their parent's (paper 2, section 5.3).
#include "tree.h"

#include "../../frame/app.h"

#include <omp.h>
#include <stdlib.h>

static const char* tree_name;
static long granularity, count_moved;

static Tree tree;
static Node root;
static Count expected, found;

enum { kCacheLine = 64, kNotCounting = -1 };

static struct {
  _Alignas(kCacheLine) uint64_t count;
}* moved; // by thread

static Count combine(const Count* partial, int count, uint64_t depth) {
  Count total = {1, count == 0, depth};
  for (int i = 0; i < count; i++) {
    total.nodes += partial[i].nodes;
    total.leaves += partial[i].leaves;
    if (partial[i].depth > total.depth)
      total.depth = partial[i].depth;
  }
  return total;
}

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

static Count search_serial(const Node* parent, uint64_t depth) {
  int count = parent->children;
  Node node[count];
  Count partial[count];
  for (int i = 0; i < count; i++) {
    make_child(&tree, granularity, &node[i], parent, i);
    partial[i] =
        node[i].children > 0 ? search_serial(&node[i], depth + 1) : (Count){1, 1, depth + 1};
  }
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

// T3S is the `small` of paper 1 section VI; medium is the `tiny` of its sweeps.
static const Parameter kParameters[] = {
    {"tree",
     "T3, T3S, TINY, B0,Q,M,SEED or the name of an input file",
     kText,
     &tree_name,
     {"TINY", "T3", "2000,0.333332,3,8", "T3S"},
     0,
     0},
    {"granularity", "hashes per node", kInteger, &granularity, {"1", "1", "1", "1"}, 1, 1e9},
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
  choose_tree(tree_name, &tree, &expected, &granularity);
  make_root(&tree, &root);
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

static int agrees(uint64_t known, uint64_t got) { return known == 0 || known == got; }

// Against what is published of the tree, or else the serial search; and the nodes must be the root,
// its children and those of the other inner nodes.
static int check(void) {
  uint64_t inner = found.nodes - found.leaves;
  app_tasks(app_variant_has("bots") ? found.nodes : app_variant_has("paper") ? inner : 0);
  app_note("nodes=%llu leaves=%llu depth=%llu", (unsigned long long)found.nodes,
           (unsigned long long)found.leaves, (unsigned long long)found.depth);
  if (count_moved)
    note_moved();
  if (expected.nodes == 0) {
    granularity = 1; // does not change the tree
    expected = search_serial(&root, 0);
  }
  return found.nodes == 1 + tree.root_children + (inner - 1) * tree.children &&
         agrees(expected.nodes, found.nodes) && agrees(expected.leaves, found.leaves) &&
         agrees(expected.depth, found.depth);
}

int main(int argc, char** argv) {
  static const App app = {
      "uts", "Unbalanced Tree Search", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}

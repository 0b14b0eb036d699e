// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the versions of Unbalanced Tree Search have in common: the tree, the serial search, the
// check.
#ifndef XOMP_BENCH_UTS_H
#define XOMP_BENCH_UTS_H

#include "../../frame/app.h"
#include "tree.h"

static const char* tree_name;
static long granularity;

static Tree tree;
static Node root;
static Count expected, found;

// T3S is the `small` of paper 1 section VI; medium is the `tiny` of its sweeps.
#define UTS_PARAMETERS                                                                             \
  {"tree",                                                                                         \
   "T3, T3S, TINY, B0,Q,M,SEED or the name of an input file",                                      \
   kText,                                                                                          \
   &tree_name,                                                                                     \
   {"TINY", "T3", "2000,0.333332,3,8", "T3S"},                                                     \
   0,                                                                                              \
   0},                                                                                             \
      {"granularity", "hashes per node", kInteger, &granularity, {"1", "1", "1", "1"}, 1, 1e9}

static void prepare_tree(void) {
  choose_tree(tree_name, &tree, &expected, &granularity);
  make_root(&tree, &root);
}

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

static int agrees(uint64_t known, uint64_t got) { return known == 0 || known == got; }

// Against what is published of the tree, or else the serial search; and the nodes must be the root,
// its children and those of the other inner nodes.
static int check_tree(void) {
  uint64_t inner = found.nodes - found.leaves;
  app_note("nodes=%llu leaves=%llu depth=%llu", (unsigned long long)found.nodes,
           (unsigned long long)found.leaves, (unsigned long long)found.depth);
  if (expected.nodes == 0) {
    long asked_for = granularity;
    granularity = 1; // does not change the tree
    expected = search_serial(&root, 0);
    granularity = asked_for;
  }
  return found.nodes == 1 + tree.root_children + (inner - 1) * tree.children &&
         agrees(expected.nodes, found.nodes) && agrees(expected.leaves, found.leaves) &&
         agrees(expected.depth, found.depth);
}

#endif

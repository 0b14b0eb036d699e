// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binomial trees of UTS (Olivier et al., LCPC 2006): what defines one, what is known about some
// of them, and how a node is made from its parent.
#ifndef XOMP_BENCH_UTS_TREE_H
#define XOMP_BENCH_UTS_TREE_H

#include "sha1.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int root_children;  // b0
  double probability; // q: of a node to have children
  int children;       // m: how many it then has
  int seed;
} Tree;

typedef struct {
  uint64_t nodes, leaves, depth;
} Count;

typedef struct {
  uint32_t state[kSha1Words]; // the digest that is the node's identity, as big-endian words
  int children;
} Node;

// Finds the tree that `text` asks for: a name, B0,Q,M,SEED or, below the folder of --data, the name
// of an input file. Of *expected, what is not known is left 0. The file has a granularity, too;
// *granularity is multiplied by it.
void choose_tree(const char* text, Tree* tree, Count* expected, long* granularity);

void make_root(const Tree* tree, Node* root);
void make_child(const Tree* tree, long granularity, Node* child, const Node* parent, int index);

#ifdef __cplusplus
}
#endif

#endif

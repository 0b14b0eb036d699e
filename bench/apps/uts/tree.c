// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tree.h"

#include "../../frame/app.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char* name;
  const char* file; // below uts/ in the folder of --data
  Tree tree;
  Count count; // as published, but for TINY, which is for tests: by another implementation of SHA-1
} kKnown[] = {
    {"T3", "test", {2000, 0.124875, 8, 42}, {4112897, 3599034, 1572}},
    {"T3S", "small", {2000, 0.200014, 5, 7}, {111345631, 89076904, 17844}},
    {"TINY", NULL, {20, 0.124875, 8, 42}, {6213, 5438, 67}},
    {NULL, "tiny", {2000, 0.333332, 3, 8}, {30399117, 0, 0}},
};

// The first line of a published input file: b0, q, m, seed, granularity; nodes, depth and leaves of
// the tree. Where depth and leaves are not known, they are 1.
static void read_tree(const char* name, Tree* tree, Count* expected, long* granularity) {
  char relative[256];
  unsigned long long nodes, depth, leaves;
  int repeat;
  if ((size_t)snprintf(relative, sizeof relative, "uts/%s.input", name) >= sizeof relative)
    app_reject("the name of --tree is too long");
  const char* path = app_data(relative);
  if (path == NULL)
    app_reject("--tree must be T3, T3S, TINY, B0,Q,M,SEED or, with --data, the name of an input "
               "file, not '%s'",
               name);
  FILE* file = fopen(path, "r");
  if (file == NULL)
    app_reject("cannot read %s", path);
  int got = fscanf(file, "%d %lf %d %d %d %llu %llu %llu", &tree->root_children, &tree->probability,
                   &tree->children, &tree->seed, &repeat, &nodes, &depth, &leaves);
  fclose(file);
  if (got != 8 || tree->root_children < 1 || tree->children < 1 || tree->probability < 0 ||
      tree->probability >= 1 || repeat < 1)
    app_reject("%s does not begin with b0, q, m, seed, granularity, nodes, depth and leaves", path);
  int only_nodes = depth == 1 && leaves == 1;
  *expected = (Count){nodes, only_nodes ? 0 : leaves, only_nodes ? 0 : depth};
  *granularity *= repeat;
}

static void parse_tree(const char* text, Tree* tree, Count* expected) {
  char rest;
  if (sscanf(text, "%d,%lf,%d,%d%c", &tree->root_children, &tree->probability, &tree->children,
             &tree->seed, &rest) != 4 ||
      tree->root_children < 1 || tree->children < 1 || tree->probability < 0 ||
      tree->probability * tree->children >= 1)
    app_reject("--tree must be B0,Q,M,SEED with B0 and M from 1 and Q * M below 1, not '%s'", text);
  for (size_t i = 0; i < sizeof kKnown / sizeof *kKnown; i++) {
    const Tree* known = &kKnown[i].tree;
    if (known->root_children == tree->root_children && known->probability == tree->probability &&
        known->children == tree->children && known->seed == tree->seed)
      *expected = kKnown[i].count;
  }
}

void choose_tree(const char* text, Tree* tree, Count* expected, long* granularity) {
  *expected = (Count){0, 0, 0};
  if (strchr(text, ',') != NULL) {
    parse_tree(text, tree, expected);
    return;
  }
  const char* file = text;
  for (size_t i = 0; i < sizeof kKnown / sizeof *kKnown; i++) {
    if (kKnown[i].name == NULL || strcmp(kKnown[i].name, text) != 0)
      continue;
    *tree = kKnown[i].tree;
    *expected = kKnown[i].count;
    if (kKnown[i].file == NULL || app_data("") == NULL)
      return;
    file = kKnown[i].file;
  }
  read_tree(file, tree, expected, granularity);
}

// SHA-1 of a message that ends in `number`: the parent's digest (20 bytes, or 16 zero bytes for the
// root) and the child's index (or the seed). Either message fits into one padded block.
static void hash_node(Node* node, const uint32_t* prefix, int prefix_words, uint32_t number) {
  uint32_t block[kSha1BlockWords] = {0};
  memcpy(block, prefix, prefix_words * sizeof *prefix);
  block[prefix_words] = number;
  block[prefix_words + 1] = 0x80000000;
  block[kSha1BlockWords - 1] = 32 * (prefix_words + 1);
  memcpy(node->state, kSha1Initial, sizeof node->state);
  sha1_block(node->state, block);
}

void make_root(const Tree* tree, Node* root) {
  static const uint32_t zeros[4];
  hash_node(root, zeros, 4, (uint32_t)tree->seed);
  root->children = tree->root_children;
}

void make_child(const Tree* tree, long granularity, Node* child, const Node* parent, int index) {
  for (long i = 0; i < granularity; i++)
    hash_node(child, parent->state, kSha1Words, (uint32_t)index);
  // The random number of a node is the last word of its digest without the sign bit.
  double value = (child->state[kSha1Words - 1] & 0x7fffffff) / 2147483648.0;
  child->children = value < tree->probability ? tree->children : 0;
}

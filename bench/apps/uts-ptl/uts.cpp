// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search in PTL: the tasks of the application uts, one per node with children or
// one per node.
#include "../uts/uts.h"
#include "../../frame/threads_ptl.h"

#include <vector>

static Count search(const Node* parent, uint64_t depth, bool task_per_leaf) {
  int count = parent->children;
  if (count == 0)
    return combine(nullptr, 0, depth);
  std::vector<Node> node(count);
  std::vector<Count> partial(count);
  PTL::TaskGroup<void> tasks(threads_pool());
  for (int i = 0; i < count; i++) {
    Node* child = &node[i];
    make_child(&tree, granularity, child, parent, i);
    if (child->children > 0 || task_per_leaf)
      tasks.run([=, &partial] { partial[i] = search(child, depth + 1, task_per_leaf); });
    else
      partial[i] = {1, 1, depth + 1};
  }
  tasks.wait();
  return combine(partial.data(), count, depth);
}

static void run_paper() {
  run_in_pool([] { found = search(&root, 0, false); });
}

static void run_bots() {
  run_in_pool([] { found = search(&root, 0, true); });
}

static void run_serial() { found = search_serial(&root, 0); }

static const Variant kVariants[] = {
    {"paper", "a task of a TaskGroup per node with children", run_paper},
    {"bots", "a task of a TaskGroup per node", run_bots},
    {"serial", "no tasks", run_serial},
    {},
};

static const Parameter kParameters[] = {UTS_PARAMETERS, {}};

// The root is searched by no task of its own.
static int check() {
  uint64_t inner = found.nodes - found.leaves;
  app_tasks(app_variant_has("bots") ? found.nodes - 1 : app_variant_has("paper") ? inner - 1 : 0);
  return check_tree();
}

int main(int argc, char** argv) {
  static const App app = {
      "uts-ptl", "Unbalanced Tree Search in PTL", kVariants, kParameters, prepare_tree, check,
  };
  return app_main(&app, argc, argv);
}

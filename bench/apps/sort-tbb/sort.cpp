// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merge sort with parallel merges in oneTBB: the tasks of the application sort.
#include "../../frame/threads_tbb.h"
#include "../sort/problem.h"

#include <oneapi/tbb/task_group.h>

#include <numeric>

static uint64_t tasks;

// Both functions return how many tasks they made.
static uint64_t merge_parts(const Key* a, long a_count, const Key* b, long b_count, Key* to) {
  if (a_count <= merge || b_count <= merge) {
    merge_serially(a, a_count, b, b_count, to);
    return 0;
  }
  Cut at = cut(a, a_count, b, b_count);
  uint64_t first, second;
  tbb::task_group halves;
  halves.run(
      [&] { first = merge_parts(at.longer, at.longer_first, at.shorter, at.shorter_first, to); });
  halves.run([&] {
    second = merge_parts(at.longer + at.longer_first, at.longer_count - at.longer_first,
                         at.shorter + at.shorter_first, at.shorter_count - at.shorter_first,
                         to + at.longer_first + at.shorter_first);
  });
  halves.wait();
  return first + second + 2;
}

static uint64_t sort_quarters(Key* own, Key* other, long count) {
  if (count < quick) {
    sort_serially(own, count, insertion);
    return 0;
  }
  long part = count / 4;
  const long begin[] = {0, part, 2 * part, 3 * part, count};
  uint64_t made[6];
  tbb::task_group parts;
  for (int i = 0; i < 4; i++)
    parts.run([&, i] {
      made[i] = sort_quarters(own + begin[i], other + begin[i], begin[i + 1] - begin[i]);
    });
  parts.wait();
  for (int i = 0; i < 4; i += 2)
    parts.run([&, i] {
      made[4 + i / 2] = merge_parts(own + begin[i], begin[i + 1] - begin[i], own + begin[i + 1],
                                    begin[i + 2] - begin[i + 1], other + begin[i]);
    });
  parts.wait();
  return merge_parts(other, begin[2], other + begin[2], count - begin[2], own) +
         std::accumulate(made, made + 6, uint64_t{6});
}

static void run_group() {
  threads_arena().execute([] { tasks = sort_quarters(keys, room, n); });
}

static void run_serial() { serial(keys, room, n); }

static const Variant kVariants[] = {
    {"group", "tasks of a task_group", run_group},
    {"serial", "no tasks", run_serial},
    {},
};

static int check() {
  app_tasks(tasks);
  return sorted();
}

int main(int argc, char** argv) {
  static const App app = {
      "sort-tbb", "Parallel merge sort in oneTBB", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strassen's matrix product in oneTBB: the tasks of the application strassen, one per product.
#include "../../frame/threads_tbb.h"
#include "../strassen/problem.h"

#include <oneapi/tbb/task_group.h>

static void product(Matrix x, Matrix y, Matrix z, std::size_t size, long levels) {
  if (static_cast<long>(size) <= block || levels == 0) {
    serial(x, y, z, size);
    return;
  }
  Level level;
  begin_level(&level, x, y, z, size / 2);
  tbb::task_group products;
  for (int i = 0; i < kProducts; i++)
    products.run([&level, i, size, levels] {
      product(level.left[i], level.right[i], level.result[i], size / 2, levels - 1);
    });
  products.wait();
  end_level(&level, z, size / 2);
}

static void run_with(long levels) {
  auto order = static_cast<std::size_t>(n);
  threads_arena().execute([=] { product({a, order}, {b, order}, {c, order}, order, levels); });
}

static void run_group() { run_with(-1); } // tasks on all levels

static void run_manual() { run_with(cutoff); }

static void run_serial() {
  auto order = static_cast<std::size_t>(n);
  serial({a, order}, {b, order}, {c, order}, order);
}

static const Variant kVariants[] = {
    {"group", "a task of a task_group per product", run_group},
    {"group-manual", "the serial code below the cut-off", run_manual},
    {"serial", "no tasks", run_serial},
    {},
};

int main(int argc, char** argv) {
  static const App app = {
      "strassen-tbb", "Strassen's matrix product in oneTBB", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}

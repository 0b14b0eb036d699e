// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fast Fourier transform in oneTBB: the tasks of the application fft.
#include "../../frame/threads_tbb.h"
#include "../fft/problem.h"

#include <oneapi/tbb/task_group.h>

using Step = void (*)(const Level*, const Complex*, Complex*, long, long);

// The step from low to high - 1, halved into tasks until at most `chunk` turns are left.
static void halve(Step step, const Level* level, const Complex* in, Complex* out, long low,
                  long high) {
  if (high - low <= chunk) {
    step(level, in, out, low, high);
    return;
  }
  long middle = low + (high - low) / 2;
  tbb::task_group halves;
  halves.run([=] { halve(step, level, in, out, low, middle); });
  halves.run([=] { halve(step, level, in, out, middle, high); });
  halves.wait();
}

static void transform_parts(const Level* level, Complex* in, Complex* out) {
  if (level->size <= leaf) {
    transform(level, in, out);
    return;
  }
  long part = level->part;
  halve(gather, level, in, out, 0, part);
  tbb::task_group parts;
  for (int k = 0; k < level->radix; k++)
    parts.run([=] { transform_parts(level + 1, out + k * part, in + k * part); });
  parts.wait();
  halve(combine, level, in, out, 0, part);
}

static void run_group() {
  threads_arena().execute([] { transform_parts(plan, input, output); });
}

static void run_serial() { transform(plan, input, output); }

static const Variant kVariants[] = {
    {"group", "tasks of a task_group", run_group},
    {"serial", "no tasks", run_serial},
    {},
};

int main(int argc, char** argv) {
  static const App app = {
      "fft-tbb", "Fast Fourier transform in oneTBB", kVariants, kParameters, prepare, check,
  };
  return app_main(&app, argc, argv);
}

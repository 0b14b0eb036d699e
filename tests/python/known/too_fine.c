// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tree of tasks that do nothing but make others, large enough for the start of the program not to
// count.
static void tree(int depth) {
  if (depth == 0)
    return;
  for (int i = 0; i < 2; i++) {
#pragma omp task
    tree(depth - 1);
  }
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  tree(17);
}

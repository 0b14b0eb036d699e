// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "task/box.h"

namespace xomp {

void Box::run(void* memory) {
  Box box = *static_cast<Box*>(memory);
  box.body(box.block);
  Worker& worker = *self;
  if (&worker == box.owner)
    worker.heap.free(box.block, box.size);
  else
    box.owner->heap.free_remote(box.block, box.size);
}

Box pack(Worker& worker, const TaskSpec& spec) {
  XOMP_ASSERT(fits_in_box(spec.size, spec.align));
  std::size_t size = Heap::size_for(spec.size);
  Box box{spec.body, worker.heap.allocate(size), &worker, size};
  make_arguments(box.block, spec);
  return box;
}

} // namespace xomp

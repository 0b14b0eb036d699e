// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/papers/ring_matrix.h"

#include "sys/memory.h"

namespace xomp {
namespace {

template <class T> T* new_row(int size) {
  return static_cast<T*>(sys::allocate_zeroed(sizeof(T) * static_cast<std::size_t>(size)));
}

} // namespace

void reserve_rings(RingMatrix& matrix, int count) {
  if (count <= matrix.capacity)
    return;
  if (matrix.out) {
    TaskRing** row = new_row<TaskRing*>(count);
    for (int i = 0; i < matrix.capacity; ++i)
      row[i] = matrix.out[i];
    sys::release(matrix.out);
    matrix.out = row;
  }
  if (auto* old = matrix.in.load(std::memory_order_relaxed)) {
    auto* row = new_row<std::atomic<TaskRing*>>(count);
    for (int i = 0; i < matrix.capacity; ++i)
      row[i].store(old[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    sys::release(old);
    matrix.in.store(row, std::memory_order_relaxed);
  }
  matrix.capacity = count;
}

void free_rings(RingMatrix& matrix) {
  for (int i = 0; matrix.out && i < matrix.capacity; ++i) {
    if (matrix.out[i])
      TaskRing::destroy(matrix.out[i]);
  }
  sys::release(matrix.out);
  sys::release(matrix.in.load(std::memory_order_relaxed));
}

TaskRing* lay_out_ring(Port& port, int target) {
  RingMatrix& matrix = matrix_of(port);
  if (!matrix.out)
    matrix.out = new_row<TaskRing*>(matrix.capacity);
  TaskRing* ring = matrix.out[target] = TaskRing::create(settings.queue_size);
  RingMatrix& consumer = matrix_of(*port.peers[target]);
  auto* row = consumer.in.load(std::memory_order_acquire);
  if (!row) {
    auto* fresh = new_row<std::atomic<TaskRing*>>(consumer.capacity);
    // Release: the row's nulls come before its address. Acquire: another producer's row, if it was
    // faster.
    if (consumer.in.compare_exchange_strong(row, fresh, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
      row = fresh;
    else
      sys::release(fresh);
  }
  // Release: the consumer must see the ring's slots before its address.
  row[port.id].store(ring, std::memory_order_release);
  return ring;
}

} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// l: the scheduler of Qthreads with LIFO queues (paper 5, section 3 and Table 1). Each worker has a
// LIFO under a lock; tasks are dealt out round robin, and nobody steals.
#include "queue/locked_deque.h"
#include "sched/papers/per_worker.h"

namespace xomp {
namespace {

class Lifo {
public:
  uint32_t size() const { return deque.size(); }
  bool push(DeferredTask* task) { return deque.push(task, settings.queue_size); }
  template <class Choose> DeferredTask* take(Choose pick, uint32_t most) {
    return deque.take_newest(pick, most);
  }
  void after_fork() { deque.after_fork(); }

private:
  LockedDeque<DeferredTask> deque;
};

using L = PerWorker<Lifo>;

} // namespace

extern const Policy kLPolicy;
constinit const Policy kLPolicy{.open = L::open,
                                .close = L::close,
                                .has_room = L::has_room,
                                .put = L::put,
                                .take = L::take,
                                .after_fork = L::after_fork};

} // namespace xomp

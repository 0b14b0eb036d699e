// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// q: the stock scheduler of Qthreads (paper 5, section 3 and Table 1). Each worker has a FIFO
// without locks; tasks are dealt out round robin, and nobody steals.
#include "queue/mpsc_ring.h"
#include "sched/papers/per_worker.h"

namespace xomp {
namespace {

/// The ring is laid out when it first gets a task.
class Fifo {
public:
  Fifo() = default;
  ~Fifo() { Ring::destroy(ring.load(std::memory_order_relaxed)); }
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  uint32_t size() const {
    // Acquire: the ring's words come before its address.
    const Ring* laid_out = ring.load(std::memory_order_acquire);
    return laid_out ? laid_out->size() : 0;
  }
  bool push(DeferredTask* task) {
    Ring* laid_out = ring.load(std::memory_order_acquire);
    if (!laid_out) [[unlikely]]
      laid_out = lay_out();
    return laid_out->push(task);
  }
  template <class Choose> DeferredTask* take(Choose pick, uint32_t most) {
    return ring.load(std::memory_order_acquire)->take(pick, most);
  }

private:
  using Ring = MpscRing<DeferredTask>;

  [[gnu::cold]] Ring* lay_out() {
    Ring* fresh = Ring::create(settings.queue_size);
    Ring* there = nullptr;
    // Release publishes the ring, acquire takes another producer's, if it was faster.
    if (ring.compare_exchange_strong(there, fresh, std::memory_order_acq_rel,
                                     std::memory_order_acquire))
      return fresh;
    Ring::destroy(fresh);
    return there;
  }

  std::atomic<Ring*> ring{nullptr};
};

using Q = PerWorker<Fifo>;

} // namespace

extern const Policy kQPolicy;
constinit const Policy kQPolicy{Q::open, Q::close, Q::has_room, Q::put, Q::take};

} // namespace xomp

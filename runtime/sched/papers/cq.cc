// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cq: one central LIFO under a lock for the whole team (paper 5, section 3.1 and Table 1).
#include "sched/papers/shared_lifo.h"
#include "sys/memory.h"

namespace xomp {
namespace {

struct CqState {
  SharedLifo shared; ///< that of worker 0 counts
  LookLess look;
};

CqState& state_of(const Port& port) { return *static_cast<CqState*>(port.state); }
SharedLifo& queue_of(const Port& port) { return state_of(*port.peers[0]).shared; }

void open(Port& port) {
  if (!port.state)
    port.state = sys::create<CqState>();
  CqState& state = state_of(port);
  state.shared.limit = settings.queue_size * static_cast<uint32_t>(port.count);
  state.shared.closed.store(false, std::memory_order_relaxed);
  reset(port);
}

void close(Port& port) {
  sys::destroy(static_cast<CqState*>(port.state));
  port.state = nullptr;
}

bool has_room(Port& port) { return queue_of(port).has_room(port); }

int put(Port& port, DeferredTask* task, bool) {
  SharedLifo& queue = queue_of(port);
  if (!queue.deque.push(task, queue.limit))
    return kNoRoom;
  return port.id;
}

DeferredTask* take(Port& port, const Judge& judge) {
  return queue_of(port).take(judge, state_of(port).look, port.peers, port.count);
}

bool retract(Port& port, DeferredTask* task) {
  return queue_of(port).retract(task, port.peers, port.count);
}

void after_fork(Port& port) {
  if (port.state)
    state_of(port).shared.deque.after_fork();
}

} // namespace

extern const Policy kCqPolicy;
constinit const Policy kCqPolicy{.open = open,
                                 .close = close,
                                 .has_room = has_room,
                                 .put = put,
                                 .take = take,
                                 .shared = true,
                                 .retract = retract,
                                 .after_fork = after_fork};

} // namespace xomp

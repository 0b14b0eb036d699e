// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// slb: XQueue with static round-robin load balancing (paper 1, section II.B). Each worker consumes
// one master ring (its own) and one auxiliary ring from every other worker. A producer goes round
// its targets, beginning with its own master ring; a full target means that the task is run at
// once. A consumer looks at its master ring first, then at the auxiliaries, going on where it last
// found something.
//
// The N x N matrix is laid out lazily: a row of pointers exists once a worker created a task
// (`out`) or was sent one (`in`), a ring once something was put into it.
#include "queue/spsc_ring.h"
#include "sched/policy.h"
#include "sched/window.h"
#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {
namespace {

using Ring = SpscRing<DeferredTask>;

struct SlbState {
  int capacity = 0;     ///< workers that the rows have room for
  int next = 0;         ///< target of the next put
  int refusals = 0;     ///< full targets in a row
  int scan = 0;         ///< auxiliary ring that `take` looks at first
  Ring** out = nullptr; ///< [capacity]: this worker -> i; its own
  std::atomic<std::atomic<Ring*>*> in{
      nullptr}; ///< [capacity]: i -> this worker; made by the first producer
};

SlbState& state_of(const Port& port) { return *static_cast<SlbState*>(port.state); }

template <class T> T* new_row(int size) {
  return static_cast<T*>(sys::allocate_zeroed(sizeof(T) * static_cast<std::size_t>(size)));
}

/// Makes room for a larger team; rings stay where they are.
void widen(SlbState& state, int capacity) {
  if (state.out) {
    Ring** row = new_row<Ring*>(capacity);
    for (int i = 0; i < state.capacity; ++i)
      row[i] = state.out[i];
    sys::release(state.out);
    state.out = row;
  }
  if (auto* old = state.in.load(std::memory_order_relaxed)) {
    auto* row = new_row<std::atomic<Ring*>>(capacity);
    for (int i = 0; i < state.capacity; ++i)
      row[i].store(old[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    sys::release(old);
    state.in.store(row, std::memory_order_relaxed);
  }
  state.capacity = capacity;
}

void open(Port& port) {
  if (!port.state)
    port.state = sys::create<SlbState>();
  SlbState& state = state_of(port);
  if (state.capacity < port.count)
    widen(state, port.count);
  state.next = port.id;
  state.refusals = 0;
  state.scan = 0;
  port.gate.store(kGateOpen, std::memory_order_relaxed);
  open_window(port);
}

void close(Port& port) {
  auto* state = static_cast<SlbState*>(port.state);
  if (!state)
    return;
  for (int i = 0; state->out && i < state->capacity; ++i) {
    if (state->out[i])
      Ring::destroy(state->out[i]);
  }
  sys::release(state->out);
  sys::release(state->in.load(std::memory_order_relaxed));
  sys::destroy(state);
  port.state = nullptr;
}

bool room_in(const SlbState& state, int target) {
  Ring* ring = state.out ? state.out[target] : nullptr;
  return !ring || ring->next_slot()->load(std::memory_order_acquire) == nullptr;
}

int after(int target, const Port& port) { return target + 1 < port.count ? target + 1 : 0; }

bool has_room(Port& port) {
  SlbState& state = state_of(port);
  if (room_in(state, state.next)) {
    state.refusals = 0;
    return true;
  }
  state.next = after(state.next, port);
  if (++state.refusals >= port.count) {
    state.refusals = 0;
    close_gate(port, [&] {
      for (int i = 0; i < port.count; ++i) {
        if (room_in(state, i))
          return true;
      }
      return false;
    });
  }
  return false;
}

[[gnu::cold]] Ring* lay_out(Port& port, int target) {
  SlbState& state = state_of(port);
  if (!state.out)
    state.out = new_row<Ring*>(state.capacity);
  Ring* ring = state.out[target] = Ring::create(settings.queue_size);
  SlbState& consumer = state_of(*port.peers[target]);
  auto* row = consumer.in.load(std::memory_order_acquire);
  if (!row) {
    auto* fresh = new_row<std::atomic<Ring*>>(consumer.capacity);
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

int put(Port& port, DeferredTask* task, bool elsewhere) {
  SlbState& state = state_of(port);
  int target = state.next;
  if (elsewhere && target == port.id)
    target = after(target, port);
  state.next = after(target, port);
  Ring* ring = state.out ? state.out[target] : nullptr;
  if (!ring) [[unlikely]]
    ring = lay_out(port, target);
  sys::delay();
  if (!ring->push(task))
    return kNoRoom;
  if (target != port.id)
    port.peers[target]->bell.ring();
  return target;
}

/// `producer` is the port from which the ring comes.
DeferredTask* take_from(Ring& ring, Port& producer, const Judge& judge) {
  while (DeferredTask* task = ring.front()) {
    Verdict verdict = judge(task);
    if (verdict == Verdict::kKeep)
      return nullptr;
    sys::delay();
    ring.pop();
    if (!producer.always_open)
      open_gate(producer);
    if (verdict == Verdict::kTake)
      return task;
  }
  return nullptr;
}

DeferredTask* take(Port& port, const Judge& judge) {
  SlbState& state = state_of(port);
  auto* in = state.in.load(std::memory_order_acquire);
  if (!in)
    return nullptr;
  if (Ring* master = in[port.id].load(std::memory_order_relaxed)) {
    if (DeferredTask* task = take_from(*master, port, judge))
      return task;
  }
  int from = state.scan;
  for (int n = 0; n < port.count; ++n) {
    Ring* ring = from == port.id ? nullptr : in[from].load(std::memory_order_acquire);
    if (ring) {
      if (DeferredTask* task = take_from(*ring, *port.peers[from], judge)) {
        state.scan = from;
        return task;
      }
    }
    from = after(from, port);
  }
  return nullptr;
}

int queued(const Port& port) {
  auto* in = state_of(port).in.load(std::memory_order_acquire);
  int sum = 0;
  for (int i = 0; in && i < port.count; ++i) {
    if (Ring* ring = in[i].load(std::memory_order_acquire))
      sum += ring->occupied();
  }
  return sum;
}

} // namespace

extern const Policy kSlbPolicy;
constinit const Policy kSlbPolicy{.name = "slb",
                                  .open = open,
                                  .close = close,
                                  .has_room = has_room,
                                  .put = put,
                                  .take = take,
                                  .queued = queued};

} // namespace xomp

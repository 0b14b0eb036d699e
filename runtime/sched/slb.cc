// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// slb: XQueue with static round-robin load balancing (paper 1, section II.B). Each worker consumes one master
// ring (its own) and one auxiliary ring from every other worker. A producer goes round its targets, beginning
// with its own master ring; a full target means that the task is run at once. A consumer looks at its master
// ring first, then at the auxiliaries, going on where it last found something.
//
// The N x N matrix is laid out lazily: a ring exists once something was put into it.
#include "queue/spsc_ring.h"
#include "sched/policy.h"
#include "sys/memory.h"

namespace xomp {
namespace {

using Ring = SpscRing<DeferredTask>;

std::atomic<DeferredTask*> not_laid_out{nullptr}; // the gate of a ring that does not exist yet: never full

struct SlbState {
  int capacity;                ///< workers that the arrays below have room for
  int scan = 0;                ///< auxiliary ring that `take` looks at first
  Outlet* outlets;             ///< [capacity]: the way to worker i
  Ring** out;                  ///< [capacity]: this worker -> i, producer side
  std::atomic<Ring*>* in;      ///< [capacity]: i -> this worker, consumer side
};

SlbState& state_of(const Port& port) { return *static_cast<SlbState*>(port.state); }

template <class T> T* grow(T* old, int used, int capacity) {
  T* fresh = static_cast<T*>(sys::allocate_zeroed(sizeof(T) * capacity));
  if (old) __builtin_memcpy(static_cast<void*>(fresh), static_cast<void*>(old), sizeof(T) * used);
  sys::release(static_cast<void*>(old));
  return fresh;
}

void reserve(Port& port) {
  auto* state = static_cast<SlbState*>(port.state);
  if (state && state->capacity >= port.count) return;
  if (!state) {
    port.state = state = static_cast<SlbState*>(sys::allocate_zeroed(sizeof(SlbState)));
  }
  int used = state->capacity;
  state->outlets = grow(state->outlets, used, port.count);
  state->out = grow(state->out, used, port.count);
  state->in = grow(state->in, used, port.count);
  state->capacity = port.count;
}

void open(Port& port) {
  reserve(port);
  SlbState& state = state_of(port);
  state.scan = 0;
  for (int i = 0; i < port.count; ++i) {
    Outlet& outlet = state.outlets[i];
    outlet.slot = state.out[i] ? state.out[i]->next_slot() : &not_laid_out;
    outlet.next = &state.outlets[(i + 1) % port.count];
  }
  port.cursor = nullptr;
  port.outlet = &state.outlets[port.id];
}

void close(Port& port) {
  auto* state = static_cast<SlbState*>(port.state);
  if (!state) return;
  for (int i = 0; i < state->capacity; ++i) {
    if (state->out[i]) Ring::destroy(state->out[i]);
  }
  sys::release(state->outlets);
  sys::release(state->out);
  sys::release(static_cast<void*>(state->in));
  sys::release(state);
  port.state = nullptr;
}

[[gnu::cold]] Ring* lay_out(Port& port, int target) {
  Ring* ring = Ring::create(settings.queue_size);
  state_of(port).out[target] = ring;
  // Release: the consumer must see the ring's slots before its address.
  state_of(*port.peers[target]).in[port.id].store(ring, std::memory_order_release);
  return ring;
}

bool put(Port& port, DeferredTask* task) {
  SlbState& state = state_of(port);
  Outlet* outlet = cursor(port);
  int target = static_cast<int>(outlet - state.outlets);
  move_cursor(port, outlet->next);
  Ring* ring = state.out[target];
  if (!ring) [[unlikely]]
    ring = lay_out(port, target);
  if (!ring->push(task)) return false;
  outlet->slot = ring->next_slot();
  if (target != port.id) port.peers[target]->bell.ring();
  return true;
}

DeferredTask* take_from(Ring& ring, const Judge& judge) {
  while (DeferredTask* task = ring.front()) {
    Verdict verdict = judge(task);
    if (verdict == Verdict::kKeep) return nullptr;
    ring.pop();
    if (verdict == Verdict::kTake) return task;
  }
  return nullptr;
}

DeferredTask* take(Port& port, const Judge& judge) {
  SlbState& state = state_of(port);
  if (Ring* master = state.out[port.id]) {
    if (DeferredTask* task = take_from(*master, judge)) return task;
  }
  int from = state.scan;
  for (int n = 0; n < port.count; ++n) {
    Ring* ring = state.in[from].load(std::memory_order_acquire);
    if (ring && from != port.id) {
      if (DeferredTask* task = take_from(*ring, judge)) {
        state.scan = from;
        return task;
      }
    }
    if (++from >= port.count) from = 0;
  }
  return nullptr;
}

} // namespace

extern const Policy kSlbPolicy;
constinit const Policy kSlbPolicy{"slb", open, close, put, take};

} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles the runtime's own templates with relacy's atomics instead of std::atomic: include this
// first. Relacy runs the threads of a test as fibers, tries many interleavings, and lets a load
// return every value that the C++ memory model allows. `weak` takes orders away, to show that the
// test would notice.
#pragma once
#define XOMP_CHECKED_ORDERS // sys/asymmetric_fence.h: no system call
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pthread.h>
#include <sched.h>

#include <relacy/relacy.hpp>
// Relacy replaces these to watch the memory of a test; the templates' own memory is not at issue.
#undef $
#undef assert
#undef delete
#undef free
#undef malloc
#undef new
// It gives a place in the source together with each order.
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst

/// What relacy's reports hold of a pointer; its own is not const.
template <> struct rl::atomic_add_type<const void*> {
  using type = ptrdiff_t;
  using output_type = const void*;
};

namespace checked {

using namespace ::std; // what is declared here comes first

/// What is taken away in a test that has to fail.
struct Weak {
  bool release = false, acquire = false; ///< becomes relaxed
  bool fence = false;                    ///< does nothing
};
inline Weak weak;

using memory_order = rl::memory_order;
inline constexpr memory_order memory_order_relaxed = rl::mo_relaxed;
inline constexpr memory_order memory_order_acquire = rl::mo_acquire;
inline constexpr memory_order memory_order_release = rl::mo_release;
inline constexpr memory_order memory_order_acq_rel = rl::mo_acq_rel;
inline constexpr memory_order memory_order_seq_cst = rl::mo_seq_cst;

inline memory_order weakened(memory_order order) {
  if ((weak.release && (order == rl::mo_release || order == rl::mo_acq_rel)) ||
      (weak.acquire && (order == rl::mo_acquire || order == rl::mo_acq_rel)))
    return rl::mo_relaxed;
  return order;
}

inline void atomic_thread_fence(memory_order order) {
  if (!weak.fence)
    rl::atomic_thread_fence(order, RL_INFO);
}

/// An atomic that came into being with its first use. Nobody else destroys it if its memory is
/// given back as it is.
struct Latecomer {
  void (*discard)(void* atomic);
  void* atomic;
  Latecomer* next;
};
inline Latecomer* latecomers = nullptr;
/// While true, atomics are made with their first use: of structures with many that a test does not
/// use. The first use has to happen before all others, in `before` as a rule.
inline bool sparingly = false;

/// With the interface of std::atomic as far as the runtime uses it. In zeroed memory it is an
/// atomic of value 0.
template <class T> class atomic {
public:
  constexpr atomic(T value = T()) : first(value) {
    if (!std::is_constant_evaluated() && !sparingly)
      make();
  }
  constexpr ~atomic() {
    if (!std::is_constant_evaluated() && inner && !late)
      discard(inner);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(memory_order order) const { return made().load(weakened(order), RL_INFO); }
  void store(T value, memory_order order) { made().store(value, weakened(order), RL_INFO); }
  T exchange(T value, memory_order order) {
    return made().rmw(rl::rmw_type_t<rl::rmw_type_swap>(), value, weakened(order), RL_INFO);
  }
  T fetch_add(T value, memory_order order) {
    return made().rmw(rl::rmw_type_t<rl::rmw_type_add>(), value, weakened(order), RL_INFO);
  }
  T fetch_sub(T value, memory_order order) {
    return made().rmw(rl::rmw_type_t<rl::rmw_type_sub>(), value, weakened(order), RL_INFO);
  }
  T fetch_or(T value, memory_order order) {
    return made().rmw(rl::rmw_type_t<rl::rmw_type_or>(), value, weakened(order), RL_INFO);
  }
  T fetch_and(T value, memory_order order) {
    return made().rmw(rl::rmw_type_t<rl::rmw_type_and>(), value, weakened(order), RL_INFO);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order order, memory_order failure) {
    return made().compare_exchange_weak(expected, value, weakened(order), RL_INFO,
                                        weakened(failure), RL_INFO);
  }
  bool compare_exchange_weak(T& expected, T value, memory_order order) {
    return compare_exchange_weak(expected, value, order, on_failure(order));
  }
  bool compare_exchange_strong(T& expected, T value, memory_order order, memory_order failure) {
    return made().compare_exchange_strong(expected, value, weakened(order), RL_INFO,
                                          weakened(failure), RL_INFO);
  }
  bool compare_exchange_strong(T& expected, T value, memory_order order) {
    return compare_exchange_strong(expected, value, order, on_failure(order));
  }

  /// The newest value, for the kernel and for what is looked at after a run.
  T newest() const { return made().debug_value(); }
  rl::atomic<T>& made() const {
    if (!inner) {
      make();
      late = true;
      void* memory = ::std::malloc(sizeof(Latecomer)); // not by `new`, which relacy replaces
      latecomers = ::new (memory) Latecomer{discard, inner, latecomers};
    }
    return *inner;
  }

private:
  static memory_order on_failure(memory_order order) {
    return order == rl::mo_acq_rel   ? rl::mo_acquire
           : order == rl::mo_release ? rl::mo_relaxed
                                     : order;
  }
  void make() const {
    rl::preemption_disabler together(rl::ctx());
    inner = ::new (::std::malloc(sizeof(rl::atomic<T>))) rl::atomic<T>;
    inner->store(first, rl::mo_relaxed, RL_INFO);
  }
  static void discard(void* atomic) {
    ::std::destroy_at(static_cast<rl::atomic<T>*>(atomic));
    ::std::free(atomic);
  }

  mutable rl::atomic<T>* inner = nullptr;
  mutable bool late = false;
  T first;
};

} // namespace checked

// From here on the runtime's headers see relacy's atomics. Standard headers are all included above.
#define std checked
// Relacy's are larger.
#define static_assert(...) static_assert(true)

#include "sys/cpu.h"
#include "sys/futex.h"
#include "sys/memory.h"

namespace xomp::sys {

// A thread that waits for another one lets it run.
inline void yield() { rl::yield(1, RL_INFO); }
inline void nap(int64_t) { yield(); }

// One word, one kernel: relacy's futex, which may wake for no reason as the real one may.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  rl::context& context = rl::ctx();
  context.sched();
  {
    rl::preemption_disabler together(context);
    // The kernel compares with the newest value.
    if (word.newest() != expected)
      return;
  }
  word.made().wait(context, false, true, RL_INFO);
}
inline void futex_wake(std::atomic<uint32_t>& word, int count) {
  rl::context& context = rl::ctx();
  context.sched();
  word.made().wake(context, static_cast<rl::thread_id_t>(count == INT_MAX ? 64 : count), RL_INFO);
}
inline void futex_wait_channels(std::atomic<uint32_t>& word, uint32_t expected, uint32_t) {
  futex_wait(word, expected);
}
inline void futex_wake_channels(std::atomic<uint32_t>& word, uint32_t) { futex_wake(word); }
inline void futex_wait_at_most(std::atomic<uint32_t>& word, uint32_t expected, int64_t) {
  futex_wait(word, expected);
}

inline void* allocate(std::size_t bytes, std::size_t align) {
  std::size_t whole = (bytes + align - 1) / align * align;
  // Atomics may come to lie anywhere in it.
  return std::memset(std::aligned_alloc(align, whole), 0, whole);
}
inline void* allocate_zeroed(std::size_t bytes, std::size_t align) {
  return allocate(bytes, align);
}
inline void release(void* memory) { std::free(memory); }

} // namespace xomp::sys

// What the runtime calls while it spins.
#undef sched_yield
#define pause yield
#define sched_yield ::xomp::sys::yield

/// A test to relacy, whose machinery takes more than a second to compile for each type of test: so
/// there is one type for each number of threads, all in search.cc.
struct Body {
  void* at; ///< where the test of a run is made, always the same place
  void (*make)(void* at);
  void (*destroy)(void* at);
  void (*before)(void* at);
  void (*thread)(void* at, unsigned index);
  void (*after)(void* at);
};
inline Body body;

/// Runs `body` as rl::simulate does with a search by chance, its default. It has two others.
template <rl::thread_id_t kThreads> void search(rl::test_params& params);

template <class Test> Body body_of() {
  return {
      ::std::aligned_alloc(alignof(Test), sizeof(Test)), // as relacy's own, not given back
      [](void* at) { ::new (at) Test; },
      [](void* at) { ::std::destroy_at(static_cast<Test*>(at)); },
      [](void* at) { static_cast<Test*>(at)->before(); },
      [](void* at, unsigned index) { static_cast<Test*>(at)->thread(index); },
      [](void* at) {
        static_cast<Test*>(at)->after();
        // The end of what lies in memory that the runtime does not destroy.
        while (checked::Latecomer* each = checked::latecomers) {
          checked::latecomers = each->next;
          each->discard(each->atomic);
          ::std::free(each);
        }
      },
  };
}

/// Runs a test so many times; whether no run went wrong. What goes wrong is shown unless expected.
template <class Test> bool holds(rl::iteration_t runs, const char* what, bool expected) {
  checked::latecomers = nullptr; // relacy has given up those of a run that went wrong
  ::std::ofstream nowhere("/dev/null");
  rl::test_params params;
  params.iteration_count = runs;
  params.output_stream = expected ? &::std::cerr : &nowhere;
  params.progress_stream = &nowhere;
  params.execution_depth_limit = 20000; // a thread that waits for ever
  body = body_of<Test>();
  search<Test::params::thread_count>(params);
  bool good = params.test_result == rl::test_result_success;
  ::std::printf("%-50s %s\n", what, good ? "holds" : rl::test_result_str(params.test_result));
  return good;
}

/// The runtime's own orders.
template <class Test> bool verified(const char* what, rl::iteration_t runs) {
  checked::weak = {};
  return holds<Test>(runs, what, true);
}
/// Weakened orders, with which the test has to fail.
template <class Test> bool refuted(const char* what, rl::iteration_t runs, checked::Weak weak) {
  checked::weak = weak;
  return !holds<Test>(runs, what, false);
}

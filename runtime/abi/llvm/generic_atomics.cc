// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `__atomic_load`, `__atomic_store` and `__atomic_compare_exchange` for operands of any size, which
// libiomp5 lends to binaries of Intel's compilers (MKL's among them) in place of libatomic. Up to
// eight bytes, aligned, an instruction; others under the lock of `atomic`.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "locks/locks.h"

// The compiler has functions of these names itself.
#define ENTRY(name) __asm__(#name)
extern "C" {
__attribute__((visibility("default"))) void xomp_atomic_load(std::size_t, void*, void*, int)
    ENTRY(__atomic_load);
__attribute__((visibility("default"))) void xomp_atomic_store(std::size_t, void*, void*, int)
    ENTRY(__atomic_store);
__attribute__((visibility("default"))) bool xomp_atomic_compare_exchange(std::size_t, void*, void*,
                                                                         void*, int, int)
    ENTRY(__atomic_compare_exchange);
}

namespace {

using namespace xomp;

// Whatever order is asked for: the strongest.
constexpr int kOrder = __ATOMIC_SEQ_CST;

/// Calls `act` with the operand as a word; false: it is none.
template <class Act> bool as_word(std::size_t size, void* operand, Act act) {
  if (reinterpret_cast<uintptr_t>(operand) % size != 0)
    return false;
  switch (size) {
  case 1:
    act(static_cast<uint8_t*>(operand));
    return true;
  case 2:
    act(static_cast<uint16_t*>(operand));
    return true;
  case 4:
    act(static_cast<uint32_t*>(operand));
    return true;
  case 8:
    act(static_cast<uint64_t*>(operand));
    return true;
  default:
    return false;
  }
}

template <class Act> void under_lock(Act act) {
  unnamed_atomic.acquire(trace::MutexKind::kAtomic);
  act();
  unnamed_atomic.release(trace::MutexKind::kAtomic);
}

/// The other operands need not be aligned.
template <class Word> Word value_at(const void* memory) {
  Word value;
  std::memcpy(&value, memory, sizeof value);
  return value;
}

} // namespace

void xomp_atomic_load(std::size_t size, void* from, void* to, int) {
  bool word = as_word(size, from, [&](auto* operand) {
    auto value = __atomic_load_n(operand, kOrder);
    std::memcpy(to, &value, sizeof value);
  });
  if (!word)
    under_lock([&] { std::memcpy(to, from, size); });
}

void xomp_atomic_store(std::size_t size, void* to, void* from, int) {
  bool word = as_word(size, to, [&]<class Word>(Word* operand) {
    __atomic_store_n(operand, value_at<Word>(from), kOrder);
  });
  if (!word)
    under_lock([&] { std::memcpy(to, from, size); });
}

bool xomp_atomic_compare_exchange(std::size_t size, void* operand, void* expected, void* desired,
                                  int, int) {
  bool equal = false;
  bool word = as_word(size, operand, [&]<class Word>(Word* variable) {
    Word old = value_at<Word>(expected);
    equal =
        __atomic_compare_exchange_n(variable, &old, value_at<Word>(desired), false, kOrder, kOrder);
    if (!equal)
      std::memcpy(expected, &old, sizeof old);
  });
  if (!word) {
    under_lock([&] {
      equal = std::memcmp(operand, expected, size) == 0;
      std::memcpy(equal ? operand : expected, equal ? desired : operand, size);
    });
  }
  return equal;
}

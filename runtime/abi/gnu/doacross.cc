// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_doacross_*: depend(source) passes the iteration vector by address, depend(sink) as
// arguments.
#include "worksharing/doacross.h"

#include <cstdarg>

#include "abi/export.h"
#include "abi/omp/versions.h"

using namespace xomp;

static_assert(sizeof(long) == sizeof(uint64_t) && sizeof(unsigned long long) == sizeof(uint64_t));

namespace {

void post(const uint64_t* iteration) {
  Member& member = in_construct(me());
  // Nobody to wait for: the construct is still a flush (OpenMP 5.2, 15.8.5).
  if (doacross_rank(member) == 0)
    std::atomic_thread_fence(std::memory_order_seq_cst);
  else
    doacross_post(member, iteration);
}

void wait(uint64_t first, va_list rest, const void* codeptr) {
  Member& member = in_construct(me());
  unsigned rank = doacross_rank(member);
  if (rank == 0)
    return std::atomic_thread_fence(std::memory_order_seq_cst);
  auto* iteration = static_cast<uint64_t*>(__builtin_alloca(rank * sizeof(uint64_t)));
  iteration[0] = first;
  for (unsigned i = 1; i < rank; ++i)
    iteration[i] = va_arg(rest, uint64_t);
  doacross_wait(member, iteration, codeptr);
}

} // namespace

XOMP_EXPORT void GOMP_doacross_post(long* iteration) {
  post(reinterpret_cast<uint64_t*>(iteration));
}
XOMP_EXPORT void GOMP_doacross_ull_post(unsigned long long* iteration) {
  post(reinterpret_cast<uint64_t*>(iteration));
}

XOMP_EXPORT void GOMP_doacross_wait(long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(static_cast<uint64_t>(first), rest, __builtin_return_address(0));
  va_end(rest);
}

XOMP_EXPORT void GOMP_doacross_ull_wait(unsigned long long first, ...) {
  va_list rest;
  va_start(rest, first);
  wait(first, rest, __builtin_return_address(0));
  va_end(rest);
}

XOMP_ALSO_VERSION(GOMP_4.5, GOMP_doacross_post, GOMP_doacross_ull_post, GOMP_doacross_ull_wait,
                  GOMP_doacross_wait);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_taskloop and GOMP_taskloop_ull.
#include "task/taskloop.h"

#include "abi/export.h"
#include "abi/omp/versions.h"
#include "worksharing/loop.h"

using namespace xomp;

namespace {

template <class Number>
void run(void (*body)(void*), void* data, void (*copy)(void*, void*), long size, long align,
         unsigned flags, unsigned long number, int priority, const void* codeptr,
         const LoopRange& range) {
  TaskloopSpec spec{body,
                    data,
                    copy,
                    static_cast<std::size_t>(size),
                    static_cast<std::size_t>(align),
                    flags,
                    number,
                    priority,
                    codeptr,
                    range.first,
                    range.past,
                    range.step,
                    range.trips};
  taskloop<Number>(me(), spec);
}

} // namespace

XOMP_EXPORT void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*),
                               long size, long align, unsigned flags, unsigned long number,
                               int priority, long first, long past, long step) {
  run<long>(body, data, copy, size, align, flags, number, priority, __builtin_return_address(0),
            signed_range(first, past, step));
}

XOMP_EXPORT void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                   long size, long align, unsigned flags, unsigned long number,
                                   int priority, unsigned long long first, unsigned long long past,
                                   unsigned long long step) {
  run<unsigned long long>(body, data, copy, size, align, flags, number, priority,
                          __builtin_return_address(0),
                          unsigned_range(flags & kTaskUp, first, past, step));
}

XOMP_ALSO_VERSION(GOMP_4.5, GOMP_taskloop, GOMP_taskloop_ull);

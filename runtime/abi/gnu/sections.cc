// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_sections_* and parallel combined with sections.
#include "worksharing/sections.h"

#include "abi/export.h"
#include "abi/omp/versions.h"

using namespace xomp;

namespace {

/// Inline, so that the return address is the program's.
[[gnu::always_inline]] inline unsigned start(unsigned count, uintptr_t* reductions, void** memory) {
  Member& member = me();
  start_loop(member, sections_spec(count), reductions, memory);
  return next_section(member);
}

} // namespace

XOMP_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
  return start(count, reductions, memory);
}
XOMP_EXPORT unsigned GOMP_sections_start(unsigned count) { return start(count, nullptr, nullptr); }

XOMP_EXPORT unsigned GOMP_sections_next() { return next_section(in_construct(me_if_known())); }

XOMP_EXPORT void GOMP_parallel_sections_start(void (*body)(void*), void* data, unsigned threads,
                                              unsigned count) {
  start_parallel_loop(body, data, threads, sections_spec(count),
                      {__builtin_return_address(0), __builtin_dwarf_cfa()});
}

XOMP_EXPORT void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned threads,
                                        unsigned count, unsigned flags) {
  parallel_loop(body, data, threads, flags, sections_spec(count));
}

XOMP_EXPORT void GOMP_sections_end() { end_construct(in_construct(me_if_known())); }
XOMP_EXPORT bool GOMP_sections_end_cancel() { return end_construct(in_construct(me())); }
XOMP_EXPORT void GOMP_sections_end_nowait() { leave_construct(in_construct(me_if_known())); }

XOMP_ALSO_VERSION(GOMP_1.0, GOMP_parallel_sections_start, GOMP_sections_end,
                  GOMP_sections_end_nowait, GOMP_sections_next, GOMP_sections_start);
XOMP_ALSO_VERSION(GOMP_4.0, GOMP_parallel_sections, GOMP_sections_end_cancel);
XOMP_ALSO_VERSION(GOMP_5.0, GOMP_sections2_start);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel: __kmpc_fork_call*, regions of one thread, and what is said before them.
#include <cstddef>
#include <utility>

#include "abi/export.h"
#include "abi/llvm/float_mode.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/outlined.h"
#include "sys/report.h"
#include "team/region.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

static_assert(sizeof(ShortCall) == kCarriedWords * sizeof(void*));

unsigned positive(int32_t number) { return number > 0 ? static_cast<unsigned>(number) : 0; }

/// What was announced for the region, which begins.
unsigned take_threads() { return std::exchange(announced.threads, 0); }
unsigned take_bind() { return std::exchange(announced.bind, 0); }

} // namespace

XOMP_EXPORT void __kmpc_push_num_threads(const Ident*, int32_t, int32_t threads) {
  announced.threads = positive(threads);
}
XOMP_EXPORT void __kmpc_pop_num_threads(const Ident*, int32_t) { announced.threads = 0; }
/// num_threads(strict: n): with fewer there is an error or a warning, as the clauses say.
XOMP_EXPORT void __kmpc_push_num_threads_strict(const Ident*, int32_t, int32_t threads,
                                                int32_t severity, const char* message) {
  announced.threads = positive(threads);
  announced.demands = {0, announced.threads, severity, message};
}
/// num_threads with a list: the first number is for this region, the second for those inside it.
XOMP_EXPORT void __kmpc_push_num_threads_list(const Ident*, int32_t, uint32_t count,
                                              const int32_t* threads) {
  announced.threads = count > 0 ? positive(threads[0]) : 0;
  announced.demands.inner = count > 1 ? positive(threads[1]) : 0;
}
XOMP_EXPORT void __kmpc_push_num_threads_list_strict(const Ident* ident, int32_t thread,
                                                     uint32_t count, const int32_t* threads,
                                                     int32_t severity, const char* message) {
  __kmpc_push_num_threads_list(ident, thread, count, threads);
  announced.demands = {announced.demands.inner, announced.threads, severity, message};
}
XOMP_EXPORT void __kmpc_push_proc_bind(const Ident*, int32_t, int32_t bind) {
  constexpr int32_t kClangsPrimary = 5; // 2 is `master`
  announced.bind = positive(bind == kClangsPrimary ? int32_t{kBindPrimary} : bind) & 7;
  if (announced.bind)
    announced.bind |= kHereOnly;
}

namespace {

/// With more variables than are carried, or with demands. `site`: where listeners are told that it
/// is, if there are any.
[[gnu::always_inline]] inline void fork_many(int32_t count, Outlined body, va_list list,
                                             const trace::CallSite* site) {
  alignas(sys::kCacheLine) OutlinedCall call(body, count);
  XOMP_READ_VARIABLES(call, list);
  Demands demands;
  if (announced.demands.any()) [[unlikely]] {
    demands = std::exchange(announced.demands, {});
    call.demands = &demands;
  }
  unsigned threads = take_threads();
  if (site)
    parallel_traced(OutlinedCall::run, &call, threads, take_bind(), *site);
  else
    run_parallel(OutlinedCall::run, &call, threads, take_bind());
  restore_float_mode(demands);
}

[[gnu::noinline]] void fork_untold(int32_t count, Outlined body, va_list list) {
  fork_many(count, body, list, nullptr);
}

bool is_short(int32_t count) {
  constexpr uint32_t kShort = ShortCall::kMost; // a negative number is none of them
  return static_cast<uint32_t>(count) <= kShort && !announced.demands.any();
}

[[gnu::noinline, gnu::cold]] void fork_told(const Ident* ident, int32_t count, Outlined body,
                                            va_list list, const void* codeptr, const void* frame) {
  trace::CallSite site{codeptr, frame, reinterpret_cast<const void*>(body)};
  describe(ident, codeptr, site.calls);
  look_at_float_mode();
  if (!is_short(count))
    return fork_many(count, body, list, &site);
  ShortCall call(body, count, list);
  unsigned threads = take_threads();
  parallel_traced(ShortCall::run, &call, threads, take_bind(), site, carry, &call);
}

} // namespace

XOMP_EXPORT void __kmpc_fork_call(const Ident* ident, int32_t count, Outlined body, ...) {
  va_list list;
  va_start(list, body);
  // Not whether the thread has a track: one that is new to the runtime has none yet.
  if (trace::listening(~uint32_t{0})) [[unlikely]] {
    fork_told(ident, count, body, list, __builtin_return_address(0), __builtin_dwarf_cfa());
    va_end(list);
    return;
  }
  look_at_float_mode();
  if (is_short(count)) [[likely]] {
    ShortCall call(body, count, list);
    unsigned threads = take_threads();
    run_parallel(ShortCall::run, &call, threads, take_bind(), carry, &call);
  } else {
    fork_untold(count, body, list);
  }
  va_end(list);
}

/// With an `if` clause; `data` is the one variable, if there is one.
XOMP_EXPORT void __kmpc_fork_call_if(const Ident* ident, int32_t count, Outlined body,
                                     int32_t condition, void* data) {
  if (static_cast<uint32_t>(count) > 1) [[unlikely]]
    sys::fatal("a region with an if clause of this program has %d variables", count);
  alignas(sys::kCacheLine) OutlinedCall call(body, count);
  call.few[0] = data;
  look_at_float_mode();
  Demands demands = std::exchange(announced.demands, {});
  if (condition && demands.any())
    call.demands = &demands;
  unsigned asked = take_threads(), threads = condition ? asked : 1;
  if (trace::listening(~uint32_t{0})) [[unlikely]] {
    const void* calls = reinterpret_cast<const void*>(body);
    trace::CallSite site{__builtin_return_address(0), __builtin_dwarf_cfa(), calls};
    describe(ident, site.code, calls);
    parallel_traced(OutlinedCall::run, &call, threads, take_bind(), site);
  } else {
    run_parallel(OutlinedCall::run, &call, threads, take_bind());
  }
  restore_float_mode(demands);
}

// The program calls the body itself between these.
XOMP_EXPORT void __kmpc_serialized_parallel(const Ident*, int32_t) {
  announced.threads = announced.bind = 0;
  announced.demands = {};
  start_parallel(nullptr, nullptr, 1, {__builtin_return_address(0), __builtin_dwarf_cfa()});
}
XOMP_EXPORT void __kmpc_end_serialized_parallel(const Ident*, int32_t) { end_parallel(); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/outlined.h"

#include <algorithm>
#include <utility>

#include "sys/call_many.h"
#include "sys/float_mode.h"
#include "sys/report.h"
#include "task/environment.h"
#include "team/team.h"

namespace xomp::llvm {
namespace {

template <std::size_t> using Pointer = void*;

template <std::size_t... i>
[[gnu::noinline]] void pass(Outlined body, int32_t* global, int32_t* bound, void** variables,
                            std::index_sequence<i...>) {
  auto function = reinterpret_cast<void (*)(int32_t*, int32_t*, Pointer<i>...)>(body);
  function(global, bound, variables[i]...);
}

/// On each member, before the body.
[[gnu::noinline]] void meet(const Demands& demands) {
  Member& member = me();
  if (demands.hands_on)
    sys::set_float_mode(demands.float_mode);
  if (demands.inner)
    own_icv(member).num_threads = supported_threads(demands.inner);
  if (member.id != 0 || member.count >= static_cast<int>(demands.strict))
    return;
  constexpr const char* kText =
      "a region has %d threads, of %u that num_threads(strict) asks for%s%s";
  const char* colon = demands.message ? ": " : "";
  const char* message = demands.message ? demands.message : "";
  if (demands.severity != 1)
    sys::fatal(kText, member.count, demands.strict, colon, message);
  sys::warn(kText, member.count, demands.strict, colon, message);
}

} // namespace

int32_t OutlinedCall::passed(int32_t count) {
  for (int32_t size : {kFew, 16, 64}) {
    if (static_cast<uint32_t>(count) <= static_cast<uint32_t>(size))
      return size;
  }
  if (count < 0)
    sys::fatal("a construct of this program has %d variables", count);
  return count;
}

void OutlinedCall::read(va_list list) {
  for (int32_t i = 0; i < count; ++i)
    variables[i] = va_arg(list, void*);
  std::fill(variables + std::max(count, 0), variables + passed(count), nullptr);
}

void ShortCall::run(void* data) {
  auto& call = *static_cast<ShortCall*>(data);
  int32_t global = thread_number(), bound = self->id;
  pass(call.body, &global, &bound, call.variables, std::make_index_sequence<kMost>());
}

void OutlinedCall::run(void* data) {
  auto& call = *static_cast<OutlinedCall*>(data);
  if (call.demands) [[unlikely]]
    meet(*call.demands);
  int32_t global = thread_number(), bound = self->id;
  switch (passed(call.count)) {
  case kFew:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<kFew>());
  case 16:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<16>());
  case 64:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<64>());
  default:
    return sys::call_many(function_as<void (*)()>(call.body), &global, &bound, call.variables,
                          static_cast<std::size_t>(call.count));
  }
}

} // namespace xomp::llvm

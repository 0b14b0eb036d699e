// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/outlined.h"

#include <utility>

#include "abi/llvm/ident.h"
#include "sys/report.h"
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

} // namespace

int32_t OutlinedCall::passed(int32_t count) {
  for (int32_t size : {4, 16, 64, kMost}) {
    if (count <= size)
      return size;
  }
  sys::fatal("a construct of this program uses %d variables; xomp passes at most %d", count, kMost);
}

void OutlinedCall::read(va_list list) {
  int32_t all = passed(count);
  for (int32_t i = 0; i < all; ++i)
    variables[i] = i < count ? va_arg(list, void*) : nullptr;
}

void OutlinedCall::run(void* data) {
  auto& call = *static_cast<OutlinedCall*>(data);
  int32_t global = thread_number(), bound = self->id;
  switch (passed(call.count)) {
  case 4:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<4>());
  case 16:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<16>());
  case 64:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<64>());
  default:
    return pass(call.body, &global, &bound, call.variables, std::make_index_sequence<kMost>());
  }
}

} // namespace xomp::llvm

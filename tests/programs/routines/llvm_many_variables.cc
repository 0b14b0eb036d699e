// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Regions and teams in clang's way with any number of variables, each of which is an argument of
// the function that the compiler makes of the construct: all of them arrive, in their order, on a
// stack that is aligned as functions expect it. Naive version: there is a most.
// xomp-test: threads=1,4 barriers=tree compilers=gcc,clang libs=lib/libxomp.so
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "check.h"

using Body = void (*)(int32_t*, int32_t*, ...);
extern "C" {
int32_t __kmpc_global_thread_num(void*);
void __kmpc_fork_call(void*, int32_t, Body, ...);
void __kmpc_fork_teams(void*, int32_t, Body, ...);
void __kmpc_push_num_threads(void*, int32_t, int32_t);
void __kmpc_push_num_teams(void*, int32_t, int32_t, int32_t);
}

namespace {

struct {
  int32_t flags[4] = {0, 2, 0, 0};
  const char* source = ";many.c;main;1;1;;";
} place;

std::atomic<int> arrived, wrong;
std::atomic<long> sum;

template <std::size_t> using Variable = long*;

/// The function of a construct with so many variables, of which each has its number.
template <std::size_t... i> void body(int32_t* global, int32_t* bound, Variable<i>... variables) {
  alignas(16) volatile char aligned[16] = {};
  if (*global < 0 || *bound < 0 || reinterpret_cast<uintptr_t>(aligned) % 16 != 0)
    ++wrong;
  long number = 0;
  for (const long* variable : {variables...})
    wrong += *variable != number++;
  sum += number;
  ++arrived;
}

template <std::size_t... i> void test(std::index_sequence<i...>) {
  constexpr int kThreads = 3;
  static long values[] = {long{i}...};
  auto count = static_cast<int32_t>(sizeof...(i));
  auto function = reinterpret_cast<Body>(reinterpret_cast<void (*)()>(&body<i...>));
  int32_t self = __kmpc_global_thread_num(&place);
  arrived = 0;
  sum = 0;
  __kmpc_push_num_threads(&place, self, kThreads);
  __kmpc_fork_call(&place, count, function, &values[i]...);
  CHECK(arrived == kThreads && wrong == 0 && sum == kThreads * long{count});
  __kmpc_push_num_teams(&place, self, kThreads, 1);
  __kmpc_fork_teams(&place, count, function, &values[i]...);
  CHECK(arrived >= kThreads + 1 && wrong == 0 && sum == arrived * long{count});
}

template <std::size_t... count> void each(std::index_sequence<count...>) {
  (test(std::make_index_sequence<count>()), ...);
}

} // namespace

int main() {
  each(std::index_sequence<1, 3, 4, 5, 16, 17, 64, 65, 66, 257, 300, 1000>());
  return 0;
}

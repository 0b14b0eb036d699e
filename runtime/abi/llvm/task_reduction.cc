// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/task_reduction.h"

#include <cstddef>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/taskgraph.h"
#include "sys/memory.h"
#include "task/group.h"
#include "task/reduction.h"
#include "team/barrier.h"
#include "worksharing/task_reduction.h"

namespace xomp::llvm {
namespace {

/// kmp_task_red_input_t, of compilers before LLVM 11: the original is not told.
struct OldItem {
  void* shared;
  std::size_t size;
  void (*init)(void*);
  void (*end)(void*);
  void (*combine)(void*, void*);
  uint32_t flags;
};
static_assert(sizeof(OldItem) == 48);

Reduction current(const Reduction& item) { return item; }
/// An initializer that takes one argument is called with two, which no calling convention minds.
Reduction current(const OldItem& item) {
  return {item.shared, item.shared,  item.size, function_as<void (*)(void*, void*)>(item.init),
          item.end,    item.combine, item.flags};
}

/// A construct's list, in front of the chain that the core has (task/reduction.h). The third word
/// of each item there is the address of ours; in front of each copy there is a word that says
/// whether it was initialized, which its worker does when it first needs it.
struct Reductions {
  static constexpr std::size_t kHeader = 7, kWordsOfItem = 3, kAlign = 64;

  std::size_t count;
  Reduction* items;

  uintptr_t* chain() { return reinterpret_cast<uintptr_t*>(this + 1); }
  static Reductions& of(uintptr_t* chain) { return *(reinterpret_cast<Reductions*>(chain) - 1); }
  static uint64_t& initialized(void* copy) {
    return *reinterpret_cast<uint64_t*>(static_cast<char*>(copy) - kAlign);
  }
};

template <class Input> Reductions& make(int32_t number, const Input* items) {
  auto count = static_cast<std::size_t>(number);
  using R = Reductions;
  std::size_t words = R::kHeader + count * R::kWordsOfItem;
  std::size_t front = sizeof(R) + words * sizeof(uintptr_t);
  auto* memory = static_cast<char*>(sys::allocate_zeroed(front + count * sizeof(Reduction)));
  auto& list = *reinterpret_cast<Reductions*>(memory);
  list.count = count;
  list.items = reinterpret_cast<Reduction*>(memory + front);
  for (std::size_t i = 0; i < count; ++i)
    list.items[i] = current(items[i]);
  uintptr_t* chain = list.chain();
  std::size_t offset = 0;
  for (std::size_t i = 0; i < count; ++i) {
    uintptr_t* item = chain + R::kHeader + i * R::kWordsOfItem;
    item[0] = reinterpret_cast<uintptr_t>(items[i].shared);
    item[1] = offset + R::kAlign;
    item[2] = reinterpret_cast<uintptr_t>(&list.items[i]);
    offset += R::kAlign + sys::round_up(items[i].size, R::kAlign);
  }
  chain[0] = count;
  chain[1] = offset;
  chain[2] = R::kAlign;
  return list;
}

/// Adds what worker number `id` has to the results.
void combine(Reductions& list, int id) {
  for (std::size_t i = 0; i < list.count; ++i) {
    void* copy = copy_of(list.chain(), i, id);
    if (!Reductions::initialized(copy))
      continue;
    const Reduction& item = list.items[i];
    item.combine(item.shared, copy);
    if (item.end)
      item.end(copy);
  }
}

/// The copies of a group that has ended are combined, and gone.
[[gnu::noinline]] void combine_all(const Member& member, uintptr_t* chain) {
  Reductions& list = Reductions::of(chain);
  for (int id = 0; id < member.count; ++id)
    combine(list, id);
  unregister_reductions(chain);
  sys::release(&list);
}

} // namespace

void register_reductions_of_group(Member& member, int32_t count, const Reduction* items) {
  register_group_reductions(member, make(count, items).chain());
}

void end_group_with_reductions(Member& member, const void* codeptr) {
  uintptr_t* chain = innermost_group(member).reductions;
  taskgroup_end(member, codeptr);
  if (chain) [[unlikely]]
    combine_all(member, chain);
}

} // namespace xomp::llvm

using namespace xomp;
using namespace xomp::llvm;

XOMP_EXPORT void* __kmpc_taskred_init(int32_t, int32_t count, const Reduction* items) {
  Member& member = me();
  register_reductions_of_group(member, count, items);
  if (records_here()) [[unlikely]]
    record_reductions(count, items);
  return member.env->group;
}

/// Of parallel and worksharing constructs with reduction(task): every thread comes here.
XOMP_EXPORT void* __kmpc_taskred_modifier_init(const Ident*, int32_t, int32_t, int32_t count,
                                               const Reduction* items) {
  Member& member = me();
  start_scope(member, make(count, items).chain());
  return member.env->group;
}
XOMP_EXPORT void* __kmpc_task_reduction_init(int32_t, int32_t count, const OldItem* items) {
  Member& member = me();
  register_group_reductions(member, make(count, items).chain());
  return member.env->group;
}
XOMP_EXPORT void* __kmpc_task_reduction_modifier_init(const Ident*, int32_t, int32_t, int32_t count,
                                                      const OldItem* items) {
  Member& member = me();
  start_scope(member, make(count, items).chain());
  return member.env->group;
}
/// The thread adds what it has, of anybody's tasks, to its part of the reduction.
XOMP_EXPORT void __kmpc_task_reduction_modifier_fini(const Ident* ident, int32_t, int32_t) {
  Member& member = me();
  const Taskgroup& group = reduction_group(member);
  SharedCopies* copies = group.copies;
  Reductions& list = Reductions::of(group.reductions);
  const void* codeptr = __builtin_return_address(0);
  if (member.track) [[unlikely]]
    describe(ident, codeptr);
  taskgroup_end(member, codeptr);
  bool cancelled = barrier_at(member, codeptr);
  if (!cancelled)
    combine(list, member.id);
  drop_copies(copies);
  sys::release(&list);
}

/// The calling thread's copy of `data`, an original or a copy.
XOMP_EXPORT void* __kmpc_task_reduction_get_th_data(int32_t, void*, void* data) {
  OwnCopy own = own_copy(me(), data);
  uint64_t& initialized = Reductions::initialized(own.address);
  if (!initialized) {
    initialized = 1;
    const auto& item = *reinterpret_cast<const Reduction*>(own.item[2]);
    if (item.init)
      item.init(own.address, item.original);
  }
  return own.address;
}

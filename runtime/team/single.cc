// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/single.h"

#include "team/barrier.h"

namespace xomp {

void* single_copy_start(Member& member) {
  if (single_start(member))
    return nullptr;
  barrier(member);
  return member.team->copyprivate_data;
}

void single_copy_end(Member& member, void* data) {
  if (member.count == 1)
    return;
  // The barrier publishes it; the compiler puts another one behind the copies, which protects it.
  member.team->copyprivate_data = data;
  barrier(member);
}

} // namespace xomp

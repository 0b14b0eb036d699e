// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/same_object.h"

#include <link.h>

#include <cstdint>

namespace xomp::sys {
namespace {

struct Pair {
  const void* one;
  const void* other;
};

bool has(const dl_phdr_info& object, const void* address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    uintptr_t offset = reinterpret_cast<uintptr_t>(address) - object.dlpi_addr - part.p_vaddr;
    if (part.p_type == PT_LOAD && offset < part.p_memsz)
      return true;
  }
  return false;
}

int has_both(dl_phdr_info* object, std::size_t, void* argument) {
  const Pair& pair = *static_cast<Pair*>(argument);
  return has(*object, pair.one) && has(*object, pair.other);
}

} // namespace

bool in_same_object(const void* one, const void* other) {
  Pair pair{one, other};
  return dl_iterate_phdr(has_both, &pair) != 0;
}

} // namespace xomp::sys

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/llvm/presence.h"

#include <link.h>

#include <cstring>

namespace xomp::llvm {
namespace {

/// The names by which such a runtime is asked for, or opened.
bool names_runtime(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  return std::strncmp(name, "libomp.so", 9) == 0 || std::strncmp(name, "libiomp5.so", 11) == 0;
}

/// What an object's dynamic section says that it needs.
bool needs_runtime(const dl_phdr_info& object) {
  const ElfW(Dyn)* entries = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  if (!entries)
    return false;
  const char* strings = nullptr;
  for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB)
      strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  // Only of an object that needs others has the loader put in the table's address.
  for (const auto* entry = entries; strings && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && names_runtime(strings + entry->d_un.d_val))
      return true;
  return false;
}

int look(dl_phdr_info* object, std::size_t, void*) {
  return (object->dlpi_name && names_runtime(object->dlpi_name)) || needs_runtime(*object);
}

} // namespace

bool program_is_here() { return dl_iterate_phdr(look, nullptr) != 0; }

} // namespace xomp::llvm

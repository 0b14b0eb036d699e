// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/needed.h"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace xomp::sys {
namespace {

struct Question {
  bool (*means)(const char* file);
  bool or_there;
};

bool meant(const Question& question, const char* path) {
  const char* slash = std::strrchr(path, '/');
  return question.means(slash ? slash + 1 : path);
}

/// Asks of what an object's dynamic section says that it needs.
bool needs(const dl_phdr_info& object, const Question& question) {
  const ElfW(Dyn)* entries = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  if (!entries)
    return false;
  uintptr_t table = 0;
  for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB)
      table = entry->d_un.d_ptr;
  // The loader has put in the table's address, but not where it may not write (`-z rodynamic`).
  const auto* strings =
      reinterpret_cast<const char*>(table < object.dlpi_addr ? table + object.dlpi_addr : table);
  for (const auto* entry = entries; table && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && meant(question, strings + entry->d_un.d_val))
      return true;
  return false;
}

int look(dl_phdr_info* object, std::size_t, void* argument) {
  const auto& question = *static_cast<const Question*>(argument);
  if (question.or_there && object->dlpi_name && meant(question, object->dlpi_name))
    return 1;
  return needs(*object, question);
}

bool somebody_answers(Question question) { return dl_iterate_phdr(look, &question) != 0; }

} // namespace

bool is_needed_or_there(bool (*means)(const char* file)) { return somebody_answers({means, true}); }
bool is_needed(bool (*means)(const char* file)) { return somebody_answers({means, false}); }

} // namespace xomp::sys

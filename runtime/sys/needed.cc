// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/needed.h"

#include <cstddef>
#include <cstdint>

#include "sys/affixes.h"

namespace xomp::sys {
namespace {

struct Question {
  bool (*means)(const Asked& library);
  bool or_there;
};

std::string_view without_folder(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path;
}

/// The loader has put in some tables' addresses, but not where it may not write (`-z rodynamic`).
template <class T> const T* table_at(uintptr_t address, const dl_phdr_info& object) {
  return reinterpret_cast<const T*>(address < object.dlpi_addr ? address + object.dlpi_addr
                                                               : address);
}

template <class T> const T* after(const T* entry, std::size_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(entry) + bytes);
}

/// Asks of what an object's dynamic section says that it needs.
bool needs(const dl_phdr_info& object, const Question& question) {
  const ElfW(Dyn)* entries = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entries = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
  if (!entries)
    return false;
  const char* strings = nullptr;
  const ElfW(Verneed)* versions = nullptr;
  for (const auto* entry = entries; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB)
      strings = table_at<char>(entry->d_un.d_ptr, object);
    else if (entry->d_tag == DT_VERNEED)
      versions = table_at<ElfW(Verneed)>(entry->d_un.d_ptr, object);
  }
  for (const auto* entry = entries; strings && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED &&
        question.means(Asked(strings + entry->d_un.d_val, versions, strings)))
      return true;
  return false;
}

int look(dl_phdr_info* object, std::size_t, void* argument) {
  const auto& question = *static_cast<const Question*>(argument);
  if (question.or_there && object->dlpi_name && question.means(Asked(object->dlpi_name)))
    return 1;
  return needs(*object, question);
}

bool somebody_answers(Question question) { return dl_iterate_phdr(look, &question) != 0; }

} // namespace

Asked::Asked(const char* path, const ElfW(Verneed) * first, const char* strings)
    : file(without_folder(path)), first(first), strings(strings) {}

bool Asked::version(std::string_view beginning) const {
  for (const auto* of = first; of; of = of->vn_next ? after(of, of->vn_next) : nullptr) {
    if (without_folder(strings + of->vn_file) != file)
      continue;
    const auto* name = reinterpret_cast<const ElfW(Vernaux)*>(after(of, of->vn_aux));
    for (int i = 0; i < of->vn_cnt; ++i, name = after(name, name->vna_next))
      if (starts_with(strings + name->vna_name, beginning))
        return true;
  }
  return false;
}

bool is_needed_or_there(bool (*means)(const Asked& library)) {
  return somebody_answers({means, true});
}
bool is_needed(bool (*means)(const Asked& library)) { return somebody_answers({means, false}); }

} // namespace xomp::sys

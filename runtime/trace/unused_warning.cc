// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/unused_warning.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "conf/settings.h"
#include "sys/affixes.h"
#include "sys/report.h"

namespace xomp {
namespace {

/// OpenMP runtimes in this process beside this one, null or a path.
struct Others {
  const void* own = nullptr;     ///< where this library begins
  const char* llvm = nullptr;    ///< LLVM's or Intel's
  const char* libgomp = nullptr; ///< called only by libraries that found it by its path
};

/// Whether the name is `stem`, a hash as wheels have it perhaps, and ".so".
bool is_library(std::string_view name, std::string_view stem) {
  if (!sys::starts_with(name, stem))
    return false;
  name.remove_prefix(stem.size());
  if (name.starts_with('-'))
    name.remove_prefix(std::min(name.find_first_not_of("0123456789abcdef", 1), name.size()));
  return sys::starts_with(name, ".so");
}

int look_at(dl_phdr_info* object, std::size_t, void* argument) {
  Others& others = *static_cast<Others*>(argument);
  if (reinterpret_cast<const void*>(object->dlpi_addr) == others.own)
    return 0;
  std::string_view name = object->dlpi_name ? object->dlpi_name : "";
  name.remove_prefix(name.rfind('/') + 1);
  for (std::string_view stem : {"libomp", "libomp5", "libiomp5"})
    if (is_library(name, stem))
      others.llvm = object->dlpi_name;
  if (is_library(name, "libgomp"))
    others.libgomp = object->dlpi_name;
  return 0;
}

Others find_others() {
  Others others;
  Dl_info here;
  if (dladdr(&settings, &here))
    others.own = here.dli_fbase;
  dl_iterate_phdr(look_at, &others);
  return others;
}

/// Whether the calls of clang's and Intel's binaries come here, though their runtime is there, too:
/// this one was loaded before it.
bool takes_llvm_calls(const Others& others) {
  Dl_info found;
  const void* fork = dlvsym(RTLD_DEFAULT, "__kmpc_fork_call", "VERSION");
  return fork && dladdr(fork, &found) && found.dli_fbase == others.own;
}

} // namespace

void warn_if_unused(bool used) {
  bool asked = settings.counts();
  if (!asked && (used || !settings.started_by_run))
    return;
  Others others = find_others();
  const char* program = program_invocation_short_name;
  int process = static_cast<int>(getpid());
  if (used) {
    if (others.llvm && !takes_llvm_calls(others))
      sys::warn("%s, process %d: what was compiled by clang or Intel's compiler ran on %s, not on "
                "xomp",
                program, process, others.llvm);
    return;
  }
  const char* other = others.llvm ? others.llvm : asked ? others.libgomp : nullptr;
  if (other)
    sys::warn("not in use by %s, process %d: nothing in it called xomp, and %s is there", program,
              process, other);
  else if (asked && settings.started_by_run == process)
    sys::warn("not in use by %s, process %d: nothing in it called an OpenMP runtime", program,
              process);
}

} // namespace xomp

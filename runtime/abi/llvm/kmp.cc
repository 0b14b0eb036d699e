// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kmp_* routines that programs use, with their Fortran names beside them (by reference), and the
// names kmpc_*, which take values like those of C. What they ask of a runtime that works otherwise
// is remembered and changes nothing.
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "conf/kmp.h"
#include "conf/settings.h"
#include "sys/report.h"
#include "task/environment.h"
#include "team/pool.h"
#include "team/team.h"

using namespace xomp;

namespace {

int library() { return static_cast<int>(completed_settings().kmp_library); }

/// Serial: regions have one thread from here on, whatever clauses say.
void set_library(KmpLibrary kind) {
  Icv& own = own_icv(me()); // first: the settings are read then
  settings.kmp_library = kind;
  bool serial = kind == KmpLibrary::kSerial;
  own.num_threads = serial ? 1 : settings.icv.num_threads;
  own.thread_limit = serial ? 1 : settings.icv.thread_limit;
}
void set_library(int kind) {
  if (kind < static_cast<int>(KmpLibrary::kSerial) ||
      kind > static_cast<int>(KmpLibrary::kThroughput))
    sys::fatal("kmp_set_library: there is no library %d", kind);
  set_library(static_cast<KmpLibrary>(kind));
}

std::size_t stack_size() {
  complete_settings();
  return thread_stack_size();
}

/// Of threads that are made from here on.
void set_stack_size(std::size_t size) {
  long smallest = sysconf(_SC_THREAD_STACK_MIN);
  completed_settings().stack_size =
      std::max(size, smallest > 0 ? static_cast<std::size_t>(smallest) : 0);
}

int blocktime() { return completed_settings().blocktime; }
void change_blocktime(int milliseconds) {
  complete_settings();
  set_blocktime(milliseconds);
}

void set_defaults(const char* text, std::size_t length) {
  if (add_defaults(text, length))
    return;
  KmpLibrary before = settings.kmp_library;
  heed_defaults(text, length, own_icv(me()));
  if (settings.kmp_library != before)
    set_library(settings.kmp_library);
}

} // namespace

#define XOMP_BY_VALUE(name, other) __attribute__((alias(#name))) other

// A time to wait before sleeping, in milliseconds.
XOMP_EXPORT void kmp_set_blocktime(int milliseconds) { change_blocktime(milliseconds); }
XOMP_EXPORT void kmp_set_blocktime_(const int* milliseconds) { change_blocktime(*milliseconds); }
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_blocktime, void kmpc_set_blocktime)(int);
XOMP_EXPORT int kmp_get_blocktime() { return blocktime(); }
XOMP_EXPORT int kmp_get_blocktime_() { return blocktime(); }

XOMP_EXPORT void kmp_set_library(int kind) { set_library(kind); }
XOMP_EXPORT void kmp_set_library_(const int* kind) { set_library(*kind); }
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_library, void kmpc_set_library)(int);
XOMP_EXPORT int kmp_get_library() { return library(); }
XOMP_EXPORT int kmp_get_library_() { return library(); }
XOMP_EXPORT void kmp_set_library_serial() { set_library(KmpLibrary::kSerial); }
XOMP_EXPORT void kmp_set_library_serial_() { set_library(KmpLibrary::kSerial); }
XOMP_EXPORT void kmp_set_library_turnaround() { set_library(KmpLibrary::kTurnaround); }
XOMP_EXPORT void kmp_set_library_turnaround_() { set_library(KmpLibrary::kTurnaround); }
XOMP_EXPORT void kmp_set_library_throughput() { set_library(KmpLibrary::kThroughput); }
XOMP_EXPORT void kmp_set_library_throughput_() { set_library(KmpLibrary::kThroughput); }

XOMP_EXPORT void kmp_set_stacksize(int size) { set_stack_size(std::max(size, 0)); }
XOMP_EXPORT void kmp_set_stacksize_(const int* size) { set_stack_size(std::max(*size, 0)); }
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_stacksize, void kmpc_set_stacksize)(int);
XOMP_EXPORT void kmp_set_stacksize_s(std::size_t size) { set_stack_size(size); }
XOMP_EXPORT void kmp_set_stacksize_s_(const std::size_t* size) { set_stack_size(*size); }
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_stacksize_s, void kmpc_set_stacksize_s)(std::size_t);
XOMP_EXPORT int kmp_get_stacksize() {
  return static_cast<int>(std::min<std::size_t>(stack_size(), INT_MAX));
}
XOMP_EXPORT int kmp_get_stacksize_() { return kmp_get_stacksize(); }
XOMP_EXPORT std::size_t kmp_get_stacksize_s() { return stack_size(); }
XOMP_EXPORT std::size_t kmp_get_stacksize_s_() { return stack_size(); }

/// Threads that have had a number.
XOMP_EXPORT int kmp_get_num_known_threads() { return llvm::known_threads(); }
XOMP_EXPORT int kmp_get_num_known_threads_() { return llvm::known_threads(); }

/// Variables as a text.
XOMP_EXPORT void kmp_set_defaults(const char* text) { set_defaults(text, std::strlen(text)); }
XOMP_EXPORT void kmp_set_defaults_(const char* text, std::size_t length) {
  set_defaults(text, length);
}
XOMP_EXPORT XOMP_BY_VALUE(kmp_set_defaults, void kmpc_set_defaults)(const char*);

// Without effect: warnings, the number of loops that may be open at once.
XOMP_EXPORT void kmp_set_warnings_on() {}
XOMP_EXPORT void kmp_set_warnings_on_() {}
XOMP_EXPORT void kmp_set_warnings_off() {}
XOMP_EXPORT void kmp_set_warnings_off_() {}
XOMP_EXPORT void kmp_set_disp_num_buffers(int) {}
XOMP_EXPORT void kmp_set_disp_num_buffers_(const int*) {}
XOMP_EXPORT void kmpc_set_disp_num_buffers(int) {}

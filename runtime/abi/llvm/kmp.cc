// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// kmp_* routines that programs use. What they ask of a runtime that works otherwise is remembered
// and changes nothing.
#include <algorithm>

#include "abi/export.h"

namespace {

// Milliseconds, and one of 1 serial, 2 turnaround, 3 throughput: their defaults.
constinit int blocktime = 200;
constinit int library = 3;

} // namespace

XOMP_EXPORT void kmp_set_blocktime(int milliseconds) { blocktime = std::max(milliseconds, 0); }
XOMP_EXPORT int kmp_get_blocktime() { return blocktime; }
XOMP_EXPORT void kmp_set_library(int kind) { library = std::clamp(kind, 1, 3); }
XOMP_EXPORT int kmp_get_library() { return library; }
XOMP_EXPORT void kmp_set_library_serial() { library = 1; }
XOMP_EXPORT void kmp_set_library_turnaround() { library = 2; }
XOMP_EXPORT void kmp_set_library_throughput() { library = 3; }
XOMP_EXPORT void kmp_set_defaults(const char*) {}
XOMP_EXPORT void kmp_set_warnings_on() {}
XOMP_EXPORT void kmp_set_warnings_off() {}

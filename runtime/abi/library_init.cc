// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's constructor: reads the environment and asks to be told of forks, and leaves the
// process alone otherwise, which may never use OpenMP (docs/testing.md lists what it sees of us);
// what is put in order in a child; and its destructor: prints what was asked for about the process.
#include <pthread.h>

#include <string_view>

#include "abi/llvm/after_fork.h"
#include "conf/kmp.h"
#include "conf/settings.h"
#include "locks/locks.h"
#include "memory/allocated_set.h"
#include "memory/allocators.h"
#include "memory/threadprivate.h"
#include "ompt/tool.h"
#include "sys/affixes.h"
#include "sys/needed.h"
#include "sys/report.h"
#include "sys/uncancellable.h"
#include "team/thread.h"
#include "team/tracing.h"
#include "trace/counters.h"
#include "trace/display_summary.h"
#include "trace/recorder.h"
#include "trace/stream.h"
#include "trace/unused_warning.h"

namespace xomp {
namespace {

/// Only the calling thread exists.
void child_begins() {
  sys::Uncancellable whole;
  settings.started_by_run = 0; // it speaks for those that were started, not for their copies
  // What a thread may hold that is not known.
  repair_locks_after_fork();
  llvm::repair_caches_after_fork();
  llvm::repair_taskgraphs_after_fork();
  repair_allocators_after_fork();
  repair_allocated_set_after_fork();
  repair_threadprivate_after_fork();
  after_fork_in_child();
}

/// The version of the names that those compilers' binaries ask for.
constexpr const char* kOfLlvm = "VERSION";

/// The GNU runtime's name, which wheels put a hash in, and ours.
bool is_ours(std::string_view file) {
  return sys::starts_with(file, "libgomp") || sys::starts_with(file, "libxomp.so");
}
/// The names by which LLVM's or Intel's runtime is asked for, or opened; ours, where what is linked
/// to it was compiled by their compilers.
bool means_llvm(const sys::Asked& library) {
  return sys::starts_with(library.file, "libomp.so") ||
         sys::starts_with(library.file, "libiomp5.so") ||
         (is_ours(library.file) && library.version(kOfLlvm));
}
/// The GNU one's, where what is linked to it was not compiled by them alone.
bool means_gnu(const sys::Asked& library) {
  return is_ours(library.file) && (!library.version(kOfLlvm) || library.version("GOMP_"));
}

[[gnu::constructor]] void library_loaded() {
  sys::Uncancellable whole;
  kmp_variables_count = [] { return sys::is_needed_or_there(means_llvm); };
  kmp_defaults_count = [] { return kmp_variables_count() && !sys::is_needed(means_gnu); };
  {
    sys::HeldWarnings until_openmp_is_used;
    load_settings(sys::is_needed(means_gnu) ? ReadOpenmp::kNow : ReadOpenmp::kAtUse);
  }
  if (settings.display)
    begin_display_summary();
  if (settings.perflog)
    trace::recorder.start_with_process();
  if (trace::tool_may_come())
    trace::listen(trace::kTool);
  // A child process has the calling thread only; nothing is locked across fork, so the parent has
  // no part in it.
  pthread_atfork(nullptr, nullptr, child_begins);
}

/// What the calling thread is not in the middle of is told to its end.
void end_recording() {
  Member* known = self == &stranger ? nullptr : static_cast<Member*>(self);
  if (known && known->track && known == known->thread->initial && known->track->writer.is_open()) {
    trace_implicit_ends(*known);
    leave_track(*known->thread);
    known->track = nullptr;
  }
  trace::recorder.end();
}

[[gnu::destructor]] void process_ends() {
  end_recording();
  warn_if_unused(knows_a_thread());
  if (settings.stats)
    print_counters(settings.all_stats);
  if (settings.display)
    print_display_summary();
}

} // namespace
} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's constructor: reads the environment and asks to be told of forks;
// and its destructor: prints what was asked for about the process.
#include <pthread.h>

#include "conf/settings.h"
#include "team/thread.h"
#include "team/watchdog.h"
#include "trace/counters.h"
#include "trace/explanation.h"

namespace xomp {
namespace {

[[gnu::constructor]] void library_loaded() {
  load_settings();
  if (settings.display)
    begin_explanation();
  start_watchdog();
  // A child process has the calling thread only; nothing is locked across fork, so the parent has
  // no part in it.
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

[[gnu::destructor]] void process_ends() {
  if (settings.stats)
    print_counters();
  if (settings.display)
    explain();
}

} // namespace
} // namespace xomp

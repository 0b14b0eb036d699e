// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// XOMP_WATCHDOG: SIGUSR1 prints what every worker of the process is doing, for a program that does
// not go on. Without the variable no signal is handled, no team is entered anywhere, and all of
// this is one look at a setting where a team is made, changed or freed.
#pragma once
#include <signal.h>

#include "conf/settings.h"
#include "team/team.h"

namespace xomp {

/// Begins to handle the signal if the settings ask for it.
void start_watchdog();

/// Teams between these two are shown.
void watch(Team& team);
void unwatch(Team& team);
/// The calling thread is the one that serves as `member`.
void note_thread(Member& member);

/// While one of these exists no report looks at any team: arrays that it walks are being replaced.
class Unobserved {
public:
  Unobserved() {
    if (settings.watchdog) [[unlikely]]
      begin();
  }
  ~Unobserved() {
    if (settings.watchdog) [[unlikely]]
      end();
  }
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;

private:
  void begin();
  void end();

  sigset_t mask_before;
};

/// In the child after fork: only the teams in which `member` acts are left; null: none.
void restart_watchdog_after_fork(Member* member);

} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds that are no graph: what needs a region of its own, or none.
#pragma once
#include "graph.h"

namespace stress {

/// Tasks that wait until somebody else has done something, without a scheduling point.
void play_pollers(Key key, int threads);

/// Threads that use OpenMP for a moment and end, some with a task whose event is open.
void play_guests(Key key, int threads);
/// All of them have ended.
void send_guests_home();

/// Children of fork, in which everything works as in any process.
void play_forks(Key key, int threads);
/// A thread that forks now and then, beside everything else.
void start_forking();
void stop_forking();

} // namespace stress

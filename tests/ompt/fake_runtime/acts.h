// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a runtime tells that does all right, piece by piece; scenarios leave out some of it, or do
// it at the wrong time.
#pragma once
#include "host.h"

namespace fake {

inline Fake a, b, c;   ///< tasks
inline char elsewhere; ///< not on a stack

void thread_begins(ompt_thread_t kind = ompt_thread_initial);
void thread_ends();

/// The thread and its initial task.
void begin();
void finish();

/// Around what is told from inside the runtime.
struct InRuntime {
  InRuntime();
  ~InRuntime();
};

inline constexpr int kTeam = static_cast<int>(ompt_parallel_team) | ompt_parallel_invoker_program;
void region_begins(unsigned requested = 1, int flags = kTeam, const void* address = here);
void region_ends(int flags = kTeam);
void implicit_begins(Fake& task = implicit_task, unsigned index = 0);
void implicit_ends(Fake& task = implicit_task);
void into_region();
void out_of_region();

void create(Fake& task, int flags = ompt_task_explicit, int dependences = 0,
            const void* address = here);
void schedule(Fake& prior, ompt_task_status_t status, Fake& next);
/// Created, run, completed; from the current task.
void run(Fake& task);

void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint);
void wait_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint);
void enter(ompt_sync_region_t kind);
void leave(ompt_sync_region_t kind);
void wait_at(ompt_sync_region_t kind);

void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint);

void acquire(ompt_mutex_t kind, uint64_t mutex);
void acquired(ompt_mutex_t kind, uint64_t mutex);
void released(ompt_mutex_t kind, uint64_t mutex);

/// The rest of a scenario on another thread, which the runtime made.
void on_another_thread(void (*function)());

} // namespace fake

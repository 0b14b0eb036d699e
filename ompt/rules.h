// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each callback means for the records, and what must hold when it is called (README.md).
#pragma once
#include <cstddef>
#include <cstdint>

#include "omp-tools.h"
#include "records.h"
#include "report.h"

namespace ompt_check {

// ---- names.cc: words for messages ----

const char* word_for(ompt_thread_t kind);
const char* word_for(ompt_scope_endpoint_t endpoint);
const char* word_for(ompt_task_status_t status);
const char* word_for(ompt_work_t kind);
const char* word_for(ompt_dispatch_t kind);
const char* word_for(ompt_sync_region_t kind);
const char* word_for(ompt_mutex_t kind);
const char* word_for(ompt_dependence_type_t kind);
const char* word_for(ompt_state_t state);
/// "explicit+untied", into `buffer`.
const char* words_for_task(int flags, char* buffer, size_t size);

// ---- context.cc: what the entry points say at that moment ----

struct EntryPoints {
  ompt_get_state_t get_state;
  ompt_get_task_info_t get_task_info;
  ompt_get_parallel_info_t get_parallel_info;
  ompt_get_thread_data_t get_thread_data;
};
inline EntryPoints entry_points;

/// What is expected of the current task's frames: any, an enter frame, its own code runs, its code
/// is over.
enum class Frame { kAny, kEntered, kInTask, kLeft };

/// State, task, region and frames of the thread, as the runtime says they are, against the records.
void check_context(const Thread& thread, Frame frame);
/// Of the call that told of a creation: the frame that it passed.
void check_entered_frame(const ompt_frame_t* frame);
/// The thread waits: it must not say that it works.
void check_waits(const Thread& thread);
/// A return address of the program. Null only where there may be none.
void check_address(const void* address, bool may_be_null);

// ---- shared by the rules ----

/// The task of that number; null, and the rule broken, if there is none that is not over.
Task* named_task(const ompt_data_t* data, const char* role);
/// The same, and the thread must be in it.
Task* current_task(const Thread& thread, const ompt_data_t* data);
/// `data` must name the region that the task binds to. Null is allowed where the region may be
/// gone.
void check_region(const Task& task, const ompt_data_t* data, bool may_be_null);
/// An endpoint that is none of the three is told, and taken for none.
bool begins(ompt_scope_endpoint_t endpoint);
bool ends(ompt_scope_endpoint_t endpoint);
void check_endpoint(ompt_scope_endpoint_t endpoint);
/// A new record for the task; `data` must be fresh.
Task& new_task(ompt_data_t* data, int flags, Task* parent, Region* region);
Region& new_region(ompt_data_t* data, Task* creator, int flags, unsigned requested);
void finish(Task& task);
/// Nothing may be open in a task that ends.
void check_nothing_open(const Task& task);

// ---- one for each callback (rules_*.cc) ----

void thread_begins(ompt_thread_t kind, ompt_data_t* data);
void thread_ends(Thread& thread, const ompt_data_t* data);

void region_begins(Thread& thread, const ompt_data_t* task_data, const ompt_frame_t* frame,
                   ompt_data_t* data, unsigned requested, int flags, const void* address);
void region_ends(Thread& thread, const ompt_data_t* data, const ompt_data_t* task_data, int flags,
                 const void* address);
void implicit_begins(Thread& thread, ompt_data_t* region_data, ompt_data_t* data, unsigned size,
                     unsigned index, int flags);
void implicit_ends(Thread& thread, const ompt_data_t* region_data, const ompt_data_t* data,
                   unsigned size, unsigned index, int flags);

void task_created(Thread& thread, const ompt_data_t* creator_data, const ompt_frame_t* frame,
                  ompt_data_t* data, int flags, bool has_dependences, const void* address);
void task_scheduled(Thread& thread, const ompt_data_t* prior_data, ompt_task_status_t status,
                    const ompt_data_t* next_data);
/// Early or late; by any thread.
void event_fulfilled(const ompt_data_t* data, ompt_task_status_t status, const ompt_data_t* next);
void dependences_told(Thread& thread, const ompt_data_t* data, const ompt_dependence_t* list,
                      int count);
void dependence_told(Thread& thread, const ompt_data_t* source, const ompt_data_t* sink);
void cancelled(Thread& thread, const ompt_data_t* data, int flags, const void* address);

void sync_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address);
void wait_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address);
void reduction_told(Thread& thread, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                    const ompt_data_t* region_data, const ompt_data_t* data, const void* address);
void work_told(Thread& thread, ompt_work_t kind, ompt_scope_endpoint_t endpoint,
               const ompt_data_t* region_data, const ompt_data_t* data, const void* address);
void masked_told(Thread& thread, ompt_scope_endpoint_t endpoint, const ompt_data_t* region_data,
                 const ompt_data_t* data, const void* address);
void dispatch_told(Thread& thread, const ompt_data_t* region_data, const ompt_data_t* data,
                   ompt_dispatch_t kind, ompt_data_t instance);

void lock_made(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address);
void lock_destroyed(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address);
void mutex_asked(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address);
void mutex_acquired(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address);
void mutex_released(Thread& thread, ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address);
void nest_round(Thread& thread, ompt_scope_endpoint_t endpoint, ompt_wait_id_t mutex,
                const void* address);
/// Something else is told: a thread that asked for a mutex must have it before, or have given up.
void check_not_asking(Thread& thread);

/// At the end: what began and did not end.
void check_all_ended();

} // namespace ompt_check

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tool: is asked for by the runtime, registers for everything, and passes each callback on to
// the rules and, if OMPT_CHECK says so, to the printer.
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include "omp-tools.h"
#include "places.h"
#include "rules.h"

namespace ompt_check {
namespace {

std::atomic<bool> finalized{false};
std::atomic<uint64_t> callbacks_of_ended{0};
uint64_t set_callbacks; ///< that the runtime said it would call, by their place in `registrations`
ompt_get_callback_t get_callback;
ompt_get_num_procs_t get_num_procs;

bool ended() { return finalized.load(std::memory_order_relaxed); }

/// For as long as a callback runs. False: there is nothing more to do.
class Call {
public:
  explicit Call(const char* name, bool may_be_unknown = false)
      : saved_errno(errno), name(name), thread(calling_thread()) {
    set_callback_name(name);
    if (ended())
      broken(Rule::kEnds, "called after the tool was finalized");
    else if (thread)
      ++thread->callbacks;
    else if (!may_be_unknown)
      broken(Rule::kThreads, "called by a thread that has not begun, or has ended");
  }
  ~Call() { errno = saved_errno; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  explicit operator bool() const { return thread && !ended(); }
  Thread& operator*() const { return *thread; }

  [[gnu::format(printf, 2, 3)]] void print(const char* format, ...) const;

private:
  int saved_errno;
  const char* name;
  Thread* thread;
};

void Call::print(const char* format, ...) const {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  say("ompt: thread %u: %s %s", calling_thread_number(), name, text);
}

#define PRINT(call, ...)                                                                           \
  do {                                                                                             \
    if (options.print) [[unlikely]]                                                                \
      (call).print(__VA_ARGS__);                                                                   \
  } while (false)

void check_answers();

// ---- threads and regions ----

void on_thread_begin(ompt_thread_t kind, ompt_data_t* data) {
  Call call("thread_begin", true);
  thread_begins(kind, data);
  PRINT(call, "%s", word_for(kind));
}

void on_thread_end(ompt_data_t* data) {
  Call call("thread_end");
  if (!call)
    return;
  PRINT(call, "after %" PRIu64 " callbacks", (*call).callbacks);
  callbacks_of_ended.fetch_add((*call).callbacks, std::memory_order_relaxed);
  check_not_asking(*call);
  thread_ends(*call, data);
}

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* data,
                       unsigned requested, int flags, const void* address) {
  Call call("parallel_begin");
  if (!call)
    return;
  check_not_asking(*call);
  check_context(*call, Frame::kEntered);
  region_begins(*call, task, frame, data, requested, flags, address);
  PRINT(call, "region=%" PRIu64 " by=%" PRIu64 " requested=%u flags=%#x from=%p", region_id(data),
        task_id(task), requested, flags, address);
}

void on_parallel_end(ompt_data_t* data, ompt_data_t* task, int flags, const void* address) {
  Call call("parallel_end");
  if (!call)
    return;
  PRINT(call, "region=%" PRIu64 " by=%" PRIu64 " flags=%#x from=%p", region_id(data), task_id(task),
        flags, address);
  check_not_asking(*call);
  region_ends(*call, data, task, flags, address);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* data,
                      unsigned size, unsigned index, int flags) {
  Call call("implicit_task");
  if (!call)
    return;
  check_not_asking(*call);
  char words[160];
  words_for_task(flags, words, sizeof words);
  if (endpoint == ompt_scope_begin) {
    if (flags & ompt_task_implicit)
      check_answers();
    implicit_begins(*call, region, data, size, index, flags);
    PRINT(call, "begin region=%" PRIu64 " task=%" PRIu64 " number=%u of %u flags=%s",
          region_id(region), task_id(data), index, size, words);
  } else if (endpoint == ompt_scope_end) {
    PRINT(call, "end task=%" PRIu64 " number=%u of %u flags=%s", task_id(data), index, size, words);
    implicit_ends(*call, region, data, size, index, flags);
  } else {
    broken(Rule::kArguments, "an endpoint of %d", endpoint);
  }
}

// ---- tasks ----

void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* data, int flags,
                    int has_dependences, const void* address) {
  Call call("task_create");
  if (!call)
    return;
  check_not_asking(*call);
  check_context(*call, Frame::kEntered);
  task_created(*call, creator, frame, data, flags, has_dependences != 0, address);
  char words[160];
  PRINT(call, "task=%" PRIu64 " by=%" PRIu64 " flags=%s dependences=%d from=%p", task_id(data),
        task_id(creator), words_for_task(flags, words, sizeof words), has_dependences, address);
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  // Any thread may fulfil an event, also one that has nothing to do with OpenMP.
  bool fulfils = status == ompt_task_early_fulfill || status == ompt_task_late_fulfill;
  Call call("task_schedule", fulfils);
  if (!call && (!fulfils || ended()))
    return;
  PRINT(call, "%s task=%" PRIu64 " next=%" PRIu64, word_for(status), task_id(prior), task_id(next));
  if (fulfils) {
    event_fulfilled(prior, status, next);
    return;
  }
  check_not_asking(*call);
  task_scheduled(*call, prior, status, next);
}

void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  Call call("dependences");
  if (!call)
    return;
  PRINT(call, "task=%" PRIu64 " count=%d first=%s of %p", task_id(task), count,
        list && count > 0 ? word_for(list[0].dependence_type) : "none",
        list && count > 0 ? list[0].variable.ptr : nullptr);
  check_not_asking(*call);
  dependences_told(*call, task, list, count);
}

void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  Call call("task_dependence");
  if (!call)
    return;
  PRINT(call, "source=%" PRIu64 " sink=%" PRIu64, task_id(source), task_id(sink));
  check_not_asking(*call);
  dependence_told(*call, source, sink);
}

void on_cancel(ompt_data_t* task, int flags, const void* address) {
  Call call("cancel");
  if (!call)
    return;
  PRINT(call, "task=%" PRIu64 " flags=%#x from=%p", task_id(task), flags, address);
  check_not_asking(*call);
  cancelled(*call, task, flags, address);
}

// ---- constructs ----

using SyncRule = void (*)(Thread&, ompt_sync_region_t, ompt_scope_endpoint_t, const ompt_data_t*,
                          const ompt_data_t*, const void*);

void tell_sync(const Call& call, SyncRule rule, ompt_sync_region_t kind,
               ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
               const void* address) {
  if (!call)
    return;
  PRINT(call, "%s %s region=%" PRIu64 " task=%" PRIu64 " from=%p", word_for(endpoint),
        word_for(kind), region_id(region), task_id(task), address);
  check_not_asking(*call);
  rule(*call, kind, endpoint, region, task, address);
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                    ompt_data_t* task, const void* address) {
  tell_sync(Call("sync_region"), sync_told, kind, endpoint, region, task, address);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                         ompt_data_t* region, ompt_data_t* task, const void* address) {
  tell_sync(Call("sync_region_wait"), wait_told, kind, endpoint, region, task, address);
}

void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                  ompt_data_t* task, const void* address) {
  tell_sync(Call("reduction"), reduction_told, kind, endpoint, region, task, address);
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
             ompt_data_t* task, uint64_t count, const void* address) {
  Call call("work");
  if (!call)
    return;
  PRINT(call, "%s %s region=%" PRIu64 " task=%" PRIu64 " count=%" PRIu64 " from=%p",
        word_for(endpoint), word_for(kind), region_id(region), task_id(task), count, address);
  check_not_asking(*call);
  work_told(*call, kind, endpoint, region, task, address);
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
               const void* address) {
  Call call("masked");
  if (!call)
    return;
  PRINT(call, "%s region=%" PRIu64 " task=%" PRIu64 " from=%p", word_for(endpoint),
        region_id(region), task_id(task), address);
  check_not_asking(*call);
  masked_told(*call, endpoint, region, task, address);
}

void on_dispatch(ompt_data_t* region, ompt_data_t* task, ompt_dispatch_t kind,
                 ompt_data_t instance) {
  Call call("dispatch");
  if (!call)
    return;
  bool chunk = kind >= ompt_dispatch_ws_loop_chunk && instance.ptr;
  auto* part = chunk ? static_cast<const ompt_dispatch_chunk_t*>(instance.ptr) : nullptr;
  PRINT(call, "%s region=%" PRIu64 " task=%" PRIu64 " instance=%#" PRIx64 "+%" PRIu64,
        word_for(kind), region_id(region), task_id(task), part ? part->start : instance.value,
        part ? part->iterations : 0);
  check_not_asking(*call);
  dispatch_told(*call, region, task, kind, instance);
}

void on_flush(ompt_data_t* data, const void* address) {
  Call call("flush");
  if (!call)
    return;
  PRINT(call, "from=%p", address);
  check_address(address, false);
  if (data && threads.find(data->value) != &*call)
    broken(Rule::kThreads, "the data is not that of this thread");
}

int on_control_tool(uint64_t command, uint64_t modifier, void* argument, const void* address) {
  Call call("control_tool");
  if (!call)
    return 0;
  PRINT(call, "command=%" PRIu64 " modifier=%" PRIu64 " argument=%p from=%p", command, modifier,
        argument, address);
  check_not_asking(*call);
  check_address(address, false);
  check_context(*call, Frame::kAny);
  return 0;
}

void on_error(ompt_severity_t severity, const char* message, size_t length, const void* address) {
  Call call("error");
  if (!call)
    return;
  PRINT(call, "%s from=%p: %.*s", severity == ompt_fatal ? "fatal" : "warning", address,
        static_cast<int>(length), message ? message : "");
  check_address(address, false);
  if (severity != ompt_warning && severity != ompt_fatal)
    broken(Rule::kArguments, "a severity of %d", severity);
}

// ---- mutual exclusion ----

void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t mutex,
                  const void* address) {
  Call call("lock_init");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " hint=%u implementation=%u from=%p", word_for(kind), mutex, hint,
        implementation, address);
  check_not_asking(*call);
  lock_made(kind, mutex, address);
}

void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  Call call("lock_destroy");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " from=%p", word_for(kind), mutex, address);
  check_not_asking(*call);
  lock_destroyed(kind, mutex, address);
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation,
                      ompt_wait_id_t mutex, const void* address) {
  Call call("mutex_acquire");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " hint=%u implementation=%u from=%p", word_for(kind), mutex, hint,
        implementation, address);
  check_not_asking(*call);
  mutex_asked(*call, kind, mutex, address);
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  Call call("mutex_acquired");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " from=%p", word_for(kind), mutex, address);
  mutex_acquired(*call, kind, mutex, address);
}

void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t mutex, const void* address) {
  Call call("mutex_released");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " from=%p", word_for(kind), mutex, address);
  check_not_asking(*call);
  mutex_released(*call, kind, mutex, address);
}

void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t mutex, const void* address) {
  Call call("nest_lock");
  if (!call)
    return;
  PRINT(call, "%s %#" PRIx64 " from=%p", word_for(endpoint), mutex, address);
  nest_round(*call, endpoint, mutex, address);
}

// ---- beginning and end ----

struct Registration {
  ompt_callbacks_t event;
  ompt_callback_t callback;
  const char* name;
};

// That the types fit is checked where the entry is made.
#define ENTRY(event)                                                                               \
  Registration {                                                                                   \
    ompt_callback_##event,                                                                         \
        reinterpret_cast<ompt_callback_t>(ompt_callback_##event##_t{on_##event}), #event           \
  }
using ompt_callback_sync_region_wait_t = ompt_callback_sync_region_t;
using ompt_callback_reduction_t = ompt_callback_sync_region_t;
using ompt_callback_lock_init_t = ompt_callback_mutex_acquire_t;
using ompt_callback_lock_destroy_t = ompt_callback_mutex_t;
using ompt_callback_mutex_acquired_t = ompt_callback_mutex_t;
using ompt_callback_mutex_released_t = ompt_callback_mutex_t;

const Registration* registrations(size_t& count) {
  static const Registration kAll[] = {
      ENTRY(thread_begin),    ENTRY(thread_end),    ENTRY(parallel_begin), ENTRY(parallel_end),
      ENTRY(implicit_task),   ENTRY(task_create),   ENTRY(task_schedule),  ENTRY(dependences),
      ENTRY(task_dependence), ENTRY(cancel),        ENTRY(sync_region),    ENTRY(sync_region_wait),
      ENTRY(reduction),       ENTRY(work),          ENTRY(masked),         ENTRY(dispatch),
      ENTRY(flush),           ENTRY(control_tool),  ENTRY(error),          ENTRY(lock_init),
      ENTRY(lock_destroy),    ENTRY(mutex_acquire), ENTRY(mutex_acquired), ENTRY(mutex_released),
      ENTRY(nest_lock),
  };
  count = sizeof kAll / sizeof *kAll;
  return kAll;
}

template <class F> F entry(ompt_function_lookup_t lookup, const char* name) {
  ompt_interface_fn_t found = lookup(name);
  if (!found)
    broken(Rule::kEntryPoints, "no %s", name);
  return reinterpret_cast<F>(found);
}

void check_states_enumerated(ompt_function_lookup_t lookup) {
  auto enumerate = entry<ompt_enumerate_states_t>(lookup, "ompt_enumerate_states");
  if (!enumerate)
    return;
  int state = ompt_state_undefined;
  const char* name = nullptr;
  bool works = false;
  for (int count = 0; enumerate(state, &state, &name); ++count) {
    works |= state == ompt_state_work_parallel;
    if (!name || !*name || count > 1000) {
      broken(Rule::kEntryPoints,
             "ompt_enumerate_states: state %#x has no name, or there is no last one", state);
      return;
    }
  }
  if (!works)
    broken(Rule::kEntryPoints, "ompt_enumerate_states does not know of work in parallel");
}

void check_mutexes_enumerated(ompt_function_lookup_t lookup) {
  auto enumerate = entry<ompt_enumerate_mutex_impls_t>(lookup, "ompt_enumerate_mutex_impls");
  int kind = ompt_mutex_impl_none;
  const char* name = nullptr;
  for (int count = 0; enumerate && enumerate(kind, &kind, &name); ++count)
    if (!name || !*name || count > 1000) {
      broken(Rule::kEntryPoints,
             "ompt_enumerate_mutex_impls: kind %#x has no name, or there is no last one", kind);
      return;
    }
}

void check_other_entry_points(ompt_function_lookup_t lookup) {
  for (const char* name : {"ompt_get_task_memory", "ompt_get_unique_id", "ompt_finalize_tool",
                           "ompt_get_num_procs", "ompt_get_num_places", "ompt_get_place_proc_ids",
                           "ompt_get_place_num", "ompt_get_partition_place_nums",
                           "ompt_get_proc_id", "ompt_get_target_info", "ompt_get_num_devices"})
    entry<ompt_interface_fn_t>(lookup, name);
  if (lookup("ompt_no_such_entry_point"))
    broken(Rule::kEntryPoints, "an entry point that there is not was found");
  if (auto unique = entry<ompt_get_unique_id_t>(lookup, "ompt_get_unique_id")) {
    uint64_t first = unique();
    if (first == 0 || first == unique())
      broken(Rule::kEntryPoints, "ompt_get_unique_id: %" PRIu64 " is not unique", first);
  }
}

void register_all(ompt_function_lookup_t lookup) {
  auto set = entry<ompt_set_callback_t>(lookup, "ompt_set_callback");
  if (!set)
    return;
  size_t count = 0;
  const Registration* all = registrations(count);
  for (size_t i = 0; i < count; ++i) {
    ompt_set_result_t result = set(all[i].event, all[i].callback);
    bool set_at_all = result >= ompt_set_sometimes;
    if (result == ompt_set_error)
      broken(Rule::kEntryPoints, "ompt_set_callback: error for %s", all[i].name);
    if (set_at_all)
      set_callbacks |= uint64_t{1} << i;
    if (options.print)
      say("ompt: %s: %s", all[i].name,
          result == ompt_set_always      ? "always"
          : result == ompt_set_sometimes ? "sometimes"
          : set_at_all                   ? "sometimes, in pairs"
                                         : "never");
  }
}

/// In the first region: a runtime may not know the answers before.
void check_answers() {
  static std::atomic<bool> checked{false};
  if (checked.exchange(true, std::memory_order_relaxed))
    return;
  size_t count = 0;
  const Registration* all = registrations(count);
  for (size_t i = 0; get_callback && i < count; ++i) {
    ompt_callback_t registered = nullptr;
    bool found = get_callback(all[i].event, &registered) != 0;
    if ((set_callbacks >> i & 1) && (!found || registered != all[i].callback))
      broken(Rule::kEntryPoints, "ompt_get_callback: not what was set for %s", all[i].name);
  }
  if (get_num_procs && get_num_procs() < 1)
    broken(Rule::kEntryPoints, "ompt_get_num_procs: %d", get_num_procs());
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  set_callback_name("initialize");
  learn_places(reinterpret_cast<const void*>(lookup));
  get_callback = entry<ompt_get_callback_t>(lookup, "ompt_get_callback");
  get_num_procs = entry<ompt_get_num_procs_t>(lookup, "ompt_get_num_procs");
  entry_points.get_state = entry<ompt_get_state_t>(lookup, "ompt_get_state");
  entry_points.get_task_info = entry<ompt_get_task_info_t>(lookup, "ompt_get_task_info");
  entry_points.get_parallel_info =
      entry<ompt_get_parallel_info_t>(lookup, "ompt_get_parallel_info");
  entry_points.get_thread_data = entry<ompt_get_thread_data_t>(lookup, "ompt_get_thread_data");
  check_states_enumerated(lookup);
  check_mutexes_enumerated(lookup);
  check_other_entry_points(lookup);
  register_all(lookup);
  return 1;
}

uint64_t callbacks() {
  uint64_t sum = callbacks_of_ended.load(std::memory_order_relaxed);
  threads.for_each([&](const Thread& thread) {
    if (thread.users.load(std::memory_order_acquire) != 0)
      sum += thread.callbacks;
  });
  return sum;
}

void finalize(ompt_data_t*) {
  set_callback_name("finalize");
  if (finalized.exchange(true, std::memory_order_relaxed))
    broken(Rule::kEnds, "finalized a second time");
  // A program may end in the middle of anything, and by any thread.
  const Thread* thread = calling_thread();
  bool outermost = thread && (!thread->current || thread->current->is(ompt_task_initial));
  if (outermost || thread_ended())
    check_all_ended();
  uint64_t count = broken_rules();
  if (options.summary || (count && !options.own_file))
    say("ompt_check: %" PRIu64 " callbacks, %" PRIu64 " times a rule was broken", callbacks(),
        count);
  if (count && options.fail) {
    fflush(nullptr);
    _exit(kFailed);
  }
}

} // namespace
} // namespace ompt_check

extern "C" {

ompt_start_tool_result_t* ompt_start_tool(unsigned omp_version, const char* runtime_version) {
  static ompt_start_tool_result_t result = {ompt_check::initialize, ompt_check::finalize, {0}};
  ompt_check::keep_standard_error();
  ompt_check::read_options();
  if (ompt_check::options.print)
    ompt_check::say("ompt: start, OpenMP %u, %s", omp_version,
                    runtime_version ? runtime_version : "(no name)");
  return &result;
}

/// For programs that are checked, to be called in a task's own code: the thread must work, in the
/// task that the records say, and the task must have no enter frame.
__attribute__((visibility("default"))) void xomp_ompt_check_here() {
  using namespace ompt_check;
  set_callback_name("here");
  if (Thread* thread = calling_thread()) {
    check_not_asking(*thread);
    check_context(*thread, Frame::kInTask);
    if (entry_points.get_state) {
      ompt_wait_id_t mutex = 0;
      auto state = static_cast<ompt_state_t>(entry_points.get_state(&mutex));
      if (state != ompt_state_work_serial && state != ompt_state_work_parallel &&
          state != ompt_state_work_reduction)
        broken(Rule::kStates, "state %s in a task's own code", word_for(state));
    }
  } else {
    broken(Rule::kThreads, "the thread has not begun");
  }
}
}

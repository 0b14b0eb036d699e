// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

namespace fake {
namespace {

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  callbacks[event] = callback;
  return ompt_set_always;
}
ompt_set_result_t set_callback_never(ompt_callbacks_t, ompt_callback_t) { return ompt_set_error; }
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  *callback = forgets_callbacks ? nullptr : callbacks[event];
  return *callback != nullptr;
}
int get_state(ompt_wait_id_t* mutex) {
  *mutex = state_mutex;
  return state;
}
int get_task_info(int level, int* flags, ompt_data_t** data, ompt_frame_t** frame,
                  ompt_data_t** region, int* number) {
  if (level != 0 || forget_task)
    return 0;
  *flags = current->flags;
  *data = &current->data;
  *frame = &current->frame;
  *region = told_region;
  *number = current->index;
  return 2;
}
int get_parallel_info(int level, ompt_data_t** data, int* size) {
  if (level != 0)
    return 0;
  *data = told_region;
  *size = told_region == &initial_region_data ? 1 : team_size;
  return 2;
}
ompt_data_t* get_thread_data() { return another_thread_data ? &region_data : &thread_data; }
int enumerate_states(int now, int* next, const char** name) {
  if (now == ompt_state_work_parallel || enumerates_nothing)
    return 0;
  *next = ompt_state_work_parallel;
  *name = "ompt_state_work_parallel";
  return 1;
}
int enumerate_mutexes(int, int*, const char**) { return 0; }
uint64_t unique() {
  static uint64_t last;
  return ids_repeat ? 1 : ++last;
}
int one() { return 1; }

template <class F> ompt_interface_fn_t generic(F* function) {
  return reinterpret_cast<ompt_interface_fn_t>(function);
}

ompt_interface_fn_t lookup(const char* name) {
  if (strcmp(name, missing) == 0)
    return nullptr;
  const struct {
    const char* name;
    ompt_interface_fn_t function;
  } table[] = {
      {"ompt_set_callback",
       refuses_callbacks ? generic(set_callback_never) : generic(set_callback)},
      {"ompt_get_callback", generic(get_callback)},
      {"ompt_get_state", generic(get_state)},
      {"ompt_get_task_info", generic(get_task_info)},
      {"ompt_get_parallel_info", generic(get_parallel_info)},
      {"ompt_get_thread_data", generic(get_thread_data)},
      {"ompt_enumerate_states", generic(enumerate_states)},
      {"ompt_enumerate_mutex_impls", generic(enumerate_mutexes)},
      {"ompt_get_unique_id", generic(unique)},
  };
  for (const auto& entry : table)
    if (strcmp(entry.name, name) == 0)
      return entry.function;
  if (strcmp(name, "ompt_no_such_entry_point") == 0)
    return nullptr;
  return generic(one);
}

} // namespace

const void* inside() { return reinterpret_cast<const void*>(&lookup); }

bool load(const char* path) {
  void* library = dlopen(path, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto start = reinterpret_cast<ompt_start_tool_result_t* (*)(unsigned, const char*)>(
      dlsym(library, "ompt_start_tool"));
  look = reinterpret_cast<void (*)()>(dlsym(library, "xomp_ompt_check_here"));
  here = dlsym(RTLD_DEFAULT, "printf"); // a library's code: as good as the program's
  tool = start(202111, "fake");
  return tool && look && here;
}

void initialize() { tool->initialize(lookup, 0, &tool->tool_data); }

} // namespace fake

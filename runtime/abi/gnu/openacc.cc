// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenACC is out of scope. Its symbols exist so that a binary that mentions them loads, and each
// ends the process with a message that names it. GOMP_PLUGIN_* are what offload plugins call; none
// is loaded.
#include "abi/export.h"
#include "sys/report.h"

namespace {

[[noreturn]] void refuse(const char* name) {
  xomp::sys::fatal("%s: OpenACC and offload plugins are not supported", name);
}

} // namespace

// clang-format off
#define XOMP_OPENACC_ROUTINES(X) \
  X(acc_async_test) X(acc_async_test_all) X(acc_async_test_all_h_) X(acc_async_test_h_) \
  X(acc_async_wait) X(acc_async_wait_all) X(acc_attach) X(acc_attach_async) X(acc_copyin) \
  X(acc_copyin_32_h_) X(acc_copyin_64_h_) X(acc_copyin_array_h_) X(acc_copyin_async) \
  X(acc_copyin_async_32_h_) X(acc_copyin_async_64_h_) X(acc_copyin_async_array_h_) \
  X(acc_copyout) X(acc_copyout_32_h_) X(acc_copyout_64_h_) X(acc_copyout_array_h_) \
  X(acc_copyout_async) X(acc_copyout_async_32_h_) X(acc_copyout_async_64_h_) \
  X(acc_copyout_async_array_h_) X(acc_copyout_finalize) X(acc_copyout_finalize_32_h_) \
  X(acc_copyout_finalize_64_h_) X(acc_copyout_finalize_array_h_) X(acc_copyout_finalize_async) \
  X(acc_copyout_finalize_async_32_h_) X(acc_copyout_finalize_async_64_h_) \
  X(acc_copyout_finalize_async_array_h_) X(acc_create) X(acc_create_32_h_) X(acc_create_64_h_) \
  X(acc_create_array_h_) X(acc_create_async) X(acc_create_async_32_h_) X(acc_create_async_64_h_) \
  X(acc_create_async_array_h_) X(acc_delete) X(acc_delete_32_h_) X(acc_delete_64_h_) \
  X(acc_delete_array_h_) X(acc_delete_async) X(acc_delete_async_32_h_) X(acc_delete_async_64_h_) \
  X(acc_delete_async_array_h_) X(acc_delete_finalize) X(acc_delete_finalize_32_h_) \
  X(acc_delete_finalize_64_h_) X(acc_delete_finalize_array_h_) X(acc_delete_finalize_async) \
  X(acc_delete_finalize_async_32_h_) X(acc_delete_finalize_async_64_h_) \
  X(acc_delete_finalize_async_array_h_) X(acc_detach) X(acc_detach_async) X(acc_detach_finalize) \
  X(acc_detach_finalize_async) X(acc_deviceptr) X(acc_free) X(acc_get_cuda_stream) \
  X(acc_get_current_cuda_context) X(acc_get_current_cuda_device) X(acc_get_device_num) \
  X(acc_get_device_num_h_) X(acc_get_device_type) X(acc_get_device_type_h_) \
  X(acc_get_num_devices) X(acc_get_num_devices_h_) X(acc_get_property) X(acc_get_property_h_) \
  X(acc_get_property_string) X(acc_get_property_string_h_) X(acc_hostptr) X(acc_init) \
  X(acc_init_h_) X(acc_is_present) X(acc_is_present_32_h_) X(acc_is_present_64_h_) \
  X(acc_is_present_array_h_) X(acc_malloc) X(acc_map_data) X(acc_memcpy_device) \
  X(acc_memcpy_device_async) X(acc_memcpy_from_device) X(acc_memcpy_from_device_async) \
  X(acc_memcpy_to_device) X(acc_memcpy_to_device_async) X(acc_on_device) X(acc_on_device_h_) \
  X(acc_pcopyin) X(acc_pcreate) X(acc_present_or_copyin) X(acc_present_or_copyin_32_h_) \
  X(acc_present_or_copyin_64_h_) X(acc_present_or_copyin_array_h_) X(acc_present_or_create) \
  X(acc_present_or_create_32_h_) X(acc_present_or_create_64_h_) \
  X(acc_present_or_create_array_h_) X(acc_prof_lookup) X(acc_prof_register) \
  X(acc_prof_unregister) X(acc_register_library) X(acc_set_cuda_stream) X(acc_set_device_num) \
  X(acc_set_device_num_h_) X(acc_set_device_type) X(acc_set_device_type_h_) X(acc_shutdown) \
  X(acc_shutdown_h_) X(acc_unmap_data) X(acc_update_device) X(acc_update_device_32_h_) \
  X(acc_update_device_64_h_) X(acc_update_device_array_h_) X(acc_update_device_async) \
  X(acc_update_device_async_32_h_) X(acc_update_device_async_64_h_) \
  X(acc_update_device_async_array_h_) X(acc_update_self) X(acc_update_self_32_h_) \
  X(acc_update_self_64_h_) X(acc_update_self_array_h_) X(acc_update_self_async) \
  X(acc_update_self_async_32_h_) X(acc_update_self_async_64_h_) \
  X(acc_update_self_async_array_h_) X(acc_wait) X(acc_wait_all) X(acc_wait_all_async) \
  X(acc_wait_all_async_h_) X(acc_wait_all_h_) X(acc_wait_async) X(acc_wait_async_h_) \
  X(acc_wait_h_)

#define XOMP_OPENACC_DIRECTIVES(X) \
  X(GOACC_data_end) X(GOACC_data_start) X(GOACC_declare) X(GOACC_enter_data) \
  X(GOACC_enter_exit_data) X(GOACC_exit_data) X(GOACC_get_num_threads) X(GOACC_get_thread_num) \
  X(GOACC_parallel) X(GOACC_parallel_keyed) X(GOACC_update) X(GOACC_wait)

#define XOMP_PLUGIN_CALLBACKS(X) \
  X(GOMP_PLUGIN_acc_default_dim) X(GOMP_PLUGIN_acc_thread) X(GOMP_PLUGIN_async_unmap_vars) \
  X(GOMP_PLUGIN_debug) X(GOMP_PLUGIN_error) X(GOMP_PLUGIN_fatal) \
  X(GOMP_PLUGIN_goacc_profiling_dispatch) X(GOMP_PLUGIN_goacc_thread) X(GOMP_PLUGIN_malloc) \
  X(GOMP_PLUGIN_malloc_cleared) X(GOMP_PLUGIN_realloc) X(GOMP_PLUGIN_target_rev) \
  X(GOMP_PLUGIN_target_task_completion)
// clang-format on

#define XOMP_REFUSE(name)                                                                          \
  XOMP_EXPORT void name() { refuse(#name); }

XOMP_OPENACC_ROUTINES(XOMP_REFUSE)
XOMP_OPENACC_DIRECTIVES(XOMP_REFUSE)
XOMP_PLUGIN_CALLBACKS(XOMP_REFUSE)

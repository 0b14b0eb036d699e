// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device routines on a machine whose only device is the host. Fortran binds those that move memory
// to the C names.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "abi/export.h"
#include "abi/gnu/depend.h"
#include "abi/llvm/depend.h"
#include "abi/omp/fortran.h"
#include "abi/omp/versions.h"
#include "target/host.h"
#include "task/taskwait.h"
#include "team/team.h"
#include "team/thread.h"

using xomp::has_device;
using xomp::is_host_device;

namespace {

int copy(void* target, const void* source, std::size_t length, std::size_t target_offset,
         std::size_t source_offset, int target_device, int source_device) {
  if (!has_device(target_device) || !has_device(source_device))
    return EINVAL;
  std::memcpy(static_cast<char*>(target) + target_offset,
              static_cast<const char*>(source) + source_offset, length);
  return 0;
}

void wait_for(const xomp::gnu::DependObject* objects, int count, const void* codeptr) {
  xomp::Dependences dependences(static_cast<std::size_t>(count));
  std::transform(objects, objects + count, dependences.begin(), xomp::gnu::read_object);
  xomp::taskwait_depend(xomp::me(), dependences.list(), codeptr);
}

void wait_for(const xomp::llvm::DependObject* objects, int count, const void* codeptr) {
  std::size_t size = 0;
  for (int i = 0; i < count; ++i)
    size += objects[i].size();
  xomp::Dependences dependences(size);
  xomp::Dependence* to = dependences.begin();
  for (int i = 0; i < count; ++i)
    to = objects[i].read(to);
  xomp::taskwait_depend(xomp::me(), dependences.list(), codeptr);
}

/// The asynchronous routines take depend objects, those of an array all of one compiler; copying at
/// once after their dependences is one of the schedules that a target task may have.
void wait_for_objects(int count, const void* objects, const void* codeptr) {
  if (count <= 0 || !objects)
    return;
  const auto* theirs = static_cast<const xomp::llvm::DependObject*>(objects);
  if (theirs->is_one())
    wait_for(theirs, count, codeptr);
  else
    wait_for(static_cast<const xomp::gnu::DependObject*>(objects), count, codeptr);
}

int pause_host() { return xomp::pause_host(xomp::me()) ? 0 : -1; }

} // namespace

// Under VERSION: abi/llvm/devices.cc.
XOMP_IN_BOTH(int, omp_get_num_devices) { return xomp::kHostDevice; }
XOMP_IN_BOTH(int, omp_get_initial_device) { return xomp::kHostDevice; }
XOMP_IN_BOTH(int, omp_get_device_num) { return xomp::kHostDevice; }
XOMP_IN_BOTH(int, omp_is_initial_device) { return 1; }

XOMP_EXPORT void* omp_target_alloc(std::size_t size, int device) {
  return has_device(device) ? std::malloc(size) : nullptr;
}
XOMP_EXPORT void omp_target_free(void* memory, int device) {
  if (memory && has_device(device))
    std::free(memory);
}
XOMP_EXPORT int omp_target_is_present(const void* memory, int device) {
  return !memory || has_device(device);
}
XOMP_EXPORT int omp_target_is_accessible(const void* memory, std::size_t size, int device) {
  return memory && size && has_device(device);
}
XOMP_EXPORT void* omp_get_mapped_ptr(const void* memory, int device) {
  return has_device(device) ? const_cast<void*>(memory) : nullptr;
}

// The host needs no association, and no other device exists.
XOMP_EXPORT int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t,
                                         int device) {
  has_device(device);
  return EINVAL;
}
XOMP_EXPORT int omp_target_disassociate_ptr(const void*, int device) {
  has_device(device);
  return EINVAL;
}

XOMP_EXPORT int omp_target_memcpy(void* target, const void* source, std::size_t length,
                                  std::size_t target_offset, std::size_t source_offset,
                                  int target_device, int source_device) {
  return copy(target, source, length, target_offset, source_offset, target_device, source_device);
}
XOMP_EXPORT int omp_target_memcpy_async(void* target, const void* source, std::size_t length,
                                        std::size_t target_offset, std::size_t source_offset,
                                        int target_device, int source_device, int object_count,
                                        const void* objects) {
  wait_for_objects(object_count, objects, __builtin_return_address(0));
  return copy(target, source, length, target_offset, source_offset, target_device, source_device);
}

XOMP_EXPORT int
omp_target_memcpy_rect(void* target, const void* source, std::size_t element_size, int dimensions,
                       const std::size_t* volume, const std::size_t* target_offsets,
                       const std::size_t* source_offsets, const std::size_t* target_dimensions,
                       const std::size_t* source_dimensions, int target_device, int source_device) {
  if (!target && !source)
    return INT_MAX; // asks how many dimensions are supported
  if (!has_device(target_device) || !has_device(source_device))
    return EINVAL;
  return xomp::copy_rectangle(target, source, element_size, dimensions, volume, target_offsets,
                              source_offsets, target_dimensions, source_dimensions);
}
XOMP_EXPORT int omp_target_memcpy_rect_async(
    void* target, const void* source, std::size_t element_size, int dimensions,
    const std::size_t* volume, const std::size_t* target_offsets, const std::size_t* source_offsets,
    const std::size_t* target_dimensions, const std::size_t* source_dimensions, int target_device,
    int source_device, int object_count, const void* objects) {
  if (target || source)
    wait_for_objects(object_count, objects, __builtin_return_address(0));
  return omp_target_memcpy_rect(target, source, element_size, dimensions, volume, target_offsets,
                                source_offsets, target_dimensions, source_dimensions, target_device,
                                source_device);
}

XOMP_EXPORT void* omp_target_memset(void* memory, int value, std::size_t size, int device) {
  return has_device(device) ? std::memset(memory, value, size) : memory;
}
XOMP_EXPORT void* omp_target_memset_async(void* memory, int value, std::size_t size, int device,
                                          int object_count, const void* objects) {
  wait_for_objects(object_count, objects, __builtin_return_address(0));
  return omp_target_memset(memory, value, size, device);
}

XOMP_EXPORT void omp_get_device_distances(int count, const int* devices, int* distances) {
  for (int i = 0; i < count; i++)
    distances[i] = is_host_device(devices[i]) ? 0 : -1;
}

// Leagues and teams of one dimension (OpenMP 6.1).
XOMP_EXPORT int omp_get_supported_active_team_dims(int, int) { return 1; }
XOMP_EXPORT int omp_get_supported_active_team_dims_(const int*, const int*) { return 1; }
XOMP_EXPORT int omp_get_supported_active_league_dims(int, int) { return 1; }
XOMP_EXPORT int omp_get_supported_active_league_dims_(const int*, const int*) { return 1; }
XOMP_EXPORT int omp_get_supported_teams_dim(int, int dim) { return dim == 0 ? INT_MAX : 1; }
XOMP_EXPORT int omp_get_supported_threads_dim(int, int dim) { return dim == 0 ? INT_MAX : 1; }

// A pause ends the threads that wait for the next region; no region may be open.
XOMP_EXPORT int omp_pause_resource(int, int device) {
  return is_host_device(device) ? pause_host() : -1;
}
XOMP_EXPORT int omp_pause_resource_(const int32_t*, const int32_t* device) {
  return is_host_device(*device) ? pause_host() : -1;
}
XOMP_EXPORT int omp_pause_resource_all(int) { return pause_host(); }
XOMP_EXPORT int omp_pause_resource_all_(const int32_t*) { return pause_host(); }

XOMP_ALSO_VERSION(OMP_4.0, omp_is_initial_device, omp_is_initial_device_);
XOMP_ALSO_VERSION(OMP_5.0, omp_pause_resource, omp_pause_resource_, omp_pause_resource_all,
                  omp_pause_resource_all_);
XOMP_ALSO_VERSION(OMP_5.1.1, omp_target_memcpy_async, omp_target_memcpy_rect_async);
// Intel's, with the arguments of C.
XOMP_ALSO_NAME(omp_target_memcpy_async, omp_target_memcpy_async_);
XOMP_ALSO_NAME(omp_target_memcpy_rect_async, omp_target_memcpy_rect_async_);

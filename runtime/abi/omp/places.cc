// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places and the affinity display, for C and Fortran.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "abi/omp/meet.h"
#include "abi/omp/versions.h"
#include "conf/settings.h"
#include "place/places.h"
#include "team/affinity.h"
#include "team/team.h"

using xomp::to_int;

namespace {

const xomp::PlacePartition& places() { return xomp::me().thread->places; }

template <class Number> void partition_place_nums(Number* numbers) {
  for (int place = places().first; place <= places().last; place++)
    *numbers++ = place;
}

// There are no places before the first thread is met.

int num_places() {
  xomp::me();
  return xomp::place_count();
}

int place_num_procs(int place) {
  xomp::me();
  return xomp::place_processor_count(place);
}

template <class Number> void place_proc_ids(int place, Number* ids) {
  xomp::me();
  xomp::place_processor_ids(place, ids);
}

bool is_whole(int place) {
  xomp::me();
  return place == 0 && xomp::place_count() == 0;
}

void set_format(const char* format, std::size_t length) {
  xomp::meet_for_tool();
  xomp::complete_settings();
  xomp::set_affinity_format(format, length);
}

const char* format_in_force() {
  xomp::meet_for_tool();
  xomp::complete_settings();
  return xomp::affinity_format();
}

} // namespace

XOMP_IN_BOTH(int, omp_get_num_places) { return num_places(); }

XOMP_EXPORT int omp_get_place_num_procs(int place) { return place_num_procs(place); }
XOMP_EXPORT int omp_get_place_num_procs_(const int32_t* place) { return place_num_procs(*place); }
XOMP_EXPORT int omp_get_place_num_procs_8_(const int64_t* place) {
  return place_num_procs(to_int(*place));
}

XOMP_EXPORT void omp_get_place_proc_ids(int place, int* ids) { place_proc_ids(place, ids); }
XOMP_EXPORT void omp_get_place_proc_ids_(const int32_t* place, int32_t* ids) {
  place_proc_ids(*place, ids);
}
XOMP_EXPORT void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids) {
  place_proc_ids(to_int(*place), ids);
}

XOMP_IN_BOTH(int, omp_get_place_num) { return places().place; }

XOMP_IN_BOTH(int, omp_get_partition_num_places) { return places().count(); }
XOMP_EXPORT void omp_get_partition_place_nums(int* numbers) { partition_place_nums(numbers); }
XOMP_EXPORT void omp_get_partition_place_nums_(int32_t* numbers) { partition_place_nums(numbers); }
XOMP_EXPORT void omp_get_partition_place_nums_8_(int64_t* numbers) {
  partition_place_nums(numbers);
}

// For binaries of clang's all processors are a place where there is no list, as on libomp.

XOMP_IN_BOTH(int, omp_theirs_get_num_places) { return std::max(num_places(), 1); }

XOMP_EXPORT int omp_theirs_get_place_num_procs(int place) {
  return is_whole(place) ? xomp::count_processors(xomp::placed_processors())
                         : place_num_procs(place);
}
XOMP_EXPORT int omp_theirs_get_place_num_procs_(const int32_t* place) {
  return omp_theirs_get_place_num_procs(*place);
}

XOMP_EXPORT void omp_theirs_get_place_proc_ids(int place, int* ids) {
  if (!is_whole(place))
    return place_proc_ids(place, ids);
  xomp::ProcessorsView all = xomp::placed_processors();
  for (int p = xomp::next_processor(all, 0); p >= 0; p = xomp::next_processor(all, p + 1))
    *ids++ = p;
}
XOMP_EXPORT void omp_theirs_get_place_proc_ids_(const int32_t* place, int32_t* ids) {
  omp_theirs_get_place_proc_ids(*place, ids);
}

XOMP_IN_BOTH(int, omp_theirs_get_place_num) { return is_whole(0) ? 0 : places().place; }
XOMP_IN_BOTH(int, omp_theirs_get_partition_num_places) {
  return is_whole(0) ? 1 : places().count();
}
XOMP_EXPORT void omp_theirs_get_partition_place_nums(int* numbers) {
  if (is_whole(0))
    *numbers = 0;
  else
    partition_place_nums(numbers);
}
XOMP_EXPORT __attribute__((alias("omp_theirs_get_partition_place_nums"))) void
omp_theirs_get_partition_place_nums_(int32_t*);

XOMP_EXPORT void omp_set_affinity_format(const char* format) {
  set_format(format, std::strlen(format));
}
XOMP_EXPORT void omp_set_affinity_format_(const char* format, std::size_t length) {
  set_format(format, length);
}

XOMP_EXPORT std::size_t omp_get_affinity_format(char* buffer, std::size_t size) {
  const char* format = format_in_force();
  std::size_t length = std::strlen(format);
  if (size) {
    std::size_t copied = length < size ? length : size - 1;
    std::memcpy(buffer, format, copied);
    buffer[copied] = '\0';
  }
  return length;
}
XOMP_EXPORT int omp_get_affinity_format_(char* buffer, std::size_t size) {
  const char* format = format_in_force();
  std::size_t length = std::strlen(format);
  std::size_t copied = length < size ? length : size;
  std::memcpy(buffer, format, copied);
  std::memset(buffer + copied, ' ', size - copied);
  return static_cast<int>(length);
}

XOMP_EXPORT void omp_display_affinity(const char* format) {
  xomp::display_affinity(xomp::me(), format && *format ? format : nullptr);
}
XOMP_EXPORT void omp_display_affinity_(const char* format, std::size_t length) {
  xomp::display_affinity(xomp::me(), xomp::TerminatedCopy(format, length).get());
}

XOMP_EXPORT std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return xomp::capture_affinity(xomp::me(), buffer, size, format && *format ? format : nullptr);
}
XOMP_EXPORT int omp_capture_affinity_(char* buffer, const char* format, std::size_t size,
                                      std::size_t format_length) {
  // Fortran wants every character of the buffer and no terminator: one more byte takes that.
  xomp::TerminatedCopy terminated(format, format_length);
  auto* text = static_cast<char*>(xomp::sys::allocate(size + 1));
  std::size_t length = xomp::capture_affinity(xomp::me(), text, size + 1, terminated.get());
  std::size_t copied = length < size ? length : size;
  std::memcpy(buffer, text, copied);
  std::memset(buffer + copied, ' ', size - copied);
  xomp::sys::release(text);
  return static_cast<int>(length);
}

// What omp.h of clang and of Intel's compilers makes of these names in C.
XOMP_ALSO_NAME(omp_set_affinity_format, ompc_set_affinity_format);
XOMP_ALSO_NAME(omp_get_affinity_format, ompc_get_affinity_format);
XOMP_ALSO_NAME(omp_display_affinity, ompc_display_affinity);
XOMP_ALSO_NAME(omp_capture_affinity, ompc_capture_affinity);

XOMP_OTHER_IN_VERSION(OMP_4.5, get_num_places, get_num_places_, get_partition_num_places,
                      get_partition_num_places_, get_partition_place_nums,
                      get_partition_place_nums_, get_place_num, get_place_num_, get_place_num_procs,
                      get_place_num_procs_, get_place_proc_ids, get_place_proc_ids_);
XOMP_ALSO_VERSION(OMP_5.0, omp_capture_affinity, omp_capture_affinity_, omp_display_affinity,
                  omp_display_affinity_, omp_get_affinity_format, omp_get_affinity_format_,
                  omp_set_affinity_format, omp_set_affinity_format_);

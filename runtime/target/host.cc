// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A target region on the host is run by the encountering thread as if it were a new initial thread:
// a team of one at nesting level 0, with the ICVs of the environment.
#include "target/host.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "conf/settings.h"
#include "sys/assert.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "task/create.h"
#include "task/environment.h"
#include "task/taskwait.h"
#include "team/ancestors.h"
#include "team/barrier.h"
#include "team/constructs.h"
#include "team/member.h"
#include "team/pool.h"
#include "team/tracing.h"

namespace xomp {
namespace {

// Map kinds and encoded arguments of the GNU ABI.
constexpr unsigned kMapFirstprivate = 12;
constexpr intptr_t kArgumentDeviceMask = 0x7f; ///< 0: for every device
constexpr intptr_t kArgumentInNext = 0x80;     ///< the value is the next element
constexpr intptr_t kArgumentIdMask = 0xff00;
constexpr intptr_t kArgumentThreadLimit = 0x200;
constexpr int kArgumentValueShift = 16;

bool is_firstprivate(const TargetRegion& region, std::size_t i) {
  return region.kinds && (region.kinds[i] & 0xff) == kMapFirstprivate;
}

/// Where the private copies of the firstprivate variables lie, one behind the other.
struct PrivateLayout {
  std::size_t size = 0;
  std::size_t align = 1;

  /// The offset of the next copy.
  std::size_t add(const TargetRegion& region, std::size_t i) {
    std::size_t own_align = std::size_t{1} << (region.kinds[i] >> 8);
    std::size_t offset = sys::round_up(size, own_align);
    size = offset + region.sizes[i];
    if (align < own_align)
      align = own_align;
    return offset;
  }
};

PrivateLayout private_layout(const TargetRegion& region) {
  PrivateLayout layout;
  for (std::size_t i = 0; i < region.count; i++)
    if (is_firstprivate(region, i))
      layout.add(region, i);
  return layout;
}

/// Copies the firstprivate variables to `block` and lets the addresses point there.
void make_private(const TargetRegion& region, void** addresses, char* block) {
  PrivateLayout layout;
  for (std::size_t i = 0; i < region.count; i++) {
    if (!is_firstprivate(region, i))
      continue;
    char* copy = block + layout.add(region, i);
    if (!addresses[i])
      continue;
    std::memcpy(copy, addresses[i], region.sizes[i]);
    addresses[i] = copy;
  }
}

/// thread_limit among the encoded arguments; 0 when not given.
int thread_limit_of(void** arguments) {
  while (arguments && *arguments) {
    auto argument = reinterpret_cast<intptr_t>(*arguments++);
    intptr_t value = argument >> kArgumentValueShift;
    if (argument & kArgumentInNext)
      value = reinterpret_cast<intptr_t>(*arguments++);
    if ((argument & kArgumentDeviceMask) == 0 &&
        (argument & kArgumentIdMask) == kArgumentThreadLimit)
      return value > INT_MAX ? INT_MAX : static_cast<int>(value);
  }
  return 0;
}

/// An initial team as if new. Most threads run one target region at a time, so one is kept.
Team& take_initial_team(Thread& thread) {
  Team* spare = std::exchange(thread.spare_initial, nullptr);
  if (!spare)
    return new_initial_team(thread);
  set_initial_icvs(*spare);
  spare->team_number = 0;
  spare->team_total = 1;
  spare->cancelled.store(false, std::memory_order_relaxed);
  XOMP_ASSERT(spare->members[0]->thread == &thread && spare->members[0]->count == 1);
  spare->busy.store(1, std::memory_order_relaxed);
  workshare_region_start(*spare);
  return *spare;
}

void keep_initial_team(Thread& thread, Team& team) {
  if (thread.spare_initial)
    free_initial_team(team);
  else
    thread.spare_initial = &team;
}

/// While it lives, the thread acts in an initial team of its own: another contention group.
class InitialRegion {
public:
  InitialRegion(Member& member, const void* function)
      : outer(member), team(take_initial_team(*member.thread)) {
    Thread& thread = *outer.thread;
    Member& initial = *team.members[0];
    // The region may use every place, but the thread stays where it is.
    thread.places.first = initial_partition().first;
    thread.places.last = initial_partition().last;
    initial.partition = thread.places;
    begin_member(initial);
    trace_initial_function(initial, function);
  }
  ~InitialRegion() {
    Member& initial = *team.members[0];
    XOMP_ASSERT(self == &initial); // what the program began in it is over, or joined
    join(initial);                 // what the region left unfinished belongs to it
    trace_initial_ends(initial);
    Thread& thread = *outer.thread;
    thread.places = outer.partition;
    act_in(outer);
    keep_initial_team(thread, team);
  }
  InitialRegion(const InitialRegion&) = delete;

private:
  Member& outer;
  Team& team;
};

void run_region(Member& member, void (*body)(void*), void** addresses, int thread_limit) {
  InitialRegion region(member, reinterpret_cast<const void*>(body));
  if (thread_limit > 0)
    own_icv(me()).thread_limit = thread_limit;
  body(addresses);
}

// target nowait: everything in one argument block,
//   TargetBlock | addresses | encoded arguments | private copies

struct TargetBlock {
  void (*body)(void*);
  int thread_limit;
  void** addresses() { return reinterpret_cast<void**>(this + 1); }
};

std::size_t private_offset(const TargetRegion& region, std::size_t align) {
  return sys::round_up(sizeof(TargetBlock) + region.count * sizeof(void*), align);
}

void fill_block(void* memory, void* source) {
  const auto& region = *static_cast<const TargetRegion*>(source);
  auto* block = new (memory) TargetBlock{region.body, thread_limit_of(region.arguments)};
  std::copy_n(region.addresses, region.count, block->addresses());
  std::size_t offset = private_offset(region, private_layout(region).align);
  make_private(region, block->addresses(), static_cast<char*>(memory) + offset);
}

void run_block(void* memory) {
  auto* block = static_cast<TargetBlock*>(memory);
  run_region(me(), block->body, block->addresses(), block->thread_limit);
}

[[noreturn]] void device_not_found() {
  sys::fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
}

int limited(unsigned limit) { return limit > INT_MAX ? INT_MAX : static_cast<int>(limit); }

} // namespace

void check_target_device(Member& member, int device) {
  if (device == kDeviceIsHost)
    return;
  bool by_icv = device == kDeviceOfIcv;
  if (by_icv)
    device = icv(member).default_device;
  if (device == kInvalidDevice)
    sys::fatal("%s", settings.target_offload == TargetOffload::kMandatory && by_icv
                         ? "OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is "
                           "available"
                         : "omp_invalid_device encountered");
  if (settings.target_offload == TargetOffload::kMandatory && !is_host_device(device))
    device_not_found();
}

bool has_device(int device) {
  // Negative numbers name no device at all: the routines say so by their results.
  if (completed_settings().target_offload == TargetOffload::kMandatory && device > kHostDevice)
    device_not_found();
  return is_host_device(device);
}

void target(Member& member, const TargetRegion& region, const DependList& depend,
            const void* codeptr) {
  PrivateLayout layout = private_layout(region);
  char* copies = nullptr;
  if (layout.size) { // before the wait: predecessors may change the originals
    copies = static_cast<char*>(sys::allocate(layout.size, layout.align));
    make_private(region, region.addresses, copies);
  }
  if (!depend.empty())
    taskwait_depend(member, depend, codeptr);
  run_region(member, region.body, region.addresses, thread_limit_of(region.arguments));
  sys::release(copies);
}

void target_nowait(Member& member, const TargetRegion& region, const DependList& depend,
                   const void* codeptr) {
  PrivateLayout layout = private_layout(region);
  std::size_t align = layout.align < alignof(TargetBlock) ? alignof(TargetBlock) : layout.align;
  TaskSpec task{};
  task.body = run_block;
  task.data = const_cast<TargetRegion*>(&region);
  task.copy = fill_block;
  task.size = private_offset(region, layout.align) + layout.size;
  task.align = align;
  task.deferrable = true;
  if (!depend.empty())
    task.flags = kTaskDepend;
  task.depend = depend;
  task.codeptr = codeptr;
  create_task(member, task);
}

void target_data_motion(Member& member, bool nowait, const DependList& depend,
                        const void* codeptr) {
  if (depend.empty())
    return;
  if (!nowait)
    return taskwait_depend(member, depend, codeptr);
  create_empty(member, depend, codeptr);
}

namespace {

/// By a member of an initial team, which has the league's numbers to itself.
void run_league(Member& member, void (*body)(void*), void* data, unsigned teams,
                unsigned thread_limit, const trace::CallSite& site) {
  if (thread_limit == 0)
    thread_limit = settings.teams_thread_limit;
  int outer_limit = icv(member).thread_limit;
  if (thread_limit)
    own_icv(member).thread_limit = limited(thread_limit);
  Team& league = league_of(member);
  league.team_total = limited(teams);
  auto next = [](Member& member, int team) { league_of(member).team_number = team; };
  if (member.track && member.track->current && trace::listening(trace::kTool)) [[unlikely]] {
    run_league_traced(member, league.team_total, site, next, body, data);
  } else {
    for (int team = 0; team < league.team_total; team++) {
      next(member, team);
      body(data);
    }
  }
  league.team_number = 0;
  league.team_total = 1;
  if (thread_limit)
    own_icv(member).thread_limit = outer_limit;
}

} // namespace

unsigned league_size(unsigned said, unsigned usual) {
  if (said)
    return said;
  return settings.num_teams ? settings.num_teams : usual;
}

void teams(Member& member, void (*body)(void*), void* data, unsigned teams, unsigned thread_limit,
           const trace::CallSite& site) {
  if (member.team == member.team->root)
    return run_league(member, body, data, teams, thread_limit, site);
  // In a parallel region only a target region may have teams (OpenMP 5.2, section 10.2); clang
  // leaves its construct out where there is no device.
  Icv inherited = icv(member);
  InitialRegion region(member, function_of(member));
  Member& initial = me();
  own_icv(initial) = inherited;
  run_league(initial, body, data, teams, thread_limit, site);
}

bool next_target_team(Member& member, unsigned teams, unsigned thread_limit, bool first) {
  Team& league = league_of(member);
  if (first) {
    limit_team(member, thread_limit);
    league.team_total = teams ? limited(teams) : 1;
    league.team_number = 0;
    return true;
  }
  if (league.team_number + 1 >= league.team_total)
    return false;
  league.team_number++;
  return true;
}

void limit_team(Member& member, unsigned thread_limit) {
  if (thread_limit)
    own_icv(member).thread_limit = limited(thread_limit);
}

int copy_rectangle(void* target, const void* source, std::size_t element_size, int dimensions,
                   const std::size_t* volume, const std::size_t* target_offsets,
                   const std::size_t* source_offsets, const std::size_t* target_dimensions,
                   const std::size_t* source_dimensions) {
  if (dimensions < 1 || element_size == 0)
    return EINVAL;
  // Bytes of one step in the outermost dimension.
  std::size_t target_stride = element_size, source_stride = element_size;
  for (int i = 1; i < dimensions; i++)
    if (__builtin_mul_overflow(target_stride, target_dimensions[i], &target_stride) ||
        __builtin_mul_overflow(source_stride, source_dimensions[i], &source_stride))
      return EINVAL;
  std::size_t target_start, source_start, bytes;
  if (__builtin_mul_overflow(target_stride, target_offsets[0], &target_start) ||
      __builtin_mul_overflow(source_stride, source_offsets[0], &source_start) ||
      __builtin_mul_overflow(target_stride, volume[0], &bytes))
    return EINVAL;
  char* to = static_cast<char*>(target) + target_start;
  const char* from = static_cast<const char*>(source) + source_start;
  if (dimensions == 1) {
    std::memcpy(to, from, bytes);
    return 0;
  }
  for (std::size_t i = 0; i < volume[0]; i++) {
    int failed =
        copy_rectangle(to, from, element_size, dimensions - 1, volume + 1, target_offsets + 1,
                       source_offsets + 1, target_dimensions + 1, source_dimensions + 1);
    if (failed)
      return failed;
    to += target_stride;
    from += source_stride;
  }
  return 0;
}

} // namespace xomp

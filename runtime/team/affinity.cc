// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/affinity.h"

#include "conf/settings.h"
#include "place/affinity_format.h"
#include "sys/inspection.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "team/ancestors.h"

namespace xomp {
namespace {

AffinityFacts facts_of(const Member& member) {
  const Thread& thread = *member.thread;
  const Team& league = league_of(member);
  const Member* parent = ancestor(member, member.team->level - 1);
  return {
      .team_num = league.team_number,
      .num_teams = league.team_total,
      .nesting_level = member.team->level,
      .thread_num = member.id,
      .num_threads = member.count,
      .ancestor_thread_num = parent ? parent->id : -1,
      .native_thread_id = static_cast<uint64_t>(thread.id),
      .kernel_thread_id = settings.shows_affinity_as_kmp ? sys::kernel_thread_id() : 0,
      .place = thread.places.place,
  };
}

void print_line(const Member& member, const char* format, void (*print)(std::string_view)) {
  std::size_t length = capture_affinity(member, nullptr, 0, format);
  auto* line = static_cast<char*>(sys::allocate(length + 1));
  capture_affinity(member, line, length + 1, format);
  line[length] = '\n';
  print({line, length + 1});
  sys::release(line);
}

} // namespace

std::size_t capture_affinity(const Member& member, char* buffer, std::size_t size,
                             const char* format) {
  return format_affinity(buffer, size, format ? format : affinity_format(), facts_of(member));
}

void display_affinity(const Member& member, const char* format) {
  print_line(member, format, settings.shows_affinity_as_kmp ? sys::print_to_stdout : sys::print);
}

void display_affinity_in_region(const Member& member) {
  if (settings.verbose_affinity)
    print_line(member, nullptr, sys::print);
  else
    display_affinity(member, nullptr);
}

} // namespace xomp

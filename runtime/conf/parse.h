// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a variable to its value, with libgomp's ranges. Each function returns false and
// leaves its results alone when the text is malformed.
#pragma once
#include <climits>
#include <cstddef>
#include <cstdint>

#include "conf/settings.h"
#include "sys/names.h"
#include "sys/scanner.h"
#include "sys/text_sink.h"

namespace xomp {

/// The whole text is one word of a table.
template <class Kind, std::size_t N>
bool parse_name(const char* text, const sys::Named<Kind> (&table)[N], Kind& kind) {
  sys::Scanner scan(text);
  Kind found;
  if (!sys::find_name(table, scan.take_word(), found) || !scan.at_end())
    return false;
  kind = found;
  return true;
}

/// true or false, or what the peers take for these.
bool parse_boolean(const char* text, bool& value);
/// XOMP_STATS: a boolean, or `verbose`, which is on, and `all`.
bool parse_stats(const char* text, bool& on, bool& all);
/// A number of [lowest, INT_MAX].
bool parse_int(const char* text, int lowest, int& value);
/// As the one above, but a number above `highest` means `highest`.
bool parse_clamped(const char* text, int lowest, int highest, int& value);
/// A decimal fraction of [0, 1], in millionths; what is smaller than those is cut off.
bool parse_share(const char* text, uint32_t& millionths);
/// The word auto, in any case.
bool parse_auto(const char* text);
bool parse_power_of_two(const char* text, uint32_t lowest, uint32_t highest, uint32_t& value);

/// OMP_NUM_THREADS and OMP_PROC_BIND: the list is allocated, and stays null for a single element.
bool parse_thread_list(const char* text, int& first, int*& list, int& count);
bool parse_bind_list(const char* text, uint8_t& first, uint8_t*& list, int& count);

bool parse_schedule(const char* text, uint32_t& kind, int& chunk);
/// Bytes; a number without a unit counts kilobytes.
bool parse_stack_size(const char* text, std::size_t& bytes);
/// Bytes; with a unit of B, K, M or G.
bool parse_bytes(const char* text, uint64_t& bytes);
bool parse_spin_count(const char* text, int64_t& count);
bool parse_wait_policy(const char* text, WaitPolicy& policy);
bool parse_target_offload(const char* text, TargetOffload& offload);
/// OMP_TOOL: enabled or disabled.
bool parse_tool(const char* text, bool& enabled);
/// OMP_TOOL_VERBOSE_INIT: null for disabled.
bool parse_tool_verbose(const char* text, const char*& where);

enum class DisplayEnv : uint8_t { kNo, kYes, kVerbose };
bool parse_display_env(const char* text, DisplayEnv& display);

/// OMP_ALLOCATOR: a predefined allocator, or a predefined memory space with or without traits.
bool parse_allocator(const char* text, Settings& into);
/// The allocator in the notation of OMP_ALLOCATOR.
void put_allocator(sys::TextSink& sink, const Settings& from);

} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conf/own.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "conf/parse.h"
#include "conf/settings.h"
#include "place/places.h"

namespace xomp {
namespace {

using sys::TextSink;

constexpr uint32_t kMinQueueSize = 2;
constexpr uint32_t kMaxQueueSize = 1 << 20;
constexpr int kMaxChunk = 256; // what mts carries at a time

/// One variable: how its text becomes a setting, and how that setting is shown.
struct Own {
  Variable variable;
  const char* explanation;         ///< what a malformed text is not
  bool (*parse)(const char* text); ///< null: settings.cc reads it, after what it depends on
  void (*show)(TextSink& sink);    ///< null: it is not shown
};

void show_number(TextSink& sink, uint64_t value) {
  sink.print("%llu", static_cast<unsigned long long>(value));
}
void show_text(TextSink& sink, const char* text) { sink.put(text ? text : ""); }

template <bool Settings::* field> void show_switch(TextSink& sink) {
  sink.put(settings.*field ? "TRUE" : "FALSE");
}
template <auto field> void show_field(TextSink& sink) {
  show_number(sink, static_cast<uint64_t>(settings.*field));
}

template <bool Settings::* field> constexpr Own truth(Variable variable) {
  return {variable, "is neither TRUE nor FALSE",
          [](const char* text) { return parse_boolean(text, settings.*field); },
          show_switch<field>};
}

/// One of `names`.
template <auto field, const auto& names>
constexpr Own named(Variable variable, const char* explanation) {
  return {variable, explanation,
          [](const char* text) { return parse_name(text, names, settings.*field); },
          [](TextSink& sink) { sink.put(sys::name_of(names, settings.*field)); }};
}

/// 0, which it is unless set, says `auto`.
template <int Settings::* field> constexpr Own positive_or_auto(Variable variable) {
  return {variable, "is neither auto nor a positive integer",
          [](const char* text) {
            if (!parse_auto(text))
              return parse_int(text, 1, settings.*field);
            settings.*field = 0;
            return true;
          },
          [](TextSink& sink) {
            if (settings.*field == 0)
              return sink.put("auto");
            show_field<field>(sink);
          }};
}

constexpr char kNone[] = "is none of ";
constexpr auto kNotScheduler = sys::listed<kSchedulerNames, kNone>();
constexpr auto kNotLocality = sys::listed<kLocalityNames, kNone>();

/// In the order in which they are shown.
constexpr Own kOwn[] = {
    named<&Settings::scheduler, kSchedulerNames>(Variable::kXompScheduler, kNotScheduler.data()),
    named<&Settings::barrier, kBarrierNames>(Variable::kXompBarrier, "is neither tree nor central"),
    {Variable::kXompQueueSize, "is not a power of two from 2 to 1048576",
     [](const char* text) {
       return parse_power_of_two(text, kMinQueueSize, kMaxQueueSize, settings.queue_size);
     },
     show_field<&Settings::queue_size>},
    positive_or_auto<&Settings::victims>(Variable::kXompVictims),
    positive_or_auto<&Settings::steal>(Variable::kXompSteal),
    positive_or_auto<&Settings::interval>(Variable::kXompInterval),
    {Variable::kXompLocal, "is neither auto nor a probability from 0 to 1",
     [](const char* text) {
       if (!parse_auto(text))
         return parse_share(text, settings.local_share);
       settings.local_share = Settings::kAutoShare;
       return true;
     },
     [](TextSink& sink) {
       if (settings.local_share == Settings::kAutoShare)
         return sink.put("auto");
       constexpr uint32_t kOne = 1'000'000;
       sink.print("%u.%06u", settings.local_share / kOne, settings.local_share % kOne);
     }},
    {Variable::kXompChunk, "is not a positive integer",
     [](const char* text) { return parse_clamped(text, 1, kMaxChunk, settings.chunk); },
     show_field<&Settings::chunk>},
    named<&Settings::locality, kLocalityNames>(Variable::kXompLocality, kNotLocality.data()),
    named<&Settings::task_memory, kTaskMemoryNames>(Variable::kXompTaskMemory,
                                                    "is neither heap nor malloc"),
    {Variable::kXompTopology, "is not a topology such as \"pack:2 numa:4 core:24 pu:1\"",
     [](const char* text) {
       bool good = load_virtual_topology(text);
       settings.topology = good ? text : nullptr;
       return good;
     },
     [](TextSink& sink) { show_text(sink, settings.topology); }},
    truth<&Settings::cgroup>(Variable::kXompCgroup),
    {Variable::kXompPerflog, "", nullptr,
     [](TextSink& sink) { show_text(sink, settings.perflog); }},
    {Variable::kXompPerflogLimit, "is not a size with a unit of B, K, M or G",
     [](const char* text) { return parse_bytes(text, settings.perflog_limit); },
     show_field<&Settings::perflog_limit>},
    {Variable::kXompStats, "is neither TRUE, FALSE nor VERBOSE",
     [](const char* text) { return parse_stats(text, settings.stats, settings.all_stats); },
     [](TextSink& sink) {
       if (settings.all_stats)
         return sink.put("VERBOSE");
       show_switch<&Settings::stats>(sink);
     }},
    truth<&Settings::display>(Variable::kXompDisplay),
    {Variable::kXompRun, "is not a positive integer",
     [](const char* text) { return parse_int(text, 1, settings.started_by_run); }, nullptr},
    truth<&Settings::watchdog>(Variable::kXompWatchdog),
    {Variable::kXompYield, "", nullptr, show_switch<&Settings::yields>},
};

constexpr bool kIsOwn[] = {
#define XOMP_VARIABLE(variable, name, all) std::string_view(name).starts_with("XOMP_"),
#include "conf/variables.def"
};
static_assert(std::count(std::begin(kIsOwn), std::end(kIsOwn), true) == std::ssize(kOwn),
              "each XOMP_* of variables.def has its line here");

} // namespace

void read_own(const Environment& environment) {
  settings.topology = nullptr; // a unit test reads the environment again
  for (const Own& own : kOwn) {
    const Setting& setting = environment[own.variable];
    if (setting && own.parse && !own.parse(setting.value))
      reject(setting, own.explanation);
  }
}

void put_own(TextSink& sink) {
  for (const Own& own : kOwn) {
    if (!own.show)
      continue;
    sink.print("  %s = '", name_of(own.variable));
    own.show(sink);
    sink.put("'\n");
  }
}

} // namespace xomp

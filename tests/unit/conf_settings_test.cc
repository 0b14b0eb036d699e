// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the environment to the settings: defaults, how variables depend on each other, one warning
// for each malformed one, and that no text whatever breaks the reading.
#include "conf/settings.h"

#include <bit>
#include <random>
#include <string>

#include "settings_fixture.h"
#include "sys/cgroup.h"

namespace xomp {
namespace {

TEST_F(SettingsTest, DefaultsHoldWithoutVariables) {
  EXPECT_EQ(load({}), "");
  EXPECT_GE(settings.processors, 1);
  EXPECT_EQ(settings.icv.num_threads, settings.threads_at_once);
  EXPECT_EQ(settings.icv.thread_limit, INT_MAX);
  EXPECT_EQ(settings.icv.schedule_kind, kDefaultSchedule);
  EXPECT_EQ(settings.icv.schedule_chunk, 1);
  EXPECT_EQ(settings.icv.max_active_levels, 1);
  EXPECT_EQ(settings.icv.bind, kBindFalse);
  EXPECT_EQ(settings.icv.default_allocator, 1u);
  EXPECT_EQ(settings.spin_count, Settings{}.spin_count);
  EXPECT_EQ(crowded_spin_count(), 100);
  EXPECT_EQ(settings.stack_size, 0u);
  EXPECT_EQ(settings.queue_size, 64u);
  EXPECT_EQ(place_count(), 0);
  EXPECT_STREQ(affinity_format(), "level %L thread %i affinity %A");
}

TEST_F(SettingsTest, WaitPolicyGivesTheSpinCount) {
  load({{"OMP_WAIT_POLICY", "active"}});
  EXPECT_EQ(settings.spin_count, 30'000'000'000);
  EXPECT_EQ(crowded_spin_count(), 1000);
  load({{"OMP_WAIT_POLICY", "passive"}});
  EXPECT_EQ(settings.spin_count, 0);
  EXPECT_EQ(crowded_spin_count(), 0);
  load({{"OMP_WAIT_POLICY", "active"}, {"GOMP_SPINCOUNT", "7"}});
  EXPECT_EQ(settings.spin_count, 7);
  EXPECT_EQ(crowded_spin_count(), 7);
  load({{"GOMP_SPINCOUNT", "infinite"}});
  EXPECT_EQ(settings.spin_count, INT64_MAX);
  EXPECT_EQ(crowded_spin_count(), 100);
}

TEST_F(SettingsTest, ListsImplyNestingUnlessLevelsAreGiven) {
  load({{"OMP_NUM_THREADS", "4,3"}});
  EXPECT_EQ(settings.icv.max_active_levels, 255);
  load({{"OMP_NUM_THREADS", "4"}});
  EXPECT_EQ(settings.icv.max_active_levels, 1);
  load({{"OMP_NUM_THREADS", "4,3"}, {"OMP_NESTED", "false"}});
  EXPECT_EQ(settings.icv.max_active_levels, 1);
  load({{"OMP_NESTED", "true"}});
  EXPECT_EQ(settings.icv.max_active_levels, 255);
  load({{"OMP_NESTED", "true"}, {"OMP_MAX_ACTIVE_LEVELS", "2"}});
  EXPECT_EQ(settings.icv.max_active_levels, 2);
  load({{"OMP_PROC_BIND", "spread,close"}});
  EXPECT_EQ(settings.icv.max_active_levels, 255);
}

TEST_F(SettingsTest, ListsApplyByNestingLevel) {
  load({{"OMP_NUM_THREADS", "4,3,2"}, {"OMP_PROC_BIND", "spread,close"}});
  Icv icv(settings.icv);
  EXPECT_EQ(icv.num_threads, 4);
  EXPECT_EQ(icv.bind, kBindSpread);
  enter_level(icv, 1);
  EXPECT_EQ(icv.num_threads, 3);
  EXPECT_EQ(icv.bind, kBindClose);
  enter_level(icv, 2);
  EXPECT_EQ(icv.num_threads, 2);
  EXPECT_EQ(icv.bind, kBindClose);
}

TEST_F(SettingsTest, PlacesTurnBindingOn) {
  load({{"OMP_PLACES", "threads"}});
  EXPECT_EQ(settings.icv.bind, kBindTrue);
  EXPECT_EQ(place_count(), settings.processors);
  load({{"OMP_PLACES", "threads"}, {"OMP_PROC_BIND", "false"}});
  EXPECT_EQ(settings.icv.bind, kBindFalse);
  EXPECT_EQ(place_count(), 0);
  load({{"OMP_PROC_BIND", "close"}});
  EXPECT_EQ(settings.icv.bind, kBindClose);
  EXPECT_EQ(place_count(), settings.processors);
}

TEST_F(SettingsTest, NobodyIsBoundByReadingThem) {
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  load({{"OMP_PROC_BIND", "true"}});
  EXPECT_GE(place_count(), 1);
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST_F(SettingsTest, OnlyTheProcessorsOfTheProcessCount) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  int mine = 0, absent = CPU_SETSIZE - 1;
  while (!CPU_ISSET(mine, &all))
    ++mine;
  while (absent > 0 && CPU_ISSET(absent, &all))
    --absent;
  CPU_ZERO(&one);
  CPU_SET(mine, &one);
  std::string usable = "{" + std::to_string(mine) + "}";
  std::string unusable = "{" + std::to_string(absent) + "}";
  auto load_on_one = [&](const std::string& places, const char* variable = "OMP_PLACES") {
    load({});
    sched_setaffinity(0, sizeof one, &one);
    setenv(variable, places.c_str(), 1);
    testing::internal::CaptureStderr();
    load_settings();
    complete_settings();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(load_on_one(usable), "");
  EXPECT_EQ(settings.processors, 1);
  EXPECT_EQ(settings.icv.num_threads, 1);
  EXPECT_EQ(place_count(), 1);
  std::string output = load_on_one(unusable + "," + usable);
  EXPECT_NE(output.find("1 of 2 places are left out"), output.npos) << output;
  EXPECT_EQ(place_count(), 1);
  output = load_on_one(std::to_string(absent) + " " + std::to_string(mine), "GOMP_CPU_AFFINITY");
  EXPECT_NE(output.find("1 of 2 places are left out"), output.npos) << output;
  EXPECT_EQ(place_count(), 1);
  output = load_on_one(unusable);
  EXPECT_NE(output.find("names no processor that this process may use"), output.npos) << output;
  EXPECT_EQ(place_count(), 0);
  EXPECT_EQ(settings.icv.bind, kBindFalse);
}

TEST_F(SettingsTest, OmpPlacesWinsOverCpuAffinity) {
  std::string all = "0-" + std::to_string(CPU_SETSIZE - 1);
  load({{"OMP_PLACES", "sockets(1)"}, {"GOMP_CPU_AFFINITY", all}});
  EXPECT_EQ(place_count(), 1);
}

TEST_F(SettingsTest, StackSizeOfOpenMPComesFirst) {
  load({{"OMP_STACKSIZE", "2M"}, {"GOMP_STACKSIZE", "1M"}});
  EXPECT_EQ(settings.stack_size, 2u << 20);
  std::string output = load({{"OMP_STACKSIZE", "large"}, {"GOMP_STACKSIZE", "1M"}});
  EXPECT_EQ(settings.stack_size, 1u << 20);
  EXPECT_EQ(warnings(output), 1);
}

TEST_F(SettingsTest, TheAllSuffixStandsInForThePlainName) {
  load({{"OMP_NUM_THREADS_ALL", "3"}});
  EXPECT_EQ(settings.icv.num_threads, 3);
  load({{"OMP_NUM_THREADS_ALL", "3"}, {"OMP_NUM_THREADS", "5"}});
  EXPECT_EQ(settings.icv.num_threads, 5);
  EXPECT_EQ(load({{"OMP_NUM_THREADS_DEV", "3"}, {"OMP_NUM_THREADS_DEV_1", "x"}}), "");
  EXPECT_EQ(settings.icv.num_threads, settings.threads_at_once);
  EXPECT_EQ(load({{"OMP_CANCELLATION_ALL", "true"}}), "");
  EXPECT_FALSE(settings.cancellation);
}

TEST_F(SettingsTest, OwnVariablesAreRead) {
  load({{"XOMP_BARRIER", "Central"},
        {"XOMP_QUEUE_SIZE", "256"},
        {"XOMP_STATS", "1"},
        {"XOMP_DISPLAY", "1"},
        {"XOMP_WATCHDOG", "true"},
        {"XOMP_SCHEDULER", "NA-WS"},
        {"XOMP_VICTIMS", "3"},
        {"XOMP_STEAL", "4"},
        {"XOMP_INTERVAL", "100000"},
        {"XOMP_LOCAL", "0.03"},
        {"XOMP_LOCALITY", "oblivious"},
        {"XOMP_TASK_MEMORY", "malloc"}});
  EXPECT_EQ(settings.locality, LocalityMode::kOblivious);
  EXPECT_TRUE(settings.mallocs_tasks());
  EXPECT_EQ(settings.barrier, BarrierKind::kCentral);
  EXPECT_EQ(settings.queue_size, 256u);
  EXPECT_TRUE(settings.stats);
  EXPECT_TRUE(settings.display);
  EXPECT_TRUE(settings.watchdog);
  EXPECT_EQ(settings.scheduler, SchedulerKind::kNaWs);
  EXPECT_EQ(settings.victims, 3);
  EXPECT_EQ(settings.steal, 4);
  EXPECT_EQ(settings.interval, 100000);
  EXPECT_EQ(settings.local_share, 30'000u);
}

TEST_F(SettingsTest, StatisticsAreOffOnOrAll) {
  EXPECT_EQ(load({{"XOMP_STATS", "verbose"}}), "");
  EXPECT_TRUE(settings.stats && settings.all_stats);
  load({{"XOMP_STATS", "true"}});
  EXPECT_TRUE(settings.stats && !settings.all_stats);
  load({{"XOMP_STATS", "0"}});
  EXPECT_FALSE(settings.stats || settings.all_stats);
}

TEST_F(SettingsTest, ParametersOfThievesAreAutomaticUnlessTheyAreNumbers) {
  for (auto value : {"auto", "AUTO"}) {
    load({{"XOMP_VICTIMS", "3"}, {"XOMP_STEAL", "4"}, {"XOMP_INTERVAL", "5"}, {"XOMP_LOCAL", "0"}});
    EXPECT_EQ(load({{"XOMP_VICTIMS", value},
                    {"XOMP_STEAL", value},
                    {"XOMP_INTERVAL", value},
                    {"XOMP_LOCAL", value}}),
              "");
    EXPECT_EQ(settings.victims, 0);
    EXPECT_EQ(settings.steal, 0);
    EXPECT_EQ(settings.interval, 0);
    EXPECT_EQ(settings.local_share, Settings::kAutoShare);
  }
}

TEST_F(SettingsTest, EverySchedulerHasAName) {
  for (const auto& [name, kind] : kSchedulerNames) {
    EXPECT_EQ(load({{"XOMP_SCHEDULER", name}}), "");
    EXPECT_EQ(settings.scheduler, kind) << name;
  }
}

TEST_F(SettingsTest, VariablesOfDomainsAreRead) {
  load({});
  EXPECT_EQ(settings.chunk, 0);
  EXPECT_EQ(settings.locality, LocalityMode::kRelaxed);
  EXPECT_EQ(settings.topology, nullptr);
  load({{"XOMP_CHUNK", "7"},
        {"XOMP_LOCALITY", "strict"},
        {"XOMP_SCHEDULER", "mts"},
        {"XOMP_TOPOLOGY", "numa:2 pu:2"}});
  EXPECT_EQ(settings.chunk, 7);
  EXPECT_EQ(settings.locality, LocalityMode::kStrict);
  EXPECT_STREQ(settings.topology, "numa:2 pu:2");
  std::string output = load({{"XOMP_LOCALITY", "strict"}, {"XOMP_SCHEDULER", "ws"}});
  EXPECT_EQ(warnings(output), 1) << "it has no queue for each domain";
  EXPECT_EQ(settings.locality, LocalityMode::kRelaxed);
  load({{"XOMP_CHUNK", "100000"}});
  EXPECT_EQ(settings.chunk, 256);
}

TEST_F(SettingsTest, YieldsUnlessTheUserSaysOtherwise) {
  load({});
  EXPECT_TRUE(settings.yields);
  load({{"OMP_WAIT_POLICY", "active"}});
  EXPECT_TRUE(settings.yields);
  load({{"XOMP_SCHEDULER", "slb"}});
  EXPECT_FALSE(settings.yields);
  load({{"XOMP_SCHEDULER", "slb"}, {"XOMP_YIELD", "true"}});
  EXPECT_TRUE(settings.yields);
  for (std::pair<const char*, const char*> variable :
       {std::pair{"XOMP_YIELD", "false"}, std::pair{"OMP_WAIT_POLICY", "passive"},
        std::pair{"GOMP_SPINCOUNT", "1000"}}) {
    load({{variable.first, variable.second}});
    EXPECT_FALSE(settings.yields) << variable.first;
  }
}

TEST_F(SettingsTest, AMalformedSpinCountLeavesTheWorkersFreeToLearn) {
  load({{"GOMP_SPINCOUNT", "some"}});
  EXPECT_TRUE(settings.spin_adapts);
  load({{"GOMP_SPINCOUNT", "7"}});
  EXPECT_FALSE(settings.spin_adapts);
}

TEST_F(SettingsTest, TheQuotaOfControlGroupsIsObeyedUnlessTheUserSaysOtherwise) {
  int quota = sys::cgroup_quota();
  load({});
  EXPECT_EQ(settings.threads_at_once,
            quota ? std::min(quota, settings.processors) : settings.processors);
  load({{"XOMP_CGROUP", "false"}});
  EXPECT_EQ(settings.threads_at_once, settings.processors);
}

TEST_F(SettingsTest, AnUnknownOwnVariableIsNamed) {
  std::string output = load({{"XOMP_SHEDULER", "slb"}});
  EXPECT_EQ(warnings(output), 1);
  EXPECT_NE(output.find("XOMP_SHEDULER=\"slb\""), output.npos);
  EXPECT_NE(output.find("; did you mean XOMP_SCHEDULER?\n"), output.npos);
  EXPECT_NE(load({{"XOMP_BRARIER", "tree"}}).find("mean XOMP_BARRIER?"), output.npos);
  EXPECT_EQ(load({{"XOMP_QUITE_UNLIKE", "1"}}).find("did you mean"), output.npos);
  EXPECT_EQ(load({{"XOMP_" + std::string(100, 'A'), "1"}}).find("did you mean"), output.npos);
  EXPECT_EQ(
      load({{"OMP_NOT_KNOWN", "1"}, {"GOMP_NOT_KNOWN", "1"}, {"OMP_DEBUG", "?"}, {"OMP_FOO", "1"}}),
      "");
}

TEST_F(SettingsTest, AVariableOfTheStandardThatIsNearlyRightIsNamed) {
  std::string output = load({{"OMP_NUM_THREAD", "3"}});
  EXPECT_EQ(output, "xomp: OMP_NUM_THREAD=\"3\" is ignored: there is no such variable; "
                    "did you mean OMP_NUM_THREADS?\n");
  EXPECT_NE(load({{"GOMP_SPINCONT", "3"}}).find("mean GOMP_SPINCOUNT?"), output.npos);
  EXPECT_NE(load({{"OMP_SCHEDULER", "ws"}}).find("mean XOMP_SCHEDULER?"), output.npos);
}

struct Malformed {
  const char* name;
  const char* value;
};

class MalformedTest : public SettingsTest, public testing::WithParamInterface<Malformed> {};

TEST_P(MalformedTest, GetsOneWarningAndTheDefault) {
  auto [name, value] = GetParam();
  std::string plain = load({{"OMP_DISPLAY_ENV", "verbose"}});
  std::string output = load({{"OMP_DISPLAY_ENV", "verbose"}, {name, value}});
  std::string warning = output.substr(0, output.find('\n') + 1);
  EXPECT_EQ(warnings(output), 1) << output;
  std::string named = std::string("xomp: ") + name + "=\"" + value + "\" ";
  EXPECT_TRUE(warning.starts_with(named)) << warning;
  EXPECT_TRUE(warning.ends_with("; using the default\n")) << warning;
  EXPECT_EQ(output.substr(warning.size()), plain);
}

INSTANTIATE_TEST_SUITE_P(
    Variables, MalformedTest,
    testing::Values(Malformed{"OMP_NUM_THREADS", "4x"}, Malformed{"OMP_NUM_THREADS", ""},
                    Malformed{"OMP_NUM_THREADS", "0"}, Malformed{"OMP_NUM_THREADS", "-3"},
                    Malformed{"OMP_NUM_THREADS", "4,,"}, Malformed{"OMP_NUM_THREADS_ALL", "many"},
                    Malformed{"OMP_NUM_THREADS", "184467440737095516150"},
                    Malformed{"OMP_THREAD_LIMIT", "0"}, Malformed{"OMP_THREAD_LIMIT", "none"},
                    Malformed{"OMP_DYNAMIC", "maybe"}, Malformed{"OMP_NESTED", "2"},
                    Malformed{"OMP_MAX_ACTIVE_LEVELS", "-1"}, Malformed{"OMP_SCHEDULE", "runtime"},
                    Malformed{"OMP_SCHEDULE", "dynamic,x"}, Malformed{"OMP_SCHEDULE", "static,"},
                    Malformed{"OMP_STACKSIZE", "4Q"}, Malformed{"OMP_STACKSIZE", "1B"},
                    Malformed{"GOMP_STACKSIZE", "huge"}, Malformed{"OMP_WAIT_POLICY", "sleepy"},
                    Malformed{"GOMP_SPINCOUNT", "some"}, Malformed{"OMP_CANCELLATION", "2"},
                    Malformed{"OMP_PROC_BIND", "near"}, Malformed{"OMP_PROC_BIND", "true,close"},
                    Malformed{"OMP_PLACES", "{0"}, Malformed{"OMP_PLACES", "shelves"},
                    Malformed{"OMP_PLACES", "cores(0)"}, Malformed{"OMP_PLACES", "threads(-1)"},
                    Malformed{"OMP_PLACES", "{99999999}"}, Malformed{"OMP_PLACES", ""},
                    Malformed{"GOMP_CPU_AFFINITY", "3-1"}, Malformed{"GOMP_CPU_AFFINITY", ""},
                    Malformed{"OMP_DISPLAY_AFFINITY", "x"}, Malformed{"OMP_AFFINITY_FORMAT", "%0n"},
                    Malformed{"OMP_AFFINITY_FORMAT", "%{host"},
                    Malformed{"OMP_MAX_TASK_PRIORITY", "high"},
                    Malformed{"OMP_DEFAULT_DEVICE", "-1"}, Malformed{"OMP_TARGET_OFFLOAD", "never"},
                    Malformed{"OMP_ALLOCATOR", "malloc"}, Malformed{"OMP_NUM_TEAMS", "0"},
                    Malformed{"OMP_TEAMS_THREAD_LIMIT", "x"}, Malformed{"GOMP_DEBUG", "on"},
                    Malformed{"XOMP_SCHEDULER", "fifo"}, Malformed{"XOMP_BARRIER", "none"},
                    Malformed{"XOMP_QUEUE_SIZE", "63"}, Malformed{"XOMP_QUEUE_SIZE", "1"},
                    Malformed{"XOMP_VICTIMS", "0"}, Malformed{"XOMP_STEAL", "many"},
                    Malformed{"XOMP_INTERVAL", "-1"}, Malformed{"XOMP_LOCAL", "1.01"},
                    Malformed{"XOMP_LOCAL", "0.5x"}, Malformed{"XOMP_LOCAL", "."},
                    Malformed{"XOMP_PERFLOG_LIMIT", "1T"}, Malformed{"XOMP_CHUNK", "0"},
                    Malformed{"XOMP_LOCALITY", "loose"}, Malformed{"XOMP_TASK_MEMORY", "stack"},
                    Malformed{"XOMP_TOPOLOGY", "numa:2"}, Malformed{"XOMP_STATS", "2"},
                    Malformed{"XOMP_WATCHDOG", "usr1"}, Malformed{"XOMP_YIELD", "often"},
                    Malformed{"XOMP_CGROUP", "v2"}, Malformed{"XOMP_DISPLAY", "all"}));

TEST_F(SettingsTest, LogsGoToAFolderThatDoesNotMoveWithTheProgram) {
  EXPECT_EQ(load({{"XOMP_PERFLOG", "logs"}, {"XOMP_PERFLOG_LIMIT", "3M"}}), "");
  char folder[4096];
  ASSERT_NE(getcwd(folder, sizeof folder), nullptr);
  EXPECT_EQ(settings.perflog, std::string(folder) + "/logs");
  EXPECT_EQ(settings.perflog_limit, 3u << 20);
  load({{"XOMP_PERFLOG", "/a/b"}});
  EXPECT_STREQ(settings.perflog, "/a/b");
  load({{"XOMP_PERFLOG", ""}});
  EXPECT_EQ(settings.perflog, nullptr);
}

TEST_F(SettingsTest, NothingIsNothingWhereLibompSaysNothing) {
  std::string plain = load({{"OMP_DISPLAY_ENV", "verbose"}});
  for (const char* name : {"OMP_ALLOCATOR", "OMP_TARGET_OFFLOAD", "OMP_TOOL_VERBOSE_INIT"})
    EXPECT_EQ(load({{"OMP_DISPLAY_ENV", "verbose"}, {name, ""}}), plain) << name;
}

TEST_F(SettingsTest, MalformedDisplayRequestShowsNothing) {
  std::string output = load({{"OMP_DISPLAY_ENV", "please"}});
  EXPECT_EQ(warnings(output), 1);
  EXPECT_EQ(output.find("OPENMP DISPLAY"), output.npos);
}

TEST_F(SettingsTest, LongValuesGiveOneShortWarning) {
  std::string output = load({{"OMP_NUM_THREADS", std::string(100'000, '7')}});
  EXPECT_EQ(warnings(output), 1);
  EXPECT_LT(output.size(), 1024u);
  EXPECT_TRUE(output.ends_with("; using the default\n"));
}

// Bytes as a typing error or an attack would give them: words and signs of the grammars, and
// others.
std::string random_text(std::mt19937& random) {
  static const std::string kPieces[] = {"{",
                                        "}",
                                        ":",
                                        "!",
                                        ",",
                                        "(",
                                        ")",
                                        "-",
                                        "0",
                                        "1",
                                        "3",
                                        "65536",
                                        "99999",
                                        "%",
                                        "%0.9",
                                        "true",
                                        "cores",
                                        "threads",
                                        "static",
                                        "auto",
                                        "spread",
                                        "k",
                                        "G",
                                        "infinite",
                                        "%{host}",
                                        "%A",
                                        "alignment",
                                        "=",
                                        " ",
                                        "\t",
                                        "-1",
                                        "nonmonotonic:",
                                        "omp_default_mem_space:",
                                        "%5i"};
  std::string text;
  int pieces = static_cast<int>(random() % 12);
  for (int i = 0; i < pieces; ++i) {
    if (random() % 5)
      text += kPieces[random() % std::size(kPieces)];
    else
      text += static_cast<char>(random() % 255 + 1);
  }
  return text;
}

TEST_F(SettingsTest, NoTextBreaksTheReading) {
  static const char* const kNames[] = {"OMP_AFFINITY_FORMAT",
                                       "OMP_ALLOCATOR",
                                       "OMP_CANCELLATION",
                                       "OMP_DEFAULT_DEVICE",
                                       "OMP_DISPLAY_ENV",
                                       "OMP_DYNAMIC",
                                       "OMP_MAX_ACTIVE_LEVELS",
                                       "OMP_NUM_TEAMS",
                                       "OMP_NUM_THREADS",
                                       "OMP_PLACES",
                                       "OMP_PROC_BIND",
                                       "OMP_SCHEDULE",
                                       "OMP_STACKSIZE",
                                       "OMP_TARGET_OFFLOAD",
                                       "OMP_TEAMS_THREAD_LIMIT",
                                       "OMP_THREAD_LIMIT",
                                       "OMP_WAIT_POLICY",
                                       "GOMP_CPU_AFFINITY",
                                       "GOMP_DEBUG",
                                       "GOMP_SPINCOUNT",
                                       "GOMP_STACKSIZE",
                                       "XOMP_BARRIER",
                                       "XOMP_CGROUP",
                                       "XOMP_CHUNK",
                                       "XOMP_DISPLAY",
                                       "XOMP_INTERVAL",
                                       "XOMP_LOCAL",
                                       "XOMP_LOCALITY",
                                       "XOMP_PERFLOG_LIMIT",
                                       "XOMP_QUEUE_SIZE",
                                       "XOMP_SCHEDULER",
                                       "XOMP_STATS",
                                       "XOMP_STEAL",
                                       "XOMP_TASK_MEMORY",
                                       "XOMP_TOPOLOGY",
                                       "XOMP_VICTIMS",
                                       "XOMP_WATCHDOG",
                                       "XOMP_YIELD",
                                       "XOMP_"};
  std::mt19937 random(42);
  for (int round = 0; round < 150; ++round)
    for (const char* name : kNames) {
      std::string text = random_text(random);
      std::string output = load({{name, text}});
      // What it displays when asked to begins like a warning.
      if (text.find('\n') == text.npos && !settings.display) {
        EXPECT_LE(warnings(output), 1) << name << "=" << text;
      }
      EXPECT_GE(settings.icv.num_threads, 1);
      EXPECT_TRUE(std::has_single_bit(settings.queue_size));
      EXPECT_GE(settings.spin_count, crowded_spin_count());
    }
}

} // namespace
} // namespace xomp

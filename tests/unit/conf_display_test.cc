// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_DISPLAY_ENV prints libgomp's block, entry for entry, and xomp's own variables in it.
#include "settings_fixture.h"

namespace xomp {
namespace {

TEST_F(SettingsTest, DisplaysEveryEntryInLibgompsOrder) {
  std::string output = load({{"OMP_DISPLAY_ENV", "true"},
                             {"OMP_NUM_THREADS", "4,3"},
                             {"OMP_SCHEDULE", "monotonic:guided,5"},
                             {"OMP_STACKSIZE", "2m"},
                             {"OMP_THREAD_LIMIT", "10"},
                             {"OMP_MAX_ACTIVE_LEVELS", "3000"},
                             {"OMP_WAIT_POLICY", "active"},
                             {"XOMP_BARRIER", "central"}});
  EXPECT_EQ(output, R"(
OPENMP DISPLAY ENVIRONMENT BEGIN
  _OPENMP = '201511'
  OMP_DYNAMIC = 'FALSE'
  OMP_NESTED = 'TRUE'
  OMP_NUM_THREADS = '4,3'
  OMP_SCHEDULE = 'MONOTONIC:GUIDED,5'
  OMP_PROC_BIND = 'FALSE'
  OMP_PLACES = ''
  OMP_STACKSIZE = '2097152'
  OMP_WAIT_POLICY = 'ACTIVE'
  OMP_THREAD_LIMIT = '10'
  OMP_MAX_ACTIVE_LEVELS = '255'
  OMP_NUM_TEAMS = '0'
  OMP_TEAMS_THREAD_LIMIT = '0'
  OMP_CANCELLATION = 'FALSE'
  OMP_DEFAULT_DEVICE = '0'
  OMP_MAX_TASK_PRIORITY = '0'
  OMP_DISPLAY_AFFINITY = 'FALSE'
  OMP_AFFINITY_FORMAT = 'level %L thread %i affinity %A'
  OMP_ALLOCATOR = 'omp_default_mem_alloc'
  OMP_TARGET_OFFLOAD = 'DEFAULT'
  OMP_TOOL = 'enabled'
  OMP_TOOL_LIBRARIES = ''
  OMP_TOOL_VERBOSE_INIT = 'disabled'
  XOMP_SCHEDULER = 'auto'
  XOMP_BARRIER = 'central'
  XOMP_QUEUE_SIZE = '64'
  XOMP_VICTIMS = 'auto'
  XOMP_STEAL = 'auto'
  XOMP_INTERVAL = 'auto'
  XOMP_LOCAL = 'auto'
  XOMP_CHUNK = '0'
  XOMP_LOCALITY = 'relaxed'
  XOMP_TASK_MEMORY = 'heap'
  XOMP_TOPOLOGY = ''
  XOMP_CGROUP = 'TRUE'
  XOMP_PERFLOG = ''
  XOMP_PERFLOG_LIMIT = '1073741824'
  XOMP_STATS = 'FALSE'
  XOMP_DISPLAY = 'FALSE'
  XOMP_WATCHDOG = 'FALSE'
  XOMP_YIELD = 'TRUE'
OPENMP DISPLAY ENVIRONMENT END
)");
}

TEST_F(SettingsTest, VerboseAddsTheGnuVariables) {
  std::string output = load({{"OMP_DISPLAY_ENV", "verbose"}, {"GOMP_SPINCOUNT", "5k"}});
  EXPECT_NE(output.find("  GOMP_CPU_AFFINITY = ''\n  GOMP_STACKSIZE = '0'\n"
                        "  GOMP_SPINCOUNT = '5000'\n  OMP_TOOL = 'enabled'\n"),
            output.npos)
      << output;
}

TEST_F(SettingsTest, DisplaysAStaticScheduleWithoutItsImpliedModifier) {
  EXPECT_NE(load({{"OMP_DISPLAY_ENV", "true"}, {"OMP_SCHEDULE", "static"}}).find("'STATIC'"),
            std::string::npos);
  std::string output =
      load({{"OMP_DISPLAY_ENV", "true"}, {"OMP_SCHEDULE", "nonmonotonic:static,8"}});
  EXPECT_NE(output.find("'NONMONOTONIC:STATIC,8'"), output.npos);
}

TEST_F(SettingsTest, DisplaysLongTextsWhole) {
  std::string format(5000, 'x');
  std::string output = load({{"OMP_DISPLAY_ENV", "true"}, {"OMP_AFFINITY_FORMAT", format}});
  EXPECT_NE(output.find("'" + format + "'"), output.npos);
}

TEST_F(SettingsTest, DisplaysThatThereIsNoDefaultDevice) {
  std::string output = load({{"OMP_DISPLAY_ENV", "true"}, {"OMP_TARGET_OFFLOAD", "mandatory"}});
  EXPECT_NE(output.find("OMP_DEFAULT_DEVICE = '-4'"), std::string::npos) << output;
}

} // namespace
} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of LLVM's and Intel's runtimes: when they count, what each means, that OMP_* wins,
// and the order of places that KMP_AFFINITY asks for, on described machines.
#include "conf/kmp.h"

#include <string>

#include "settings_fixture.h"

namespace xomp {
namespace {

class KmpTest : public SettingsTest {
protected:
  void SetUp() override {
    SettingsTest::SetUp();
    kmp_variables_count = [] { return true; };
  }
  void TearDown() override {
    kmp_variables_count = nullptr;
    SettingsTest::TearDown();
  }

  /// The places on a machine of two sockets, with two cores of two threads each.
  std::string places(const std::string& affinity) {
    std::string warnings =
        load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"}, {"KMP_AFFINITY", affinity}});
    return warnings + listed();
  }
  static std::string listed() {
    char text[4096];
    sys::TextSink sink(text, sizeof text);
    put_place_list(sink);
    return {text, sink.length()};
  }
};

TEST_F(KmpTest, CountsOnlyWhereAProgramOfTheirsIs) {
  kmp_variables_count = [] { return false; };
  EXPECT_EQ(load({{"KMP_BLOCKTIME", "wrong"}, {"KMP_LIBRARY", "serial"}, {"KMP_STACKSIZE", "8M"}}),
            "");
  EXPECT_EQ(settings.stack_size, 0u);
  EXPECT_EQ(settings.icv.num_threads, settings.threads_at_once);
}

TEST_F(KmpTest, EachMalformedOneGivesOneWarning) {
  for (const char* text :
       {"KMP_AFFINITY=near", "KMP_AFFINITY=explicit", "KMP_AFFINITY=compact,scatter",
        "KMP_AFFINITY=granularity=rack,compact", "KMP_AFFINITY=proclist=[0,x]",
        "KMP_AFFINITY=proclist=[0],compact", "KMP_AFFINITY=", "KMP_BLOCKTIME=soon",
        "KMP_BLOCKTIME=-1", "KMP_HW_SUBSET=2q", "KMP_HW_SUBSET=1c,1c", "KMP_STACKSIZE=big",
        "KMP_LIBRARY=fast", "KMP_ALL_THREADS=0", "KMP_DEVICE_THREAD_LIMIT=x",
        "KMP_TEAMS_THREAD_LIMIT=no", "KMP_SETTINGS=perhaps", "KMP_DUPLICATE_LIB_OK=maybe",
        "KMP_AFINITY=compact"}) {
    std::string entry(text);
    std::size_t equals = entry.find('=');
    std::string said = load({{entry.substr(0, equals), entry.substr(equals + 1)}});
    EXPECT_EQ(warnings(said), 1) << entry << ": " << said;
    EXPECT_NE(said.find(entry.substr(0, equals)), said.npos) << said;
    EXPECT_EQ(place_count(), 0) << entry;
  }
  EXPECT_EQ(load({{"KMP_WARNINGS", "0"}, {"KMP_AFFINITY", "near"}}), "");
}

TEST_F(KmpTest, OthersOfTheirListAreIgnored) {
  EXPECT_EQ(load({{"KMP_TASKING", "?"},
                  {"KMP_FORKJOIN_BARRIER", "x"},
                  {"KMP_HOT_TEAMS_MODE", "9"},
                  {"KMP_DUPLICATE_LIB_OK", "TRUE"},
                  {"KMP_OF_ANOTHER_YEAR", "1"}}),
            "");
}

TEST_F(KmpTest, BlocktimeIsTheTimeBeforeSleeping) {
  load({{"KMP_BLOCKTIME", "2"}});
  EXPECT_EQ(settings.blocktime, 2);
  EXPECT_EQ(settings.spin_count, 80'000);
  EXPECT_FALSE(settings.spin_adapts);
  load({{"KMP_BLOCKTIME", "50us"}});
  EXPECT_EQ(settings.spin_count, 2000);
  load({{"KMP_BLOCKTIME", "0"}});
  EXPECT_EQ(settings.spin_count, 0);
  EXPECT_EQ(crowded_spin_count(), 0);
  load({{"KMP_BLOCKTIME", "infinite"}});
  EXPECT_EQ(settings.spin_count, INT64_MAX);
  load({{"KMP_LIBRARY", "turnaround"}});
  EXPECT_EQ(settings.spin_count, INT64_MAX);
  EXPECT_EQ(settings.blocktime, 200);
  EXPECT_EQ(settings.kmp_library, KmpLibrary::kTurnaround);
  load({{"KMP_BLOCKTIME", "7"}, {"OMP_WAIT_POLICY", "passive"}});
  EXPECT_EQ(settings.spin_count, 0);
  EXPECT_EQ(settings.blocktime, 0);
  EXPECT_EQ(settings.kmp_library, KmpLibrary::kThroughput);
  load({{"KMP_LIBRARY", "serial"}, {"OMP_WAIT_POLICY", "active"}});
  EXPECT_EQ(settings.blocktime, kForEver);
  EXPECT_EQ(settings.kmp_library, KmpLibrary::kSerial);
  load({{"KMP_BLOCKTIME", "7"}, {"GOMP_SPINCOUNT", "5"}});
  EXPECT_EQ(settings.spin_count, 5);
}

TEST_F(KmpTest, SizesAndLimitsFillWhatIsOpen) {
  load(
      {{"KMP_STACKSIZE", "4m"}, {"KMP_DEVICE_THREAD_LIMIT", "6"}, {"KMP_TEAMS_THREAD_LIMIT", "3"}});
  EXPECT_EQ(settings.stack_size, std::size_t{4} << 20);
  EXPECT_EQ(settings.icv.thread_limit, 6);
  EXPECT_EQ(settings.teams_thread_limit, 3);
  load({{"KMP_STACKSIZE", "16MB"}});
  EXPECT_EQ(settings.stack_size, std::size_t{16} << 20);
  load({{"KMP_STACKSIZE", "1000000"}, {"KMP_ALL_THREADS", "all"}});
  EXPECT_EQ(settings.stack_size, 1'000'000u);
  EXPECT_EQ(settings.icv.thread_limit, settings.processors);
  load({{"KMP_STACKSIZE", "4m"},
        {"OMP_STACKSIZE", "2m"},
        {"KMP_ALL_THREADS", "6"},
        {"OMP_THREAD_LIMIT", "9"},
        {"KMP_TEAMS_THREAD_LIMIT", "3"},
        {"OMP_TEAMS_THREAD_LIMIT", "2"}});
  EXPECT_EQ(settings.stack_size, std::size_t{2} << 20);
  EXPECT_EQ(settings.icv.thread_limit, 9);
  EXPECT_EQ(settings.teams_thread_limit, 2);
  load({{"KMP_LIBRARY", "serial"}});
  EXPECT_EQ(settings.icv.num_threads, 1);
  load({{"KMP_LIBRARY", "serial"}, {"OMP_NUM_THREADS", "3"}, {"OMP_THREAD_LIMIT", "9"}});
  EXPECT_EQ(settings.icv.num_threads, 1);
  EXPECT_EQ(settings.icv.thread_limit, 1);
}

TEST_F(KmpTest, AffinityPutsPlacesInOrder) {
  EXPECT_EQ(places("none"), "");
  EXPECT_EQ(places("disabled"), "");
  EXPECT_EQ(places("granularity=fine,compact"), "{0},{1},{2},{3},{4},{5},{6},{7}");
  EXPECT_EQ(places("compact"), "{0:2},{0:2},{2:2},{2:2},{4:2},{4:2},{6:2},{6:2}");
  EXPECT_EQ(places("granularity=fine,compact,1,0"), "{0},{2},{4},{6},{1},{3},{5},{7}");
  EXPECT_EQ(places("granularity=fine,compact,1,2"), "{4},{6},{1},{3},{5},{7},{0},{2}");
  EXPECT_EQ(places("granularity=thread,scatter"), "{0},{4},{2},{6},{1},{5},{3},{7}");
  EXPECT_EQ(places("balanced"), "{0:2},{2:2},{4:2},{6:2}");
  EXPECT_EQ(places("gran=socket,scatter,verbose").substr(0, 17), "{0:4},{4:4},{0:4}");
  EXPECT_TRUE(settings.display_affinity);
  EXPECT_EQ(places("explicit,proclist=[3,0-4:2,{5,6}]"), "{3},{0},{2},{4},{5:2}");
  EXPECT_EQ(places("granularity=fine,proclist=[3,{5,6}],explicit"), "{3},{5:2}");
  EXPECT_EQ(places("proclist=[1]"), "{1}");
  EXPECT_EQ(settings.icv.bind, kBindClose);
}

TEST_F(KmpTest, SubsetLeavesProcessorsOut) {
  auto subset = [&](const char* text) {
    load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"},
          {"KMP_AFFINITY", "granularity=fine,compact"},
          {"KMP_HW_SUBSET", text}});
    return listed();
  };
  EXPECT_EQ(subset("1s,2c,1t"), "{0},{2}");
  EXPECT_EQ(subset("1socket@1"), "{4},{5},{6},{7}");
  EXPECT_EQ(subset("1t@1"), "{1},{3},{5},{7}");
  EXPECT_EQ(subset("*s,c,1t"), "{0},{2},{4},{6}");
  EXPECT_EQ(subset(":1t@1"), "{1}");
  EXPECT_EQ(subset(":3t@3"), "{3},{4},{5}");
  EXPECT_EQ(subset(":1s@1,3t"), "{4},{5},{6}");
  EXPECT_EQ(subset(":1c@2"), "{4},{5}");
  EXPECT_EQ(subset(":2c@1,1t"), "{2},{4}");
  load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"}, {"KMP_HW_SUBSET", "1s,1c,1t"}});
  EXPECT_EQ(settings.icv.num_threads, 1);
  EXPECT_EQ(place_count(), 0);
  load({{"KMP_HW_SUBSET", "1c"}, {"OMP_NUM_THREADS", "5"}});
  EXPECT_EQ(settings.icv.num_threads, 5);
  EXPECT_EQ(warnings(load({{"KMP_HW_SUBSET", "1s@70000"}})), 1);
}

TEST_F(KmpTest, SubsetHoldsForPlacesOfOpenMP) {
  auto subset = [&](const char* variable, const char* value) {
    std::string said = load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"},
                             {variable, value},
                             {"KMP_HW_SUBSET", "2s,1c@1,1t"}});
    return (warnings(said) ? "warned of " : "") + listed();
  };
  EXPECT_EQ(subset("OMP_PLACES", "threads"), "{2},{6}");
  EXPECT_EQ(subset("OMP_PLACES", "cores"), "{2},{6}");
  EXPECT_EQ(subset("OMP_PLACES", "threads(1)"), "{2}");
  EXPECT_EQ(subset("OMP_PLACES", "{0:3},{4},{6}"), "warned of {2},{6}");
  EXPECT_EQ(subset("OMP_PROC_BIND", "spread"), "{2},{6}");
  EXPECT_EQ(subset("GOMP_CPU_AFFINITY", "1-6"), "warned of {2},{6}");
  EXPECT_EQ(settings.icv.num_threads, 2);
  EXPECT_EQ(subset("OMP_PROC_BIND", "false"), "");
}

TEST_F(KmpTest, BindingOfOpenMPWins) {
  load({{"KMP_AFFINITY", "compact"}, {"OMP_PROC_BIND", "false"}});
  EXPECT_EQ(place_count(), 0);
  load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"},
        {"KMP_AFFINITY", "scatter"},
        {"OMP_PLACES", "sockets"}});
  EXPECT_EQ(listed(), "{0:4},{4:4}");
}

} // namespace
} // namespace xomp

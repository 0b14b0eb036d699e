// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of LLVM's and Intel's runtimes: when they count, what each means, that OMP_* wins,
// and the order of places that KMP_AFFINITY asks for, on described machines.
#include "conf/kmp.h"

#include <string>

#include "place/hardware_subset.h"
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

  /// The places on a machine of two sockets, with two cores of two threads each, or another.
  std::string places(const std::string& affinity, const char* machine = "pack:2 core:2 pu:2") {
    std::string warnings = load({{"XOMP_TOPOLOGY", machine}, {"KMP_AFFINITY", affinity}});
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
  for (const char* text : {"KMP_AFFINITY=near",
                           "KMP_AFFINITY=explicit",
                           "KMP_AFFINITY=compact,scatter",
                           "KMP_AFFINITY=granularity=rack,compact",
                           "KMP_AFFINITY=proclist=[0,x]",
                           "KMP_AFFINITY=proclist=[0],compact",
                           "KMP_AFFINITY=proclist=[3-1]",
                           "KMP_AFFINITY=proclist=[1-3:-1]",
                           "KMP_AFFINITY=logical,1,1",
                           "KMP_AFFINITY=,compact",
                           "KMP_BLOCKTIME=soon",
                           "KMP_BLOCKTIME=-1",
                           "KMP_HW_SUBSET=2q",
                           "KMP_HW_SUBSET=1c,1c",
                           "KMP_STACKSIZE=big",
                           "KMP_LIBRARY=fast",
                           "KMP_ALL_THREADS=0",
                           "KMP_DEVICE_THREAD_LIMIT=x",
                           "KMP_TEAMS_THREAD_LIMIT=no",
                           "KMP_SETTINGS=perhaps",
                           "KMP_DUPLICATE_LIB_OK=maybe",
                           "KMP_VERSION=maybe",
                           "KMP_FORCE_REDUCTION=bush",
                           "KMP_FORCE_REDUCTION=",
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

TEST_F(KmpTest, ReductionsAreInOrderWhereAskedFor) {
  load({});
  EXPECT_FALSE(settings.reduces_in_order);
  load({{"KMP_DETERMINISTIC_REDUCTION", "true"}});
  EXPECT_TRUE(settings.reduces_in_order);
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
  EXPECT_EQ(places(""), "");
  EXPECT_EQ(places("disabled"), "");
  EXPECT_EQ(places("granularity=fine,compact"), "{0},{1},{2},{3},{4},{5},{6},{7}");
  EXPECT_EQ(places("compact"), "{0:2},{0:2},{2:2},{2:2},{4:2},{4:2},{6:2},{6:2}");
  EXPECT_EQ(places("granularity=fine,compact,1,0"), "{0},{2},{4},{6},{1},{3},{5},{7}");
  EXPECT_EQ(places("granularity=fine,compact,1,2"), "{4},{6},{1},{3},{5},{7},{0},{2}");
  EXPECT_EQ(places("granularity=thread,scatter"), "{0},{4},{2},{6},{1},{5},{3},{7}");
  EXPECT_EQ(places("balanced"), "{0:2},{2:2},{4:2},{6:2}");
  EXPECT_EQ(places("gran=socket,scatter,verbose").substr(0, 17), "{0:4},{4:4},{0:4}");
  EXPECT_TRUE(settings.display_affinity && settings.verbose_affinity);
  EXPECT_EQ(places("explicit,proclist=[3,0-4:2,{5,6}]"), "{2:2},{0:2},{2:2},{4:2},{4:4}");
  EXPECT_EQ(places("granularity=fine,explicit,proclist=[3,0-4:2,{5,6}]"), "{3},{0},{2},{4},{5:2}");
  EXPECT_EQ(places("granularity=fine,proclist=[3,{5,6}],explicit"), "{3},{5:2}");
  EXPECT_EQ(places("proclist=[1],gran=fine"), "{1}");
  EXPECT_EQ(places("granularity=fine,proclist=[5-1:-2,0]"), "{5},{3},{1},{0}");
  // One number: the offset, in cores.
  EXPECT_EQ(places("granularity=fine,logical"), "{0},{1},{2},{3},{4},{5},{6},{7}");
  EXPECT_EQ(places("granularity=fine,logical,1"), "{2},{3},{4},{5},{6},{7},{0},{1}");
  EXPECT_EQ(places("granularity=fine,physical"), "{0},{2},{4},{6},{1},{3},{5},{7}");
  EXPECT_EQ(places("granularity=fine,physical,1"), "{4},{6},{1},{3},{5},{7},{0},{2}");
  EXPECT_EQ(settings.icv.bind, kBindKmp);
}

// The tables of this test and the next but two are what libiomp5 makes of the same description and
// value (KMP_TOPOLOGY_METHOD=hwloc).
TEST_F(KmpTest, GranularityIsAnyLevelOfTheMachine) {
  auto nodups = [&](const char* granularity) {
    return places(std::string("nodups,compact,granularity=") + granularity,
                  "pack:2 die:2 [numa] l3:2 l2:2 core:1 pu:2");
  };
  EXPECT_EQ(nodups("die"), "{0:8},{8:8},{16:8},{24:8}");
  EXPECT_EQ(nodups("node"), nodups("die"));
  EXPECT_EQ(nodups("numa_domain"), nodups("die"));
  EXPECT_EQ(nodups("l3_cache"), "{0:4},{4:4},{8:4},{12:4},{16:4},{20:4},{24:4},{28:4}");
  EXPECT_EQ(nodups("ll_cache"), nodups("l3_cache"));
  EXPECT_EQ(nodups("l2_cache"), nodups("core"));
  EXPECT_EQ(nodups("package"), "{0:16},{16:16}");
  EXPECT_EQ(places("gran=socket,noduplicates,scatter", "pack:2 l3:2 core:2 pu:1"), "{0:4},{4:4}");
  EXPECT_EQ(places("gran=l3_cache,compact,nodups,dups", "pack:1 l3:2 core:2 pu:1"),
            "{0:2},{0:2},{2:2},{2:2}");
  EXPECT_EQ(places("gran=ll_cache,nodups,compact"), "{0:4},{4:4}") << "no cache: sockets";
  EXPECT_EQ(places("compact,"), places("compact"));
}

TEST_F(KmpTest, GranularityThatTheMachineDoesNotHaveIsCore) {
  for (const char* text : {"die", "tile", "module", "l1_cache", "l2_cache", "l3_cache", "core_type",
                           "core_eff", "group"}) {
    std::string said = places(std::string("nodups,compact,granularity=") + text);
    EXPECT_EQ(warnings(said), 1) << said;
    EXPECT_NE(said.find("\n{0:2},{2:2},{4:2},{6:2}"), said.npos) << said;
  }
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
  EXPECT_EQ(subset("1Sx1C"), "{0},{1}");
  EXPECT_EQ(subset("1so1,2c@1,"), "{6},{7}") << "more than there are: all";
  load({{"XOMP_TOPOLOGY", "pack:2 core:2 pu:2"}, {"KMP_HW_SUBSET", "1s,1c,1t"}});
  EXPECT_EQ(settings.icv.num_threads, 1);
  EXPECT_EQ(place_count(), 0);
  load({{"KMP_HW_SUBSET", "1c"}, {"OMP_NUM_THREADS", "5"}});
  EXPECT_EQ(settings.icv.num_threads, 5);
  EXPECT_EQ(warnings(load({{"KMP_HW_SUBSET", "1s@70000"}})), 1);
}

TEST_F(KmpTest, SubsetNamesAnyLayerOfTheMachine) {
  auto subset = [&](const char* text, const char* machine = "pack:2 l3:2 [numa] l2:2 core:2 pu:2") {
    std::string said = load({{"XOMP_TOPOLOGY", machine},
                             {"KMP_AFFINITY", "granularity=fine,compact"},
                             {"KMP_HW_SUBSET", text}});
    EXPECT_EQ(said, "") << text;
    std::string numbers;
    for (char c : listed()) // without what all have
      if (c != '{' && c != '}')
        numbers += c;
    return numbers;
  };
  const char* all_first_nodes = "0,1,2,3,4,5,6,7,16,17,18,19,20,21,22,23";
  EXPECT_EQ(subset("1n"), all_first_nodes);
  EXPECT_EQ(subset("1numa"), all_first_nodes);
  EXPECT_EQ(subset("1NODES"), all_first_nodes);
  EXPECT_EQ(subset("1l3"), all_first_nodes);
  EXPECT_EQ(subset("1ll"), all_first_nodes);
  EXPECT_EQ(subset("1l2_cache"), "0,1,2,3,16,17,18,19");
  EXPECT_EQ(subset("1s@1,3L2,1t"), "16,18,20,22,24,26") << "three of the socket";
  EXPECT_EQ(subset("1sx1nx1c"), "0,1");
  EXPECT_EQ(subset("1s,4c"), "0,1,2,3,4,5,6,7") << "of the socket, as nothing else is named";
  EXPECT_EQ(subset("1s,*n,1l2@1,c"), "4,5,6,7,12,13,14,15");
  EXPECT_EQ(subset(":2l2"), "0,1,2,3,4,5,6,7");
  EXPECT_EQ(subset(":1n@1,3c"), "8,9,10,11,12,13");
  const char* dice = "pack:2 die:2 l2:2 core:1 pu:2";
  EXPECT_EQ(subset("1d@1", dice), "4,5,6,7,12,13,14,15");
  EXPECT_EQ(subset("1s,1d,1c", dice), "0,1");
  EXPECT_EQ(subset("1l2", dice), "0,1,8,9") << "stands for the core";
  EXPECT_EQ(subset("1n", "pack:2 [numa] core:2 pu:1"), "0,1") << "stands for the socket";
}

TEST_F(KmpTest, SubsetOfLayersThatTheMachineDoesNotHaveIsPassedOver) {
  for (const char* text :
       {"1d", "1tile", "1m", "1l1", "1l2,1d", "1n,1l3", "1n@2", "1l", "1c:intel_core&1c:intel_atom",
        "1c:eff", "1s:eff0", "1c:fast", "1c&1c"}) {
    std::string said = load({{"XOMP_TOPOLOGY", "pack:2 l3:2 [numa] l2:2 core:2 pu:2"},
                             {"OMP_PLACES", "threads"},
                             {"KMP_HW_SUBSET", text}});
    EXPECT_EQ(warnings(said), 1) << said;
    EXPECT_NE(said.find("KMP_HW_SUBSET=\""), said.npos) << said;
    EXPECT_EQ(place_count(), 32) << text;
  }
  EXPECT_EQ(warnings(load({{"KMP_PLACE_THREADS", "1s@70000"}})), 1);
  EXPECT_EQ(warnings(load({{"KMP_PLACE_THREADS", "?"}, {"KMP_HW_SUBSET", "1s"}})), 0);
}

TEST_F(KmpTest, TypeOfCoresIsPassedOverWhereThereIsOne) {
  for (const char* text : {"1c:intel_core", "1c:INTEL_ATOM", "1c:eff1", "1c:efficiency0@0"}) {
    std::string said = load({{"XOMP_TOPOLOGY", "pack:1 core:4 pu:1"},
                             {"OMP_PLACES", "threads"},
                             {"KMP_HW_SUBSET", text}});
    EXPECT_EQ(warnings(said), 1) << said;
    EXPECT_EQ(listed(), "{0}") << text;
  }
}

TEST_F(KmpTest, CoresOfATypeAreCountedApart) {
  load({{"XOMP_TOPOLOGY", "pack:2 core:4 pu:2"}}); // the even cores are Atoms
  PlaceTable types(static_cast<int>(start_processors().size()));
  types.append()[0] = 0x3333;
  types.append()[0] = 0xcccc;
  auto subset = [&](const char* text) -> uint64_t {
    PlaceTable rows(types.words_per_row());
    Processors set = rows.append();
    HardwareSubset subset;
    EXPECT_TRUE(parse_hardware_subset(text, subset)) << text;
    SubsetResult result = add_processors_of(subset, types, set);
    EXPECT_FALSE(result.passed_types);
    EXPECT_EQ(result.processors, count_processors(set));
    return result.status == SubsetStatus::kGood ? set[0] : 0;
  };
  EXPECT_EQ(subset("1c:intel_core"), 0x0c0cu);
  EXPECT_EQ(subset("1c:eff0@1"), 0x3030u);
  EXPECT_EQ(subset("1s,2c:intel_atom,1t"), 0x11u);
  EXPECT_EQ(subset("1s,1c:eff0&2c:eff1"), 0xcfu);
  EXPECT_EQ(subset(":3c:eff1"), 0x0cccu);
  EXPECT_EQ(subset("1c:eff2"), 0u) << "nothing is left";
  EXPECT_EQ(subset("3c"), 0x3f3fu) << "of any type";
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

TEST_F(KmpTest, PlacesOfOpenMPMayHaveOtherLevels) {
  auto said = [&](const char* places) {
    return load({{"XOMP_TOPOLOGY", "pack:2 die:2 l3:1 l2:2 core:1 pu:2"}, {"OMP_PLACES", places}});
  };
  EXPECT_EQ(said("dice"), "");
  EXPECT_EQ(listed(), "{0:4},{4:4},{8:4},{12:4}");
  EXPECT_EQ(said("l3_caches(2)"), "");
  EXPECT_EQ(listed(), "{0:4},{4:4}");
  EXPECT_EQ(said("L2_caches(1)"), "");
  EXPECT_EQ(listed(), "{0:2}");
  for (const char* missing : {"tiles(3)", "modules(3)", "l1_caches(3)", "core_types(3)"}) {
    EXPECT_EQ(warnings(said(missing)), 1) << missing;
    EXPECT_EQ(listed(), "{0:2},{2:2},{4:2}") << missing;
  }
}

TEST_F(KmpTest, SettingsShowWhatMeansSomething) {
  std::string shown = load({{"XOMP_TOPOLOGY", "core:4 pu:1"},
                            {"KMP_SETTINGS", "true"},
                            {"KMP_AFFINITY", "compact"},
                            {"KMP_BLOCKTIME", "7"},
                            {"KMP_STACKSIZE", "4m"}});
  for (const char* line :
       {"KMP_AFFINITY = 'compact'", "KMP_HW_SUBSET = ''", "KMP_BLOCKTIME = '7'",
        "KMP_LIBRARY = 'throughput'", "KMP_STACKSIZE = '4194304'",
        "KMP_DEVICE_THREAD_LIMIT = '2147483647'", "KMP_TEAMS_THREAD_LIMIT = '0'",
        "KMP_INHERIT_FP_CONTROL = 'TRUE'", "KMP_DETERMINISTIC_REDUCTION = 'FALSE'",
        "KMP_SETTINGS = 'TRUE'", "OMP_PROC_BIND = 'INTEL'"})
    EXPECT_NE(shown.find(std::string("\n  ") + line + "\n"), shown.npos) << line << shown;
  shown = load({{"OMP_DISPLAY_ENV", "verbose"}, {"KMP_BLOCKTIME", "infinite"}});
  EXPECT_EQ(shown.find("KMP_"), shown.npos) << "not on the other's behalf";
  shown = load({{"KMP_SETTINGS", "true"}, {"KMP_BLOCKTIME", "infinite"}});
  EXPECT_NE(shown.find("KMP_BLOCKTIME = 'infinite'"), shown.npos);
}

TEST_F(KmpTest, VersionIsALine) {
  EXPECT_EQ(load({{"KMP_VERSION", "true"}}), "xomp: version " XOMP_VERSION "\n");
  EXPECT_EQ(load({{"KMP_VERSION", "1"}, {"KMP_WARNINGS", "0"}}),
            "xomp: version " XOMP_VERSION "\n");
  EXPECT_EQ(load({{"KMP_VERSION", "off"}}), "");
}

TEST_F(KmpTest, ATreeOfReductionsHasAnOrder) {
  EXPECT_EQ(load({{"KMP_FORCE_REDUCTION", "tree"}}), "");
  EXPECT_TRUE(settings.reduces_in_order);
  for (const char* way : {"atomic", "CRITICAL"}) {
    EXPECT_EQ(load({{"KMP_FORCE_REDUCTION", way}, {"KMP_DETERMINISTIC_REDUCTION", "true"}}), "");
    EXPECT_FALSE(settings.reduces_in_order) << way;
  }
  EXPECT_EQ(warnings(load({{"KMP_FORCE_REDUCTION", "no"}, {"KMP_DETERMINISTIC_REDUCTION", "1"}})),
            1);
  EXPECT_TRUE(settings.reduces_in_order) << "what is malformed says nothing";
}

TEST_F(KmpTest, DefaultsCountBeforeTheEnvironment) {
  auto load_with = [&](std::initializer_list<std::string> defaults) {
    load({}); // what an earlier one has said is forgotten
    setenv("OMP_NUM_THREADS", "5", 1);
    setenv("KMP_BLOCKTIME", "9", 1);
    load_settings(ReadOpenmp::kAtUse);
    for (const std::string& text : defaults)
      EXPECT_TRUE(add_defaults(text.data(), text.size()));
    testing::internal::CaptureStderr();
    complete_settings();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(load_with({}), "");
  EXPECT_EQ(settings.icv.num_threads, 5);
  EXPECT_EQ(load_with({"OMP_NUM_THREADS=3|OMP_SCHEDULE=guided,4"}), "");
  EXPECT_EQ(settings.icv.num_threads, 3);
  EXPECT_EQ(settings.icv.schedule_kind, uint32_t{kScheduleGuided});
  EXPECT_EQ(settings.blocktime, 9);
  EXPECT_EQ(load_with({"OMP_NUM_THREADS=3|KMP_BLOCKTIME=7", "||OMP_NUM_THREADS=2||"}), "");
  EXPECT_EQ(settings.icv.num_threads, 2);
  EXPECT_EQ(settings.blocktime, 7);
  EXPECT_EQ(load_with({"", "|", "nonsense|=|OMP_NUM_THREADS"}), "");
  EXPECT_EQ(settings.icv.num_threads, 5);
  EXPECT_EQ(warnings(load_with({"OMP_NUM_THREADS=many"})), 1);
}

TEST_F(KmpTest, LateDefaultsChangeWhatStillCanBe) {
  load({{"OMP_NUM_THREADS", "5"}, {"KMP_LIBRARY", "turnaround"}});
  std::string text = "OMP_NUM_THREADS=3,2|OMP_DYNAMIC=true|KMP_STACKSIZE=4m|OMP_SCHEDULE=guided";
  EXPECT_FALSE(add_defaults(text.data(), text.size()));
  IcvValues own = settings.icv;
  heed_defaults(text.data(), text.size(), own);
  EXPECT_EQ(own.num_threads, 3);
  EXPECT_EQ(own.dynamic, 1);
  EXPECT_EQ(own.schedule_kind, settings.icv.schedule_kind);
  EXPECT_EQ(settings.icv.num_threads, 3);
  EXPECT_EQ(settings.nthreads_count, 0);
  EXPECT_EQ(settings.stack_size, std::size_t{4} << 20);
  EXPECT_EQ(settings.kmp_library, KmpLibrary::kTurnaround) << "nothing was said of it";
  text = "KMP_BLOCKTIME=7|KMP_LIBRARY=throughput";
  heed_defaults(text.data(), text.size(), own);
  EXPECT_EQ(own.num_threads, 3);
  EXPECT_EQ(settings.blocktime, 7);
  EXPECT_EQ(settings.kmp_library, KmpLibrary::kThroughput);
}

TEST_F(KmpTest, AffinityIsShownAsThereToProgramsOfTheirsAlone) {
  load({{"OMP_DISPLAY_AFFINITY", "true"}, {"KMP_AFFINITY", "verbose"}});
  EXPECT_TRUE(settings.display_affinity && !settings.verbose_affinity);
  EXPECT_STREQ(affinity_format(), "level %L thread %i affinity %A");
  kmp_defaults_count = [] { return true; };
  load({});
  kmp_defaults_count = nullptr;
  EXPECT_STREQ(affinity_format(), "OMP: pid %P tid %i thread %n bound to OS proc set {%A}");
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

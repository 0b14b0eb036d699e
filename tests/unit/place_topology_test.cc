// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Abstract places on virtual machines: a /sys tree in a folder of the test's, and hwloc's synthetic
// topologies.
#include "place/topology.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace xomp {
namespace {

using Mask = uint64_t;
constexpr Mask kAll = 0xff;

std::string text_of(const PlaceTable& places) {
  std::string result;
  for (int i = 0; i < places.size(); ++i) {
    result += i ? "|" : "";
    const char* separator = "";
    for (int p = next_processor(places[i], 0); p >= 0; p = next_processor(places[i], p + 1)) {
      result += separator + std::to_string(p);
      separator = ",";
    }
  }
  return result;
}

// Two packages of two cores of two threads, numbered as some firmware does: even processors in
// package 0, and the second thread of a core four numbers after the first. Node 2 has memory only.
class SysfsMachine : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/xomp_sys_XXXXXX";
    root = mkdtemp(name);
    for (int p = 0; p < 8; ++p) {
      std::string cpu = "cpu/cpu" + std::to_string(p);
      std::string package = p % 2 ? "1,3,5,7\n" : "0,2,4,6\n";
      file(cpu + "/topology/core_siblings_list", package);
      file(cpu + "/topology/thread_siblings_list",
           std::to_string(p % 4) + "," + std::to_string(p % 4 + 4) + "\n");
      file(cpu + "/cache/index0/level", "1\n");
      file(cpu + "/cache/index0/shared_cpu_list", std::to_string(p) + "\n");
      file(cpu + "/cache/index1/level", "3\n");
      file(cpu + "/cache/index1/shared_cpu_list", p % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
    }
    file("node/online", "0-2\n");
    file("node/node0/cpulist", "0,2,4,6\n");
    file("node/node1/cpulist", "1,3,5,7\n");
    file("node/node2/cpulist", "\n");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void file(const std::string& path, const std::string& content) {
    std::filesystem::path full = root / "devices/system" / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << content;
  }
  void remove_files(const std::string& name) {
    for (int p = 0; p < 8; ++p)
      std::filesystem::remove(root / "devices/system/cpu" / ("cpu" + std::to_string(p)) / name);
  }
  std::string places(PlaceLevel level, Mask usable = kAll) {
    PlaceTable table(1);
    if (!sysfs_places(root.c_str(), level, ProcessorsView(&usable, 1), table)) {
      EXPECT_EQ(table.size(), 0);
      return "unknown";
    }
    return text_of(table);
  }

  std::filesystem::path root;
};

TEST_F(SysfsMachine, PutsNeighboursNextToEachOther) {
  EXPECT_EQ(places(PlaceLevel::kThreads), "0|4|2|6|1|5|3|7");
  EXPECT_EQ(places(PlaceLevel::kCores), "0,4|2,6|1,5|3,7");
  EXPECT_EQ(places(PlaceLevel::kSockets), "0,2,4,6|1,3,5,7");
  EXPECT_EQ(places(PlaceLevel::kNumaDomains), "0,2,4,6|1,3,5,7");
  EXPECT_EQ(places(PlaceLevel::kLastLevelCaches), "0,1,4,5|2,3,6,7");
}

TEST_F(SysfsMachine, KnowsCachesDiceAndTypesOfCores) {
  EXPECT_EQ(places(PlaceLevel::kL1Caches), "0|1|2|3|4|5|6|7");
  EXPECT_EQ(places(PlaceLevel::kL2Caches), "unknown");
  EXPECT_EQ(places(PlaceLevel::kL3Caches), "0,1,4,5|2,3,6,7");
  for (PlaceLevel level : {PlaceLevel::kDice, PlaceLevel::kTiles, PlaceLevel::kModules,
                           PlaceLevel::kCoreTypes, PlaceLevel::kProcessorGroups})
    EXPECT_EQ(places(level), "unknown");
  for (int p = 0; p < 8; ++p)
    file("cpu/cpu" + std::to_string(p) + "/topology/die_cpus_list", p % 2 ? "1,3,5,7" : "0,2,4,6");
  EXPECT_EQ(places(PlaceLevel::kDice), "unknown") << "one in each socket is none";
  for (int p = 0; p < 8; ++p)
    file("cpu/cpu" + std::to_string(p) + "/topology/die_cpus_list",
         std::to_string(p % 4) + "," + std::to_string(p % 4 + 4));
  EXPECT_EQ(places(PlaceLevel::kDice), "0,4|1,5|2,6|3,7");
  file("../cpu_core/cpus", "0-3\n");
  EXPECT_EQ(places(PlaceLevel::kCoreTypes), "unknown");
  file("../cpu_atom/cpus", "4-7\n");
  EXPECT_EQ(places(PlaceLevel::kCoreTypes), "4,5,6,7|0,1,2,3");
}

TEST_F(SysfsMachine, UsesOnlyTheProcessorsOfTheProcess) {
  EXPECT_EQ(places(PlaceLevel::kThreads, 0b01010011), "0|4|6|1");
  EXPECT_EQ(places(PlaceLevel::kCores, 0b01010011), "0,4|6|1");
  EXPECT_EQ(places(PlaceLevel::kSockets, 0b01010101), "0,2,4,6");
  EXPECT_EQ(places(PlaceLevel::kNumaDomains, 0b10), "1");
  EXPECT_EQ(places(PlaceLevel::kLastLevelCaches, 0b1100), "2,3");
}

TEST_F(SysfsMachine, SaysWhatItDoesNotKnow) {
  remove_files("topology/core_siblings_list");
  EXPECT_EQ(places(PlaceLevel::kSockets), "unknown");
  EXPECT_EQ(places(PlaceLevel::kCores), "0,4|1,5|2,6|3,7");
  remove_files("topology/thread_siblings_list");
  EXPECT_EQ(places(PlaceLevel::kCores), "unknown");
  EXPECT_EQ(places(PlaceLevel::kThreads), "0|1|2|3|4|5|6|7");
  remove_files("cache/index0/level");
  EXPECT_EQ(places(PlaceLevel::kLastLevelCaches), "unknown");
  std::filesystem::remove(root / "devices/system/node/online");
  EXPECT_EQ(places(PlaceLevel::kNumaDomains), "unknown");
}

TEST_F(SysfsMachine, SurvivesNonsense) {
  for (const char* nonsense : {"", "\n", "x", "-", "3-1", "0-99999999999", "7,,7", "64"}) {
    for (int p = 0; p < 8; ++p)
      for (const char* name : {"core_siblings_list", "thread_siblings_list"})
        file("cpu/cpu" + std::to_string(p) + "/topology/" + name, nonsense);
    PlaceTable table(1);
    sysfs_places(root.c_str(), PlaceLevel::kThreads, ProcessorsView(&kAll, 1), table);
    std::set<int> seen;
    for (int i = 0; i < table.size(); ++i)
      seen.insert(next_processor(table[i], 0));
    EXPECT_EQ(seen.size(), 8u) << nonsense;
  }
}

TEST_F(SysfsMachine, TellsTheDistancesOfTheNodesThatHaveProcessors) {
  file("node/node0/distance", "10 21 17\n");
  file("node/node1/distance", "22 10 28\n");
  PlaceTable nodes(1);
  ProcessorsView all(&kAll, 1);
  ASSERT_TRUE(sysfs_nodes(root.c_str(), all, nodes));
  EXPECT_EQ(text_of(nodes), "0,2,4,6|1,3,5,7");
  int distances[4] = {};
  ASSERT_TRUE(sysfs_distances(root.c_str(), all, 2, distances));
  EXPECT_EQ(std::vector<int>(distances, distances + 4), (std::vector<int>{10, 21, 22, 10}));
  EXPECT_FALSE(sysfs_distances(root.c_str(), all, 3, distances));
  file("node/node1/distance", "22\n");
  EXPECT_FALSE(sysfs_distances(root.c_str(), all, 2, distances)) << "a row too short";
}

TEST_F(SysfsMachine, AsksNoMoreThanTheNumberOfNodesWhereThereIsOne) {
  file("node/online", "0\n");
  PlaceTable nodes(1);
  EXPECT_FALSE(sysfs_nodes(root.c_str(), ProcessorsView(&kAll, 1), nodes));
  EXPECT_EQ(nodes.size(), 0);
}

class HwlocMachine : public testing::Test {
protected:
  void SetUp() override {
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] l3:1 core:2 pu:2", 1);
    PlaceTable table(1);
    if (!hwloc_places(PlaceLevel::kSockets, ProcessorsView(&kAll, 1), table))
      GTEST_SKIP() << "hwloc is not installed";
  }
  void TearDown() override {
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_XMLFILE");
  }

  static std::string places(PlaceLevel level, Mask usable = kAll) {
    PlaceTable table(1);
    hwloc_places(level, ProcessorsView(&usable, 1), table);
    return text_of(table);
  }
};

TEST_F(HwlocMachine, KnowsEveryLevel) {
  EXPECT_EQ(places(PlaceLevel::kCores), "0,1|2,3|4,5|6,7");
  EXPECT_EQ(places(PlaceLevel::kSockets), "0,1,2,3|4,5,6,7");
  EXPECT_EQ(places(PlaceLevel::kNumaDomains), "0,1,2,3|4,5,6,7");
  EXPECT_EQ(places(PlaceLevel::kLastLevelCaches), "0,1,2,3|4,5,6,7");
}

TEST_F(HwlocMachine, UsesOnlyTheProcessorsOfTheProcess) {
  EXPECT_EQ(places(PlaceLevel::kCores, 0b00110101), "0|2|4,5");
  EXPECT_EQ(places(PlaceLevel::kSockets, 0b00000110), "1,2");
}

TEST_F(HwlocMachine, KnowsNodesThatAreNoPackages) {
  setenv("HWLOC_SYNTHETIC", "pack:1 group:4 [numa] core:1 pu:2", 1);
  EXPECT_EQ(places(PlaceLevel::kNumaDomains), "0,1|2,3|4,5|6,7");
  setenv("HWLOC_SYNTHETIC", "pack:2 l3:2 [numa] core:1 pu:2", 1);
  EXPECT_EQ(places(PlaceLevel::kNumaDomains), "0,1|2,3|4,5|6,7");
}

TEST_F(HwlocMachine, KnowsDiceAndCaches) {
  EXPECT_EQ(places(PlaceLevel::kDice), "");
  EXPECT_EQ(places(PlaceLevel::kL2Caches), "");
  setenv("HWLOC_SYNTHETIC", "pack:1 die:2 l3:1 l2:2 l1:1 core:1 pu:2", 1);
  EXPECT_EQ(places(PlaceLevel::kDice), "0,1,2,3|4,5,6,7");
  EXPECT_EQ(places(PlaceLevel::kL3Caches), "0,1,2,3|4,5,6,7");
  EXPECT_EQ(places(PlaceLevel::kL2Caches), "0,1|2,3|4,5|6,7");
  EXPECT_EQ(places(PlaceLevel::kL1Caches), "0,1|2,3|4,5|6,7");
}

TEST_F(HwlocMachine, KnowsTilesAndModulesByTheirKind) {
  setenv("HWLOC_SYNTHETIC", "pack:1 group:4 core:1 pu:2", 1);
  EXPECT_EQ(places(PlaceLevel::kTiles), "") << "groups of another kind";
  unsetenv("HWLOC_SYNTHETIC");
  for (auto [kind, level] : {std::pair{"103", PlaceLevel::kTiles}, {"102", PlaceLevel::kModules}}) {
    char name[] = "/tmp/xomp_xml_XXXXXX";
    close(mkstemp(name));
    std::ofstream xml(name);
    xml << "<topology version=\"2.0\">\n"
           "<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
           "allowed_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
           "allowed_nodeset=\"0x1\">\n"
           "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" complete_cpuset=\"0xf\" "
           "nodeset=\"0x1\" complete_nodeset=\"0x1\"/>\n";
    auto sets = [](int processors) {
      char text[128];
      std::snprintf(text, sizeof text,
                    " cpuset=\"0x%x\" complete_cpuset=\"0x%x\" nodeset=\"0x1\" "
                    "complete_nodeset=\"0x1\"",
                    processors, processors);
      return std::string(text);
    };
    for (int group = 0; group < 2; ++group) {
      xml << "<object type=\"Group\"" << sets(3 << 2 * group) << " kind=\"" << kind
          << "\" subkind=\"0\">\n";
      for (int p = 2 * group; p < 2 * group + 2; ++p)
        xml << "<object type=\"PU\" os_index=\"" << p << "\"" << sets(1 << p) << "/>\n";
      xml << "</object>\n";
    }
    xml << "</object>\n</topology>\n";
    xml.close();
    setenv("HWLOC_XMLFILE", name, 1);
    EXPECT_EQ(places(level), "0,1|2,3");
    EXPECT_EQ(places(level == PlaceLevel::kTiles ? PlaceLevel::kModules : PlaceLevel::kTiles), "");
    unsetenv("HWLOC_XMLFILE");
    std::filesystem::remove(name);
  }
}

TEST_F(HwlocMachine, TakesTheLargestCacheThatExists) {
  setenv("HWLOC_SYNTHETIC", "pack:1 l2:4 core:1 pu:2", 1);
  EXPECT_EQ(places(PlaceLevel::kLastLevelCaches), "0,1|2,3|4,5|6,7");
}

TEST(FindPlaces, CoversEveryUsableProcessorOnce) {
  Mask usable = 1;
  for (PlaceLevel level : {PlaceLevel::kThreads, PlaceLevel::kCores, PlaceLevel::kLastLevelCaches,
                           PlaceLevel::kSockets, PlaceLevel::kNumaDomains}) {
    PlaceTable table(1);
    find_places(level, ProcessorsView(&usable, 1), table);
    EXPECT_EQ(text_of(table), "0");
  }
}

} // namespace
} // namespace xomp

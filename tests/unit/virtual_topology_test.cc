// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Described machines (place/virtual_topology.h): what hwloc makes of the same description,
// distances, what is malformed; and XOMP_TOPOLOGY with the place list and the locality domains that
// follow it.
#include "place/virtual_topology.h"

#include <cstdlib>
#include <string>

#include "place/domains.h"
#include "settings_fixture.h"

namespace xomp {
namespace {

constexpr int kWords = 1024 / 64;

std::string text_of(const PlaceTable& places) {
  std::string result;
  for (int i = 0; i < places.size(); ++i) {
    result += i ? "|" : "";
    for (int p = next_processor(places[i], 0); p >= 0; p = next_processor(places[i], p + 1))
      result += std::to_string(p) + " ";
  }
  return result;
}

TEST(VirtualTopology, IsWhatHwlocMakesOfTheSameDescription) {
  uint64_t all[kWords];
  for (uint64_t& word : all)
    word = ~uint64_t{0};
  for (const char* text :
       {"numa:8 core:24 pu:1", "pack:8 numa:1 core:24 pu:1", "pack:2 numa:4 core:3 pu:2",
        "pack:2 [numa] l3:2 core:2 pu:2", "pack:2 l3:2 [numa(memory=1GB)] l2:2 core:1 pu:2",
        "Package:2 NUMANode:2 L3Cache:1(size=1000) L2:4 Core:1 PU:1", "socket:3 die:2 core:2 pu:1",
        "pack:2 die:2 [numa] l3:1 l2:3 l1:2 core:1 pu:2", "pack:1 l3:2 l1:2 core:1 pu:2",
        "core:4 pu:2", "pu:3"}) {
    VirtualTopology machine;
    ASSERT_TRUE(machine.parse(text)) << text;
    setenv("HWLOC_SYNTHETIC", text, 1);
    for (PlaceLevel level :
         {PlaceLevel::kCores, PlaceLevel::kSockets, PlaceLevel::kNumaDomains,
          PlaceLevel::kLastLevelCaches, PlaceLevel::kDice, PlaceLevel::kL1Caches,
          PlaceLevel::kL2Caches, PlaceLevel::kL3Caches, PlaceLevel::kTiles, PlaceLevel::kModules}) {
      PlaceTable expected(kWords), described(kWords);
      // What a description does not name is the whole machine, or each processor for cores.
      if (!hwloc_places(level, ProcessorsView(all, kWords), expected)) {
        EXPECT_TRUE(is_of_openmp(level) || !machine.has(level)) << text << ", level " << int(level);
        continue;
      }
      EXPECT_TRUE(machine.has(level)) << text << ", level " << int(level);
      machine.append_places(level, described);
      EXPECT_EQ(text_of(described), text_of(expected)) << text << ", level " << int(level);
    }
    unsetenv("HWLOC_SYNTHETIC");
  }
}

TEST(VirtualTopology, CountsProcessorsAndDomains) {
  VirtualTopology machine;
  EXPECT_FALSE(machine.in_force());
  ASSERT_TRUE(machine.parse("pack:8 numa:1 core:24 pu:1"));
  EXPECT_TRUE(machine.in_force());
  EXPECT_EQ(machine.processors(), 192);
  EXPECT_EQ(machine.domains(), 8);
  EXPECT_EQ(machine.processors_per_domain(), 24);
  ASSERT_TRUE(machine.parse("core:4 pu:2"));
  EXPECT_EQ(machine.domains(), 1);
  EXPECT_EQ(machine.processors_per_domain(), 8);
  ASSERT_TRUE(machine.parse("pack:2 l3:3 [numa] core:4 pu:1"));
  EXPECT_EQ(machine.domains(), 6);
}

TEST(VirtualTopology, MeasuresDistancesByTheLevelAtWhichDomainsMeet) {
  VirtualTopology machine;
  ASSERT_TRUE(machine.parse("pack:2 numa:4 core:3 pu:2"));
  EXPECT_EQ(machine.distance(1, 1), 10);
  EXPECT_EQ(machine.distance(0, 3), 20);
  EXPECT_EQ(machine.distance(0, 4), 30);
  EXPECT_EQ(machine.distance(7, 4), 20);
  ASSERT_TRUE(machine.parse("pack:8 numa:1 core:2 pu:1"));
  EXPECT_EQ(machine.distance(2, 5), 20) << "a level of single objects is none";
}

TEST(VirtualTopology, RefusesWhatIsMalformedAndKeepsWhatItHad) {
  VirtualTopology machine;
  ASSERT_TRUE(machine.parse("numa:2 pu:3"));
  for (const char* text :
       {"",
        " ",
        "numa",
        "numa:",
        "numa:0 pu:1",
        "numa:2",
        "numa:2 core:2",
        "pu:2 core:2",
        "numa:2 numa:2 pu:1",
        "[numa] numa:2 pu:1",
        "[pack] pu:2",
        "[numa pu:2",
        "wheel:2 pu:2",
        "numa:-2 pu:2",
        "l6:2 pu:2",
        "l:2 pu:2",
        "core:2(size=1 pu:2",
        "numa:70000 pu:1",
        "numa:60000 pu:60000",
        "numa:99999999999999999999 pu:1",
        "8 24 1",
        "die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 die:1 "
        "die:1 die:1 pu:1"}) {
    EXPECT_FALSE(machine.parse(text)) << text;
    EXPECT_EQ(machine.processors(), 6) << text;
  }
}

class XompTopology : public SettingsTest {};

TEST_F(XompTopology, PlacesWorkersOnTheDescribedMachineAndBindsNobody) {
  cpu_set_t before, after;
  sched_getaffinity(0, sizeof before, &before);
  EXPECT_EQ(load({{"XOMP_TOPOLOGY", "pack:2 numa:4 core:24 pu:1"}, {"OMP_PLACES", "cores"}}), "");
  EXPECT_EQ(place_count(), 192);
  EXPECT_TRUE(bind_thread(100));
  sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  EXPECT_EQ(domain_count(), 8);
  EXPECT_EQ(domain_of_place(0), 0);
  EXPECT_EQ(domain_of_place(47), 1);
  EXPECT_EQ(domain_of_place(191), 7);
  EXPECT_EQ(domain_of_place(192), 0) << "no such place";
  EXPECT_EQ(domain_distance(0, 1), 20);
  EXPECT_EQ(domain_distance(3, 4), 30);
  EXPECT_EQ(settings.icv.num_threads, settings.processors) << "the real machine's";
}

TEST_F(XompTopology, PutsUnboundWorkersIntoDomainsInBlocks) {
  load({{"XOMP_TOPOLOGY", "numa:8 core:24 pu:1"}});
  for (int worker = 0; worker < 192; ++worker)
    EXPECT_EQ(domain_of_worker(worker, 192), worker / 24);
  for (int worker = 0; worker < 16; ++worker)
    EXPECT_EQ(domain_of_worker(worker, 16), worker / 2);
  EXPECT_EQ(domain_of_worker(1, 2), 4);
}

TEST_F(XompTopology, WarnsOnceOfAMalformedDescriptionAndTakesTheRealMachine) {
  load({});
  int processors = count_processors(start_processors());
  std::string output = load({{"XOMP_TOPOLOGY", "numa:8 core:24"}, {"OMP_PLACES", "threads"}});
  EXPECT_EQ(warnings(output), 1) << output;
  EXPECT_NE(output.find("XOMP_TOPOLOGY=\"numa:8 core:24\""), output.npos) << output;
  EXPECT_FALSE(virtual_topology.in_force());
  EXPECT_EQ(place_count(), processors);
}

} // namespace
} // namespace xomp

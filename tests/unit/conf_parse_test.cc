// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of each kind of variable: what is accepted, what is malformed, and that a malformed
// text changes nothing.
#include "conf/parse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sys/memory.h"

namespace xomp {
namespace {

TEST(ParseBoolean, TakesTheTwoWordsInAnyCaseAndWhatThePeersTakeForThem) {
  bool value = false;
  EXPECT_TRUE(parse_boolean("true", value) && value);
  EXPECT_TRUE(parse_boolean(" \t FALSE\n", value) && !value);
  EXPECT_TRUE(parse_boolean("TrUe", value) && value);
  for (const char* text : {"", " ", "2", "01", "tru", "truee", "true false", "true,", ".true", "."})
    EXPECT_FALSE(parse_boolean(text, value)) << text;
  EXPECT_TRUE(value);
  for (const char* text : {"0", "no", "Off", "disabled", ".FALSE.", "f", "n"}) {
    value = true;
    EXPECT_TRUE(parse_boolean(text, value) && !value) << text;
  }
  for (const char* text : {"1", "yes", "ON", "enabled", ".true.", "t", "Y"}) {
    value = false;
    EXPECT_TRUE(parse_boolean(text, value) && value) << text;
  }
}

TEST(ParseInt, KeepsItsRange) {
  int value = -7;
  EXPECT_TRUE(parse_int("0", 0, value) && value == 0);
  EXPECT_TRUE(parse_int(" +12 ", 1, value) && value == 12);
  EXPECT_TRUE(parse_int("2147483647", 1, value) && value == INT_MAX);
  for (const char* text : {"", "x", "-1", "0", "2147483648", "18446744073709551616", "4x", "4 5",
                           "0x4", "1.5", "+", "99999999999999999999999999"})
    EXPECT_FALSE(parse_int(text, 1, value)) << text;
  EXPECT_EQ(value, INT_MAX);
}

TEST(ParseClamped, CutsLargeNumbers) {
  int value;
  EXPECT_TRUE(parse_clamped("3000", 0, 255, value) && value == 255);
  EXPECT_TRUE(parse_clamped("18446744073709551615", 1, INT_MAX, value) && value == INT_MAX);
  EXPECT_FALSE(parse_clamped("18446744073709551616", 1, INT_MAX, value));
  EXPECT_FALSE(parse_clamped("0", 1, INT_MAX, value));
}

TEST(ParsePowerOfTwo, TakesNothingElse) {
  uint32_t value = 64;
  EXPECT_TRUE(parse_power_of_two("2", 2, 1024, value) && value == 2);
  EXPECT_TRUE(parse_power_of_two("1024", 2, 1024, value) && value == 1024);
  for (const char* text : {"0", "1", "3", "2048", "", "-2", "64k", "4294967296"})
    EXPECT_FALSE(parse_power_of_two(text, 2, 1024, value)) << text;
}

TEST(ParseShare, TakesDecimalFractionsUpToOne) {
  uint32_t share = 7;
  for (auto [text, millionths] : {std::pair{"0", 0u},
                                  {"1", 1'000'000u},
                                  {"1.000", 1'000'000u},
                                  {" 0.5 ", 500'000u},
                                  {".03", 30'000u},
                                  {"0.0000019", 1u},
                                  {"00.123456", 123'456u}}) {
    EXPECT_TRUE(parse_share(text, share)) << text;
    EXPECT_EQ(share, millionths) << text;
  }
  for (const char* text : {"", ".", "-0.5", "1.1", "2", "0,5", "50%", "0.5.5", "1e-1",
                           "99999999999999999999", "18446744073709.6"})
    EXPECT_FALSE(parse_share(text, share)) << text;
}

TEST(ParseThreadList, TakesOneOrMoreNumbers) {
  int first = -1, count = 0, *list = nullptr;
  EXPECT_TRUE(parse_thread_list(" 5 ", first, list, count));
  EXPECT_EQ(first, 5);
  EXPECT_EQ(list, nullptr);
  ASSERT_TRUE(parse_thread_list("4, 3 ,2", first, list, count));
  EXPECT_EQ(std::vector<int>(list, list + count), (std::vector<int>{4, 3, 2}));
  EXPECT_EQ(first, 4);
  sys::release(list);
  list = nullptr;
  ASSERT_TRUE(parse_thread_list("4,3, ", first, list, count)) << "as libomp";
  EXPECT_EQ(std::vector<int>(list, list + count), (std::vector<int>{4, 3}));
  sys::release(list);
  list = nullptr;
  EXPECT_TRUE(parse_thread_list("7,", first, list, count) && first == 7);
  EXPECT_EQ(list, nullptr);
  EXPECT_TRUE(parse_thread_list("4194304", first, list, count) && first == kMostThreads);
  for (const char* text : {"", ",", "4,,", ",4", "4,,4", "0", "4,0", "-4", "4;3", "4x", "4 3",
                           "4194305", "9999999999"})
    EXPECT_FALSE(parse_thread_list(text, first, list, count)) << text;
  EXPECT_EQ(list, nullptr);
}

TEST(ParseBindList, TakesAWordOrAListOfPolicies) {
  uint8_t first = 9, *list = nullptr;
  int count = 0;
  for (auto [text, bind] : {std::pair{"false", kBindFalse},
                            {" TRUE ", kBindTrue},
                            {"master", kBindPrimary},
                            {"Primary", kBindPrimary},
                            {"close", kBindClose},
                            {"spread", kBindSpread}}) {
    EXPECT_TRUE(parse_bind_list(text, first, list, count)) << text;
    EXPECT_EQ(first, bind) << text;
    EXPECT_EQ(list, nullptr);
  }
  ASSERT_TRUE(parse_bind_list("spread , master,close", first, list, count));
  EXPECT_EQ(std::vector<int>(list, list + count),
            (std::vector<int>{kBindSpread, kBindPrimary, kBindClose}));
  sys::release(list);
  list = nullptr;
  for (const char* text : {"", "true,close", "close,false", "close,", "near", "closespread", "4"})
    EXPECT_FALSE(parse_bind_list(text, first, list, count)) << text;
}

TEST(ParseSchedule, KnowsKindModifierAndChunk) {
  struct Row {
    const char* text;
    uint32_t kind;
    int chunk;
  };
  for (const Row& row : {Row{"static", kScheduleStatic | kMonotonic | kUnsaid, 0},
                         {"static,0", kScheduleStatic | kMonotonic | kUnsaid, 0},
                         {" STATIC , 7 ", kScheduleStatic | kMonotonic | kUnsaid, 7},
                         {"dynamic", kScheduleDynamic, 1},
                         {"dynamic,0", kScheduleDynamic, 1},
                         {"guided,5", kScheduleGuided, 5},
                         {"auto", kScheduleAuto, 1},
                         {"trapezoidal", kScheduleGuided, 1},
                         {"static_steal,3", kScheduleDynamic, 3},
                         {"monotonic:dynamic,3", kScheduleDynamic | kMonotonic, 3},
                         {"nonmonotonic : static", kScheduleStatic, 0},
                         {"Nonmonotonic:guided", kScheduleGuided, 1}}) {
    uint32_t kind = 0;
    int chunk = -1;
    EXPECT_TRUE(parse_schedule(row.text, kind, chunk)) << row.text;
    EXPECT_EQ(kind, row.kind) << row.text;
    EXPECT_EQ(chunk, row.chunk) << row.text;
  }
}

TEST(ParseSchedule, LeavesEverythingAloneWhenMalformed) {
  uint32_t kind = 77;
  int chunk = 77;
  for (const char* text : {"", "runtime", "dynamic,", "dynamic,x", "dynamic,-1", "dynamic 4",
                           "dynamic,2147483648", "monotonic", "monotonic:", "monotonic dynamic",
                           "monotonic:monotonic:static", "static,4,4", "dynamic:monotonic"})
    EXPECT_FALSE(parse_schedule(text, kind, chunk)) << text;
  EXPECT_EQ(kind, 77u);
  EXPECT_EQ(chunk, 77);
}

TEST(ParseStackSize, CountsKilobytesWithoutAUnit) {
  std::size_t bytes = 0;
  EXPECT_TRUE(parse_stack_size("16", bytes) && bytes == 16u << 10);
  EXPECT_TRUE(parse_stack_size("16384B", bytes) && bytes == 16384);
  EXPECT_TRUE(parse_stack_size(" 2 m ", bytes) && bytes == 2u << 20);
  EXPECT_TRUE(parse_stack_size("3G", bytes) && bytes == std::size_t{3} << 30);
  for (const char* text : {"", "k", "4T", "4kk", "4 k b", "-4", "0x10", "99999999999999999999",
                           "18446744073709551615k", "4.5m"})
    EXPECT_FALSE(parse_stack_size(text, bytes)) << text;
}

TEST(ParseSpinCount, KnowsUnitsAndInfinity) {
  int64_t count = 0;
  EXPECT_TRUE(parse_spin_count("0", count) && count == 0);
  EXPECT_TRUE(parse_spin_count("12k", count) && count == 12'000);
  EXPECT_TRUE(parse_spin_count("3 M", count) && count == 3'000'000);
  EXPECT_TRUE(parse_spin_count("2g", count) && count == 2'000'000'000);
  EXPECT_TRUE(parse_spin_count("1T", count) && count == 1'000'000'000'000);
  EXPECT_TRUE(parse_spin_count(" INFINITE ", count) && count == INT64_MAX);
  EXPECT_TRUE(parse_spin_count("infinity", count) && count == INT64_MAX);
  EXPECT_TRUE(parse_spin_count("18446744073709551615t", count) && count == INT64_MAX);
  for (const char* text : {"", "k", "infinit", "infinite 5", "-1", "4x", "5kk"})
    EXPECT_FALSE(parse_spin_count(text, count)) << text;
}

TEST(ParseAllocator, TakesAPredefinedAllocator) {
  Settings into;
  EXPECT_TRUE(parse_allocator(" OMP_CGROUP_MEM_ALLOC ", into));
  EXPECT_EQ(into.icv.default_allocator, 6u);
  EXPECT_EQ(into.allocator_space, -1);
}

TEST(ParseAllocator, TakesAMemorySpaceWithTraits) {
  Settings into;
  ASSERT_TRUE(parse_allocator("omp_high_bw_mem_space : alignment=64, pinned=true,"
                              "fallback=allocator_fb,fb_data=omp_low_lat_mem_alloc",
                              into));
  EXPECT_EQ(into.allocator_space, 3);
  ASSERT_EQ(into.allocator_trait_count, 4);
  EXPECT_EQ(into.allocator_traits[0].key, 2u);
  EXPECT_EQ(into.allocator_traits[0].value, 64u);
  EXPECT_EQ(into.allocator_traits[3].value, 5u);
  char text[200];
  sys::TextSink sink(text, sizeof text);
  put_allocator(sink, into);
  sink.terminate();
  EXPECT_STREQ(text, "omp_high_bw_mem_space:alignment=64,pinned=true,"
                     "fallback=allocator_fb,fb_data=omp_low_lat_mem_alloc");
}

TEST(ParseAllocator, RejectsWhatIsNeither) {
  Settings into;
  for (const char* text :
       {"", "omp_null_allocator", "omp_default_mem_alloc:alignment=8", "omp_default_mem_space:",
        "omp_default_mem_space:alignment=3", "omp_default_mem_space:alignment=8,alignment=8",
        "omp_default_mem_space:pool_size=0", "omp_default_mem_space:colour=red",
        "omp_default_mem_space:access", "omp_default_mem_space:access=all,", "1"})
    EXPECT_FALSE(parse_allocator(text, into)) << text;
  EXPECT_EQ(into.icv.default_allocator, 1u);
  EXPECT_EQ(into.allocator_space, -1);
}

TEST(ParseNames, TakesEveryNameOfItsTable) {
  for (const auto& entry : kSchedulerNames) {
    SchedulerKind kind{};
    EXPECT_TRUE(parse_name(entry.name, kSchedulerNames, kind));
    EXPECT_STREQ(scheduler_name(kind), entry.name);
  }
  for (const auto& entry : kBarrierNames) {
    BarrierKind kind{};
    EXPECT_TRUE(parse_name(entry.name, kBarrierNames, kind));
    EXPECT_STREQ(barrier_name(kind), entry.name);
  }
}

} // namespace
} // namespace xomp

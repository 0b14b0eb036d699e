// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grammars of OMP_PLACES and GOMP_CPU_AFFINITY on a machine of 1024 processors that need not
// exist.
#include "place/parse_places.h"

#include <gtest/gtest.h>

#include <string>

namespace xomp {
namespace {

// "0,1|2" for {0,1},{2}; "malformed" when the list is.
std::string places_of(const char* text, bool (*parse)(const char*, PlaceTable&)) {
  PlaceTable places(16);
  if (!parse(text, places))
    return "malformed";
  std::string result;
  for (int i = 0; i < places.size(); ++i) {
    if (i)
      result += '|';
    const char* separator = "";
    for (int p = next_processor(places[i], 0); p >= 0; p = next_processor(places[i], p + 1)) {
      result += separator + std::to_string(p);
      separator = ",";
    }
  }
  return result;
}

TEST(PlaceList, FollowsTheGrammar) {
  for (auto [text, places] :
       {std::pair{"{0}", "0"},
        {"0", "0"},
        {"3,1,2", "3|1|2"},
        {" { 0 , 1 } , { 2 } ", "0,1|2"},
        {"{0:4}", "0,1,2,3"},
        {"{0:3:2}", "0,2,4"},
        {"{4:3:-2}", "0,2,4"},
        {"{0:2},{5:2:10}", "0,1|5,15"},
        {"{0,1}:3:2", "0,1|2,3|4,5"},
        {"{1}:4", "1|2|3|4"},
        {"1:4", "1|2|3|4"},
        {"{6,7}:4:-2,!{2,3}", "6,7|4,5|0,1"},
        {"{0:4,!2}", "0,1,3"},
        {"{!2,0:4}", "0,1,3"},
        {"{0},{0}", "0|0"},
        {"{0}:3:0", "0|0|0"},
        {"{1023}", "1023"},
        {"{0:4,!0,!1,!2,!3}", ""},
        {"{0,1},{3,2,4},{6,5,!6},{6},{7:2:-1,!6}", "0,1|2,3,4|5|6|7"},
        {"1,2,{2,3,!2},3,3,!3,!{5:3:-1,!4,!5},{4},5,!4,!5,1:2,!{1},!2,7:3:-2,!{5},!7,!3", "1|2|3"}})
    EXPECT_EQ(places_of(text, parse_place_list), places) << text;
}

TEST(PlaceList, RejectsWhatIsMalformed) {
  for (const char* text : {"",
                           " ",
                           ",",
                           "{",
                           "{}",
                           "{0",
                           "{0}}",
                           "{0},",
                           ",{0}",
                           "{0}{1}",
                           "{0,}",
                           "{,0}",
                           "{a}",
                           "{-1}",
                           "{0:0}",
                           "{0:}",
                           "{0:2:}",
                           "{0:2:x}",
                           "{0:2:1:1}",
                           "{0}:0",
                           "{0}:",
                           "{0}:2:",
                           "{0}:65537",
                           "{0:65537}",
                           "{1024}",
                           "{1000:100}",
                           "{0:2:-1}",
                           "{3}:5:-1",
                           "{1000}:100",
                           "!{0}",
                           "{0},!{1}",
                           "{0},!{0}",
                           "{0},!{0}:2",
                           "{0,!1}",
                           "{0,!0:2}",
                           "0x1",
                           "cores(2",
                           "{18446744073709551616}",
                           "{0:2:9223372036854775807}",
                           "{0:2:-9223372036854775808}",
                           "{0};{1}",
                           "{0} {1}",
                           "{{0}}",
                           "{0}:18446744073709551615:18446744073709551615"})
    EXPECT_EQ(places_of(text, parse_place_list), "malformed") << text;
}

TEST(PlaceList, HasALimitOnItsLength) {
  PlaceTable places(1);
  EXPECT_TRUE(parse_place_list("{0}:65536:0", places));
  EXPECT_EQ(places.size(), 65536);
  EXPECT_FALSE(parse_place_list("{0}:65536:0,{1}", places));
  EXPECT_EQ(places.size(), 0);
}

TEST(CpuAffinity, FollowsTheGrammar) {
  for (auto [text, places] : {std::pair{"0", "0"},
                              {"0 3 1-2 4-15:2", "0|3|1|2|4|6|8|10|12|14"},
                              {"3,1,2", "3|1|2"},
                              {" 0x2-3 , 010 ", "2|3|8"},
                              {"0-1,", "0|1"},
                              {"1020-2000", "1020|1021|1022|1023"},
                              {"5-5", "5"},
                              {"", "malformed"},
                              {",", "malformed"},
                              {"1--2", "malformed"},
                              {"3-1", "malformed"},
                              {"0-7:0", "malformed"},
                              {"65536", "malformed"},
                              {"0-65536", "malformed"},
                              {"x", "malformed"},
                              {"0;1", "malformed"},
                              {"-1", "malformed"}})
    EXPECT_EQ(places_of(text, parse_cpu_affinity), places) << text;
}

TEST(AbstractPlaces, HaveAnOptionalCount) {
  struct Row {
    const char* text;
    PlaceLevel level;
    int limit;
  };
  for (const Row& row : {Row{"threads", PlaceLevel::kThreads, INT_MAX},
                         {" CORES ( 4 ) ", PlaceLevel::kCores, 4},
                         {"ll_caches(1)", PlaceLevel::kLastLevelCaches, 1},
                         {"Sockets", PlaceLevel::kSockets, INT_MAX},
                         {"numa_domains(99999999999)", PlaceLevel::kNumaDomains, INT_MAX}}) {
    PlaceLevel level{};
    int limit = 0;
    EXPECT_TRUE(parse_abstract_places(row.text, level, limit)) << row.text;
    EXPECT_EQ(level, row.level) << row.text;
    EXPECT_EQ(limit, row.limit) << row.text;
  }
  PlaceLevel level;
  int limit;
  for (const char* text : {"", "core", "cores(", "cores()", "cores(0)", "cores(-1)", "cores(2",
                           "cores(2)x", "cores,threads", "cores 2", "{0}"})
    EXPECT_FALSE(parse_abstract_places(text, level, limit)) << text;
}

} // namespace
} // namespace xomp

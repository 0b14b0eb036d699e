// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OMP_AFFINITY_FORMAT: every field type, width and justification, and the contract of the buffer.
#include "place/affinity_format.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "place/places.h"

namespace xomp {
namespace {

const AffinityFacts kFacts{.team_num = 3,
                           .num_teams = 4,
                           .nesting_level = 2,
                           .thread_num = 5,
                           .num_threads = 16,
                           .ancestor_thread_num = -1,
                           .native_thread_id = 0x7f12,
                           .place = -1};

std::string expanded(const char* format) {
  char text[512];
  std::size_t length = format_affinity(text, sizeof text, format, kFacts);
  EXPECT_EQ(length, std::string(text).size());
  return text;
}

std::string host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string process() {
  char text[512];
  return {text, format_place(text, sizeof text, -1)};
}

TEST(AffinityFormat, KnowsEveryFieldType) {
  EXPECT_EQ(expanded("%t %T %L %n %N %a %i"), "3 4 2 5 16 -1 0x7f12");
  EXPECT_EQ(expanded("%{team_num} %{num_teams} %{nesting_level} %{thread_num} %{num_threads} "
                     "%{ancestor_tnum} %{native_thread_id}"),
            "3 4 2 5 16 -1 0x7f12");
  EXPECT_EQ(expanded("%P|%{process_id}"),
            std::to_string(getpid()) + "|" + std::to_string(getpid()));
  EXPECT_EQ(expanded("%H|%{host}"), host() + "|" + host());
  EXPECT_EQ(expanded("%A|%{thread_affinity}"), process() + "|" + process());
}

TEST(AffinityFormat, ShowsTheKernelsNumberOfTheThreadWhereThereIsOne) {
  AffinityFacts facts = kFacts;
  facts.kernel_thread_id = 417;
  char text[64];
  format_affinity(text, sizeof text, "%i %{native_thread_id} [%0.6i]", facts);
  EXPECT_STREQ(text, "417 417 [000417]");
}

TEST(AffinityFormat, PadsAndJustifies) {
  EXPECT_EQ(expanded("[%4n]"), "[5   ]");
  EXPECT_EQ(expanded("[%.4n]"), "[   5]");
  EXPECT_EQ(expanded("[%0.4n]"), "[0005]");
  EXPECT_EQ(expanded("[%0.4a]"), "[-001]");
  EXPECT_EQ(expanded("[%0.10i]"), "[0x00007f12]");
  EXPECT_EQ(expanded("[%.10{native_thread_id}]"), "[    0x7f12]");
  EXPECT_EQ(expanded("[%1N]"), "[16]");
  std::string wide = process();
  wide.resize(60, ' ');
  EXPECT_EQ(expanded("[%60A]"), "[" + wide + "]");
  EXPECT_EQ(expanded("[%0.60A]").size(), 62u);
}

TEST(AffinityFormat, CopiesOtherText) {
  EXPECT_EQ(expanded(""), "");
  EXPECT_EQ(expanded("hello"), "hello");
  EXPECT_EQ(expanded("100%% {n} %%n"), "100% {n} %n");
}

TEST(AffinityFormat, ShowsUnknownAndMalformedFieldsAsUndefined) {
  EXPECT_EQ(expanded("%x"), "undefined");
  EXPECT_EQ(expanded("%{colour}!"), "undefined!");
  EXPECT_EQ(expanded("%{thread_num"), "undefined");
  EXPECT_EQ(expanded("%.n"), "undefined");
  EXPECT_EQ(expanded("%08n"), "undefined");
  EXPECT_EQ(expanded("%"), "undefined");
}

TEST(AffinityFormat, FillsTheBufferAndReturnsTheWholeLength) {
  char text[8];
  EXPECT_EQ(format_affinity(text, sizeof text, "thread %n of %N", kFacts), 14u);
  EXPECT_STREQ(text, "thread ");
  EXPECT_EQ(format_affinity(nullptr, 0, "thread %n of %N", kFacts), 14u);
  text[0] = 'x';
  EXPECT_EQ(format_affinity(text, 1, "%N", kFacts), 2u);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(format_affinity(text, 3, "%N", kFacts), 2u);
  EXPECT_STREQ(text, "16");
}

TEST(AffinityFormat, CountsLargeWidthsWithoutWritingThem) {
  char text[8];
  EXPECT_EQ(format_affinity(text, sizeof text, "%65535n", kFacts), 65535u);
  EXPECT_STREQ(text, "5      ");
}

TEST(AffinityFormat, TakesHugeWidthsForMalformed) {
  EXPECT_EQ(expanded("%65536n"), "undefined");
  EXPECT_EQ(expanded("%.1000000000n|%99999999999999999999H"), "undefined|undefined");
}

TEST(AffinityFormat, TellsWellFormedFromMalformed) {
  for (const char* format :
       {"", "%%", "%n", "%0.3n", "%.3{host}", "%12A", "%65535n", "%x", "a%Hb%%"})
    EXPECT_TRUE(valid_affinity_format(format)) << format;
  for (const char* format : {"%", "%0n", "%.n", "%0.n", "%.0n", "%{host", "%5", "%65536n",
                             "%99999999999999999999n", "ok %n %"})
    EXPECT_FALSE(valid_affinity_format(format)) << format;
}

} // namespace
} // namespace xomp

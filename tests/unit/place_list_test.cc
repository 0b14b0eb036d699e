// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place list in force: its processors, its text, and the binding of threads.
#include "settings_fixture.h"

namespace xomp {
namespace {

std::string format(int place) {
  char text[4096];
  std::size_t length = format_place(text, sizeof text, place);
  return {text, length};
}

TEST_F(SettingsTest, WithoutAListNothingHappens) {
  load({});
  EXPECT_EQ(place_count(), 0);
  EXPECT_EQ(initial_partition().count(), 0);
  EXPECT_FALSE(bind_thread(0));
  EXPECT_FALSE(bind_thread(-1));
  EXPECT_EQ(place_processor_count(0), 0);
  int untouched = -7;
  place_processor_ids(0, &untouched);
  EXPECT_EQ(untouched, -7);
}

TEST_F(SettingsTest, ThreadsAreBoundToTheirPlace) {
  load({{"OMP_PLACES", "threads"}});
  for (int place = 0; place < place_count(); ++place) {
    ASSERT_TRUE(bind_thread(place));
    ASSERT_EQ(place_processor_count(place), 1);
    int64_t processor;
    place_processor_ids(place, &processor);
    EXPECT_EQ(sched_getcpu(), processor);
    EXPECT_EQ(format(place), std::to_string(processor));
  }
  EXPECT_FALSE(bind_thread(place_count()));
}

TEST_F(SettingsTest, NewThreadsStartOnTheirPlace) {
  load({{"OMP_PLACES", "threads"}});
  int place = place_count() - 1;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_TRUE(bind_attributes(&attributes, place));
  int found = -1, expected;
  pthread_t thread;
  auto body = [](void* result) -> void* {
    *static_cast<int*>(result) = sched_getcpu();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, body, &found), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  place_processor_ids(place, &expected);
  EXPECT_EQ(found, expected);
}

TEST_F(SettingsTest, PlaceMinusOneIsTheWholeProcess) {
  load({{"OMP_PLACES", "threads"}});
  std::string all;
  const char* separator = "";
  cpu_set_t mask;
  load({});
  sched_getaffinity(0, sizeof mask, &mask);
  for (int p = 0; p < CPU_SETSIZE; ++p) {
    if (!CPU_ISSET(p, &mask))
      continue;
    int last = p;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &mask))
      ++last;
    all += separator + std::to_string(p) + (last > p ? "-" + std::to_string(last) : "");
    separator = ",";
    p = last;
  }
  EXPECT_EQ(format(-1), all);
  EXPECT_EQ(format_place(nullptr, 0, -1), all.size());
}

TEST_F(SettingsTest, AbstractListsAreCutToTheirCount) {
  load({{"OMP_PLACES", "threads(1)"}});
  EXPECT_EQ(place_count(), 1);
  load({{"OMP_PLACES", "cores(100000)"}});
  EXPECT_GE(place_count(), 1);
  EXPECT_LE(place_count(), settings.processors);
}

} // namespace
} // namespace xomp

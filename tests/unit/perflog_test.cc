// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums of what is not recorded one by one (trace/summary.h), and files that grow (sys/files.h).
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/files.h"
#include "sys/memory.h"
#include "trace/summary.h"

namespace xomp::trace {
namespace {

struct SummaryTest : testing::Test {
  alignas(64) char chunk[kChunkBytes] = {};
  Summary* summary = sys::create<Summary>();

  SummaryTest() { summary->begin(chunk); }
  ~SummaryTest() override { sys::destroy(summary); }

  std::vector<const Record*> records() const {
    std::vector<const Record*> found;
    auto* record = reinterpret_cast<const Record*>(chunk + sizeof(ChunkHeader));
    for (uint32_t i = 0; i < kRecordsPerChunk && record[i].label.load() != 0; ++i)
      found.push_back(&record[i]);
    return found;
  }
};

TEST_F(SummaryTest, NumbersAndTimesAreExactByPlaceKindAndDecade) {
  std::map<std::tuple<uint64_t, int, int>, std::pair<uint64_t, uint64_t>> wanted;
  std::srand(1);
  for (int i = 0; i < 100000; ++i) {
    auto place = static_cast<uint64_t>(std::rand() % 40 * 64);
    Kind kind = std::rand() % 3 ? Kind::kTask : Kind::kTaskwait;
    int64_t ticks = 1;
    for (int decade = std::rand() % 8; decade > 0; --decade)
      ticks = ticks * 10 + std::rand() % 10;
    summary->add(i, i + ticks, place, {kind});
    auto& sums = wanted[{place, static_cast<int>(kind), decade_of(ticks)}];
    sums.first++;
    sums.second += static_cast<uint64_t>(ticks);
  }
  auto all = records();
  ASSERT_EQ(all.size(), wanted.size());
  for (const Record* each : all) {
    Label label = Label::of(each->label.load());
    EXPECT_EQ(label.kind, Kind::kSummary);
    auto sums = wanted.find({each->place, static_cast<int>(label.worker), label.flags});
    ASSERT_NE(sums, wanted.end());
    EXPECT_EQ(each->task, sums->second.first);
    EXPECT_EQ(each->other, sums->second.second);
    EXPECT_LE(each->begin, each->end);
  }
}

TEST_F(SummaryTest, MorePlacesThanThereIsRoomForAreSummedTogether) {
  constexpr uint64_t kPlaces = 5000;
  for (uint64_t place = 1; place <= kPlaces; ++place)
    summary->add(0, 100 * static_cast<int64_t>(place % 3), place * 16, {Kind::kTask});
  for (int kind = 1; kind < 23; ++kind)
    summary->add(0, 1000, 1 << 30, {static_cast<Kind>(kind)});
  uint64_t number = 0, ticks = 0, together = 0;
  for (const Record* each : records()) {
    number += each->task;
    ticks += each->other;
    together += each->place == 0 ? each->task : 0;
  }
  EXPECT_EQ(number, kPlaces + 22);
  uint64_t ones = (kPlaces + 2) / 3, twos = (kPlaces + 1) / 3;
  EXPECT_EQ(ticks, 100 * ones + 200 * twos + 22 * 1000);
  EXPECT_GT(together, kPlaces / 2);
}

TEST(DecadeTest, IsTheFloorOfTheLogarithm) {
  EXPECT_EQ(decade_of(-5), 0);
  EXPECT_EQ(decade_of(0), 0);
  EXPECT_EQ(decade_of(9), 0);
  EXPECT_EQ(decade_of(10), 1);
  EXPECT_EQ(decade_of(99999), 4);
  EXPECT_EQ(decade_of(INT64_MAX), 18);
}

struct FilesTest : testing::Test {
  std::string folder;

  FilesTest() {
    std::string name = testing::TempDir() + "xomp-files-XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~FilesTest() override { (void)!system(("rm -rf " + folder).c_str()); }
};

TEST_F(FilesTest, FoldersAreMadeWithThoseAboveThem) {
  EXPECT_EQ(sys::make_folders((folder + "/a/b/c").c_str()), 0);
  EXPECT_EQ(sys::make_folders((folder + "/a/b/c/").c_str()), 0);
  struct stat status;
  EXPECT_EQ(stat((folder + "/a/b/c").c_str(), &status), 0);
  close(open((folder + "/file").c_str(), O_CREAT | O_WRONLY, 0600));
  EXPECT_EQ(sys::make_folders((folder + "/file").c_str()), ENOTDIR);
  EXPECT_EQ(sys::make_folders((folder + "/file/a").c_str()), ENOTDIR);
}

TEST_F(FilesTest, AFileGrowsByZerosButNotBeyondItsLimit) {
  int file = open((folder + "/file").c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(file, 0);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{100000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small); // SIGXFSZ would end the test
  EXPECT_EQ(sys::extend_file(file, 0, 65536), 0);
  EXPECT_EQ(sys::extend_file(file, 65536, 65536), EFBIG);
  EXPECT_EQ(sys::write_at(file, "text", 4, 99998), EFBIG);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(sys::write_at(file, "text", 4, 65532), 0);
  struct stat status;
  fstat(file, &status);
  EXPECT_EQ(status.st_size, 65536);
  char read[8];
  EXPECT_EQ(pread(file, read, 8, 65528), 8);
  EXPECT_EQ(std::memcmp(read, "\0\0\0\0text", 8), 0);
  close(file);
}

} // namespace
} // namespace xomp::trace

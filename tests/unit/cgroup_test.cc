// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The quota of control groups, from /proc and /sys trees in a folder of the test's.
#include "sys/cgroup.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace xomp::sys {
namespace {

class Cgroup : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/xomp_cgroup_XXXXXX";
    root = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void file(const std::string& path, const std::string& content) {
    std::filesystem::path full = root / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << content;
  }
  /// Version 2 mounted at the usual place, the process in `group`.
  void unified(const std::string& group, const std::string& shown = "/") {
    file("proc/self/cgroup", "0::" + group + "\n");
    file("proc/self/mountinfo", "23 27 0:22 / /sys rw,relatime - sysfs sysfs rw\n"
                                "26 23 0:24 " +
                                    shown +
                                    " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup rw\n");
  }
  void limit(const std::string& group, const std::string& text) {
    file("sys/fs/cgroup" + group + "/cpu.max", text);
  }
  int quota() { return cgroup_quota(root.c_str()); }

private:
  std::filesystem::path root;
};

TEST_F(Cgroup, NothingKnownIsNoLimit) {
  EXPECT_EQ(quota(), 0);
  file("proc/self/cgroup", "0::/a\n");
  EXPECT_EQ(quota(), 0); // nothing mounted
  unified("/a");
  EXPECT_EQ(quota(), 0); // no file
}

TEST_F(Cgroup, IsRoundedUpAndAtLeastOne) {
  unified("/a");
  for (auto [text, expected] : {std::pair{"200000 100000\n", 2},
                                {"150000 100000\n", 2},
                                {"100001 100000\n", 2},
                                {"100000 100000\n", 1},
                                {"1000 100000\n", 1},
                                {"50000 10000", 5}}) {
    limit("/a", text);
    EXPECT_EQ(quota(), expected) << text;
  }
}

TEST_F(Cgroup, WhatIsNoLimitIsNone) {
  unified("/a");
  for (const char* text : {"max 100000\n", "max\n", "", "\n", "200000\n", "200000 0\n",
                           "0 100000\n", "-1 100000\n", "x y\n", "99999999999999999999 100000\n"}) {
    limit("/a", text);
    EXPECT_EQ(quota(), 0) << text;
  }
  limit("/a", "18446744073709551615 1\n");
  EXPECT_EQ(quota(), INT32_MAX);
}

TEST_F(Cgroup, TheSmallestOfNestedGroupsCounts) {
  unified("/a/b/c");
  limit("/a/b/c", "800000 100000\n");
  EXPECT_EQ(quota(), 8);
  limit("/a", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
  limit("/a/b", "max 100000\n");
  EXPECT_EQ(quota(), 3);
  limit("", "200000 100000\n");
  EXPECT_EQ(quota(), 2);
  limit("/other", "100000 100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(Cgroup, IsFoundAtTheUsualPlaceWithoutTheListOfMounts) {
  file("proc/self/cgroup", "0::/a/b\n");
  file("sys/fs/cgroup/a/b/cgroup.procs", "1\n");
  limit("/a", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
  file("proc/self/cgroup", "2:cpu,cpuacct:/v1\n0::/a/b\n");
  EXPECT_EQ(quota(), 0);
  file("sys/fs/cgroup/cpu/v1/cgroup.procs", "1\n");
  file("sys/fs/cgroup/cpu/v1/cpu.cfs_period_us", "100000\n");
  file("sys/fs/cgroup/cpu/v1/cpu.cfs_quota_us", "500000\n");
  EXPECT_EQ(quota(), 5);
}

TEST_F(Cgroup, AContainerSeesItsOwnGroupAtTheMount) {
  unified("/docker/abc/inner", "/docker/abc");
  limit("", "400000 100000\n");
  EXPECT_EQ(quota(), 4);
  limit("/inner", "200000 100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(Cgroup, AGroupOutsideOfTheMountedOneIsReplacedByThat) {
  for (const char* group : {"/docker/abcd", "/elsewhere", "/docker/abc/../def"}) {
    unified(group, "/docker/abc");
    limit("", "400000 100000\n");
    EXPECT_EQ(quota(), 4) << group;
  }
}

TEST_F(Cgroup, NamesMayHaveBlanks) {
  file("proc/self/cgroup", "0::/a b\n");
  file("proc/self/mountinfo", "26 23 0:24 / /my\\040groups\\134 rw - cgroup2 cgroup rw\n");
  file("my groups\\/a b/cpu.max", "300000 100000\n");
  EXPECT_EQ(quota(), 3);
}

TEST_F(Cgroup, VersionOneIsKnown) {
  file("proc/self/cgroup", "9:name=systemd:/\n4:cpuset:/c\n2:cpuacct,cpu:/a/b\n0::/x\n");
  file("proc/self/mountinfo",
       "30 31 0:28 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
       "31 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
       "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  std::string folder = "sys/fs/cgroup/cpu,cpuacct";
  EXPECT_EQ(quota(), 0);
  file(folder + "/a/b/cpu.cfs_period_us", "100000\n");
  file(folder + "/a/b/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(quota(), 0);
  file(folder + "/a/b/cpu.cfs_quota_us", "250000\n");
  EXPECT_EQ(quota(), 3);
  file(folder + "/a/cpu.cfs_period_us", "50000\n");
  file(folder + "/a/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(quota(), 2);
}

TEST_F(Cgroup, LinesThatAreTooLongAreSkipped) {
  unified("/a");
  limit("/a", "300000 100000\n");
  file("proc/self/mountinfo",
       "20 1 0:20 / / rw - overlay overlay lowerdir=" + std::string(20000, 'x') +
           "\n"
           "26 23 0:24 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
  EXPECT_EQ(quota(), 3);
  file("proc/self/cgroup", "0::/" + std::string(3000, 'y'));
  EXPECT_EQ(quota(), 0);
  file("proc/self/cgroup", "0::/a"); // the last line has no end
  EXPECT_EQ(quota(), 3);
}

TEST_F(Cgroup, ErrnoIsKept) {
  unified("/a");
  for (const char* text : {"", "200000 100000\n"}) {
    errno = EDOM;
    quota();
    EXPECT_EQ(errno, EDOM);
    limit("/a", text);
  }
}

TEST(CgroupHere, IsReadWithoutHarm) { EXPECT_GE(cgroup_quota(), 0); }

} // namespace
} // namespace xomp::sys

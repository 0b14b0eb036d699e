// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The array layouts of the GNU ABI's `depend` clauses.
#include "abi/gnu/depend.cc" // entry points are in no library that unit tests link

#include <gtest/gtest.h>

#include <vector>

namespace xomp::gnu {
namespace {

void* word(std::size_t value) { return reinterpret_cast<void*>(value); }

std::vector<Dependence> read(void** array) {
  std::vector<Dependence> read;
  with_depend_array(array, [&](const DependList& list) { read.assign(list.begin(), list.end()); });
  return read;
}

void expect(void** array, std::vector<Dependence> expected) {
  std::vector<Dependence> found = read(array);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].address, expected[i].address) << i;
    EXPECT_EQ(found[i].access, expected[i].access) << i;
  }
}

int a, b, c, d, e;

TEST(GnuDepend, NoArrayIsAnEmptyList) { expect(nullptr, {}); }

TEST(GnuDepend, TheOldLayout) {
  void* array[] = {word(3), word(1), &a, &b, &c};
  expect(array, {{&a, Access::kOut}, {&b, Access::kIn}, {&c, Access::kIn}});
}

TEST(GnuDepend, TheNewLayoutHasMutexinoutsetAfterOut) {
  void* array[] = {word(0), word(4), word(1), word(1), word(2), &a, &b, &c, &d};
  expect(array,
         {{&a, Access::kOut}, {&b, Access::kMutexinoutset}, {&c, Access::kIn}, {&d, Access::kIn}});
}

TEST(GnuDepend, ObjectsOfEveryKindComeAfterTheRest) {
  enum : std::size_t { kIn = 1, kOut, kInout, kMutexinoutset, kInoutset };
  auto number = [](std::size_t kind) { return static_cast<DependObject::Kind>(kind); };
  DependObject objects[] = {{&b, number(kIn)},
                            {&c, number(kOut)},
                            {&d, number(kInout)},
                            {&e, number(kMutexinoutset)},
                            {&a, number(kInoutset)}};
  void* array[] = {word(0),     word(6),     word(0),     word(0),     word(1),    &a,
                   &objects[0], &objects[1], &objects[2], &objects[3], &objects[4]};
  expect(array, {{&a, Access::kIn},
                 {&b, Access::kIn},
                 {&c, Access::kOut},
                 {&d, Access::kOut},
                 {&e, Access::kMutexinoutset},
                 {&a, Access::kInoutset}});
}

TEST(GnuDepend, AllMemoryIsANullAddress) {
  void* array[] = {word(0), word(1), word(1), word(0), word(0), nullptr};
  expect(array, {{nullptr, Access::kOut}});
}

TEST(GnuDepend, IteratorsOverNothing) {
  void* array[] = {word(0), word(0), word(1000), word(1000), word(1000)}; // two words are the array
  expect(array, {});
}

TEST(GnuDepend, LongLists) {
  constexpr std::size_t kMany = 100;
  int variables[kMany];
  std::vector<void*> array = {word(0), word(kMany), word(0), word(0), word(kMany)};
  std::vector<Dependence> expected;
  for (int& variable : variables) {
    array.push_back(&variable);
    expected.push_back({&variable, Access::kIn});
  }
  expect(array.data(), expected);
}

} // namespace
} // namespace xomp::gnu

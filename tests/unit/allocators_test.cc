// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/allocators.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "memory/allocated_set.h"

namespace xomp {
namespace {

enum : uint32_t { kAlignment = 2, kPoolSize = 4, kFallback = 5, kFallbackData = 6, kPinned = 7 };
enum : uintptr_t { kNullFb = 12, kAbortFb = 13, kAllocatorFb = 14 };

AllocatorHandle made_of(std::initializer_list<AllocatorTrait> traits, uintptr_t space = 0) {
  return make_allocator(space, static_cast<int>(traits.size()), traits.begin());
}

void* take(AllocatorHandle from, std::size_t size, std::size_t alignment = 1) {
  return allocate_from(from, alignment, 1, size, Fill::kNone);
}

bool aligned(void* memory, uintptr_t to) { return reinterpret_cast<uintptr_t>(memory) % to == 0; }

TEST(Allocators, EveryAlignmentHolds) {
  for (uintptr_t alignment = 1; alignment <= 1 << 16; alignment *= 2) {
    AllocatorHandle allocator = made_of({{kAlignment, alignment}});
    for (std::size_t size : {1, 7, 100, 5000}) {
      void* memory = take(allocator, size);
      ASSERT_TRUE(memory);
      EXPECT_TRUE(aligned(memory, alignment));
      std::memset(memory, 1, size);
      release_allocated(memory);
    }
    destroy_allocator(allocator);
  }
}

TEST(Allocators, AnAlignmentThatIsNoPowerOfTwoIsRoundedUp) {
  void* memory = take(kDefaultMemAlloc, 10, 48);
  EXPECT_TRUE(aligned(memory, 64));
  release_allocated(memory);
}

TEST(Allocators, RejectsWhatNoTraitKnows) {
  EXPECT_EQ(made_of({{kAlignment, 3}}), kNullAllocator);
  EXPECT_EQ(made_of({{kAlignment, 0}}), kNullAllocator);
  EXPECT_EQ(made_of({{99, 1}}), kNullAllocator);
  EXPECT_EQ(made_of({{kFallback, 1}}), kNullAllocator);
  EXPECT_EQ(made_of({}, 77), kNullAllocator);
  EXPECT_EQ(made_of({}, 3), kNullAllocator) << "there is no high bandwidth memory";
}

TEST(Allocators, APoolIsGivenBackByFree) {
  AllocatorHandle pool = made_of({{kPoolSize, 1000}, {kFallback, kNullFb}});
  for (int round = 0; round < 100; round++) {
    void* memory = take(pool, 900);
    ASSERT_TRUE(memory);
    EXPECT_EQ(take(pool, 900), nullptr);
    release_allocated(memory);
  }
  destroy_allocator(pool);
}

TEST(Allocators, AnOverflowIsARequestThatFails) {
  AllocatorHandle plain = made_of({{kFallback, kNullFb}});
  std::size_t half = ~std::size_t{0} / 2;
  EXPECT_EQ(allocate_from(plain, 1, half, 8, Fill::kNone), nullptr);
  EXPECT_EQ(take(plain, ~std::size_t{0}), nullptr);
  EXPECT_EQ(take(kDefaultMemAlloc, ~std::size_t{0} - 8), nullptr);
  destroy_allocator(plain);
}

TEST(Allocators, FallbacksThatRunInACircleEnd) {
  AllocatorHandle circle = made_of({{kPoolSize, 1}, {kFallback, kAllocatorFb}, {kFallbackData, 0}});
  set_default_allocator(circle); // fb_data null means the default allocator: itself
  EXPECT_EQ(take(circle, 100), nullptr);
  set_default_allocator(kNullAllocator);
  destroy_allocator(circle);
}

TEST(AllocatorsDeathTest, AbortFallbackNamesTheSize) {
  AllocatorHandle strict = made_of({{kPoolSize, 64}, {kFallback, kAbortFb}});
  EXPECT_EXIT(take(strict, 12345), testing::ExitedWithCode(1), "12345 bytes");
  destroy_allocator(strict);
}

TEST(AllocatorsDeathTest, TheAllocateClauseCannotFail) {
  AllocatorHandle small = made_of({{kPoolSize, 64}, {kFallback, kNullFb}});
  EXPECT_EXIT(allocate_or_die(small, 8, 4321), testing::ExitedWithCode(1), "4321 bytes");
  destroy_allocator(small);
}

TEST(Allocators, ReallocKeepsContentsAcrossAllocators) {
  AllocatorHandle wide = made_of({{kAlignment, 512}});
  AllocatorHandle pool = made_of({{kPoolSize, 8192}, {kFallback, kNullFb}});
  AllocatorHandle route[] = {kDefaultMemAlloc, wide, pool, wide, kDefaultMemAlloc, pool, pool};
  char* memory = static_cast<char*>(take(kDefaultMemAlloc, 200));
  for (int i = 0; i < 200; i++)
    memory[i] = static_cast<char>(i);
  std::size_t size = 200;
  for (AllocatorHandle to : route) {
    memory = static_cast<char*>(reallocate_from(to, memory, size += 300));
    ASSERT_TRUE(memory);
    for (int i = 0; i < 200; i++)
      ASSERT_EQ(memory[i], static_cast<char>(i));
  }
  EXPECT_EQ(reallocate_from(pool, memory, 100000), nullptr);
  EXPECT_EQ(memory[199], static_cast<char>(199)) << "a failed realloc keeps the block";
  EXPECT_EQ(reallocate_from(pool, memory, 0), nullptr);
  void* all = take(pool, 8000);
  EXPECT_TRUE(all) << "nothing of the pool is lost on the way";
  release_allocated(all);
  destroy_allocator(wide);
  destroy_allocator(pool);
}

TEST(Allocators, PinnedMemoryIsUsableOrRefused) {
  AllocatorHandle pinned = made_of({{kPinned, 1}, {kFallback, kNullFb}});
  ASSERT_NE(pinned, kNullAllocator);
  if (auto* memory = static_cast<char*>(allocate_from(pinned, 64, 100, 10, Fill::kZero))) {
    EXPECT_TRUE(aligned(memory, 64));
    EXPECT_EQ(memory[999], 0);
    memory[999] = 5;
    memory = static_cast<char*>(reallocate_from(kNullAllocator, memory, 5000));
    if (memory) {
      EXPECT_EQ(memory[999], 5);
    }
    release_allocated(memory);
  }
  destroy_allocator(pinned);
}

TEST(AllocatedSet, ForgetsWhatItIsAskedFor) {
  static char memory[5000];
  for (char& byte : memory)
    add_allocated(&byte);
  EXPECT_TRUE(is_allocated(&memory[17]));
  for (char& byte : memory)
    EXPECT_TRUE(remove_allocated(&byte));
  EXPECT_FALSE(is_allocated(&memory[17]));
  EXPECT_FALSE(remove_allocated(&memory[17]));
  EXPECT_FALSE(remove_allocated(nullptr));
}

} // namespace
} // namespace xomp

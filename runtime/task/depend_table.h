// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dependence table of a full frame: address -> the tasks that last accessed it. Touched by the
// parent's worker only. Each address remembers two generations of tasks: the current one, whose
// members need not wait for one another (all `in`, all `inoutset`, all `mutexinoutset`, or one
// writer), and the one before, for which members of the current one have to wait.
//
// What is in use lies at the front of one array, so that to clear a table costs as much as was
// entered since it was last cleared, whatever its size was before.
#pragma once
#include <cstddef>
#include <cstdint>

#include "task/depend_list.h"
#include "task/task.h"

namespace xomp {

struct ExclusionArbiter;

/// Tasks as one contiguous list, valid until the table changes.
struct TaskSpan {
  DeferredTask* const* tasks;
  std::size_t count;
};

/// Counts in `DeferredTask::table_refs`. Zero-filled memory is an empty one.
class Generation {
public:
  Access access;

  bool empty() const { return count == 0; }
  DeferredTask* last() const { return count ? span().tasks[count - 1] : nullptr; }
  TaskSpan span() const { return {capacity ? many : &one, count}; }
  void append(DeferredTask& task);
  void remove_last();
  void clear();
  /// Keeps only the tasks that are not done.
  void drop_done();
  void release_memory();

private:
  DeferredTask** begin() { return capacity ? many : &one; }

  uint32_t count, capacity; ///< capacity 0: room for one, here
  union {
    DeferredTask* one;
    DeferredTask** many;
  };
};

struct DependTable {
  struct Entry {
    void* address;
    uint32_t slot; ///< that points here
    Generation current, before;
  };

  Entry* entries = nullptr;  ///< [capacity], the first `count` in use
  uint32_t* slots = nullptr; ///< [2 * capacity], open addressing: 1 + the number of an entry, or 0
  uint32_t count = 0, capacity = 0;
  /// The last task with omp_all_memory: precedes every new address.
  DeferredTask* all_memory = nullptr;
  ExclusionArbiter* arbiter = nullptr; ///< since the first mutexinoutset

  const Entry* find(const void* address) const {
    if (recent && recent->address == address)
      return recent;
    return search(address);
  }
  Entry& find_or_insert(void* address);
  bool empty() const { return count == 0 && !all_memory; }
  TaskSpan all_memory_span() const { return {&all_memory, all_memory ? std::size_t{1} : 0}; }
  void set_all_memory(DeferredTask* task);
  /// Forgets everything. A table that is much larger than what was in it is given back.
  void clear();

private:
  /// Found last; an access is looked up several times while it is entered. Null when entries move.
  mutable const Entry* recent = nullptr;

  const Entry* search(const void* address) const;
  uint32_t first_slot(const void* address) const;
  Entry& insert(void* address);
  void make_room();
  void reserve(uint32_t wanted);
};

} // namespace xomp

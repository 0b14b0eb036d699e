// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dependence table. Each address remembers two generations of tasks: the current one, whose
// members may run side by side (all `in`, or all `inoutset`, or one writer), and the one before,
// for which members of the current one have to wait. A mutexinoutset access is ordered like inout,
// which OpenMP 5.2 section 15.9.5 allows.
#include "task/depend.h"

#include "sys/delay.h"
#include "sys/memory.h"

namespace xomp {
namespace {

struct Generation {
  DeferredTask** tasks = nullptr;
  uint32_t count = 0, capacity = 0;
  Access access = Access::kIn;
};

struct Entry {
  void* address = nullptr;
  bool used = false;
  Generation current, before;
};

void forget(Generation& generation) {
  for (uint32_t i = 0; i < generation.count; ++i)
    --generation.tasks[i]->table_refs;
  generation.count = 0;
}

void drop_done(Generation& generation) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < generation.count; ++i) {
    DeferredTask* task = generation.tasks[i];
    if (task->phase(std::memory_order_acquire) == kDone)
      --task->table_refs;
    else
      generation.tasks[kept++] = task;
  }
  generation.count = kept;
}

void append(Generation& generation, DeferredTask& task) {
  if (generation.count == generation.capacity) {
    drop_done(generation);
    if (generation.count * 2 > generation.capacity || generation.capacity == 0) {
      uint32_t capacity = generation.capacity ? generation.capacity * 2 : 2;
      auto** fresh = static_cast<DeferredTask**>(sys::allocate(capacity * sizeof(DeferredTask*)));
      for (uint32_t i = 0; i < generation.count; ++i)
        fresh[i] = generation.tasks[i];
      sys::release(generation.tasks);
      generation.tasks = fresh;
      generation.capacity = capacity;
    }
  }
  generation.tasks[generation.count++] = &task;
  ++task.table_refs;
}

bool side_by_side(Access a, Access b) { return a == b && a != Access::kOut; }

} // namespace

/// Open addressing with linear probing; `capacity` is a power of two.
struct DependTable {
  Entry* entries = nullptr;
  std::size_t capacity = 0, count = 0;
  DeferredTask* all_memory =
      nullptr; ///< the last task with omp_all_memory: precedes every new address

  static std::size_t hash(const void* address) {
    auto bits = reinterpret_cast<uintptr_t>(address);
    return static_cast<std::size_t>((bits >> 3) * 0x9E3779B97F4A7C15ull >> 20);
  }
  Entry* find(const void* address) const {
    if (!capacity)
      return nullptr;
    for (std::size_t i = hash(address) & (capacity - 1); entries[i].used;
         i = (i + 1) & (capacity - 1)) {
      if (entries[i].address == address)
        return &entries[i];
    }
    return nullptr;
  }
  Entry& find_or_insert(void* address) {
    if (Entry* entry = find(address))
      return *entry;
    if ((count + 1) * 4 > capacity * 3)
      grow();
    Entry& entry = insert(address);
    if (all_memory) {
      entry.current.access = Access::kOut;
      append(entry.current, *all_memory);
    }
    return entry;
  }
  Entry& insert(void* address) {
    std::size_t i = hash(address) & (capacity - 1);
    while (entries[i].used)
      i = (i + 1) & (capacity - 1);
    entries[i].used = true;
    entries[i].address = address;
    ++count;
    return entries[i];
  }
  /// Entries whose tasks are all done are dropped, so that a loop over fresh addresses stays
  /// bounded.
  void grow() {
    Entry* old = entries;
    std::size_t old_capacity = capacity, alive = 0;
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (!old[i].used)
        continue;
      drop_done(old[i].before);
      drop_done(old[i].current);
      if (old[i].current.count || old[i].before.count)
        ++alive;
    }
    capacity = 16;
    while (capacity < alive * 3)
      capacity *= 2;
    entries = static_cast<Entry*>(sys::allocate_zeroed(capacity * sizeof(Entry)));
    count = 0;
    for (std::size_t i = 0; i < old_capacity; ++i) {
      if (!old[i].used)
        continue;
      if (old[i].current.count || old[i].before.count) {
        Entry& entry = insert(old[i].address);
        entry.current = old[i].current;
        entry.before = old[i].before;
      } else {
        sys::release(old[i].current.tasks);
        sys::release(old[i].before.tasks);
      }
    }
    sys::release(old);
  }
  void clear() {
    for (std::size_t i = 0; i < capacity; ++i) {
      if (!entries[i].used)
        continue;
      forget(entries[i].current);
      forget(entries[i].before);
      sys::release(entries[i].current.tasks);
      sys::release(entries[i].before.tasks);
      entries[i] = Entry{};
    }
    count = 0;
    set_all_memory(nullptr);
  }
  void set_all_memory(DeferredTask* task) {
    if (all_memory)
      --all_memory->table_refs;
    all_memory = task;
    if (task)
      ++task->table_refs;
  }
};

DependList::DependList(void** raw) {
  auto number = [&](int i) { return reinterpret_cast<std::size_t>(raw[i]); };
  if (number(0) != 0) {
    total = plain = number(0);
    outs = number(1);
    items = raw + 2;
  } else {
    total = number(1);
    outs = number(2) + number(3); // mutexinoutset is ordered like inout
    plain = outs + number(4);
    items = raw + 5;
  }
}

DependList::Item DependList::operator[](std::size_t i) const {
  if (i < plain)
    return {items[i], i < outs ? Access::kOut : Access::kIn};
  // A depend object: {address, kind}; kinds of the ABI: 1 in, 2 out, 3 inout, 4 mutexinoutset, 5
  // inoutset.
  auto** object = static_cast<void**>(items[i]);
  switch (reinterpret_cast<uintptr_t>(object[1])) {
  case 1:
    return {object[0], Access::kIn};
  case 5:
    return {object[0], Access::kInoutset};
  default:
    return {object[0], Access::kOut};
  }
}

namespace {

/// Counts edges while they are made; memory comes in one block, sized before.
struct EdgeMaker {
  DeferredTask& task;
  DependEdge* edges;
  std::size_t used = 0;

  void after(DeferredTask& predecessor) {
    if (&predecessor == &task)
      return;
    DependEdge* edge = &edges[used];
    edge->successor = &task;
    DependEdge* head = predecessor.successors.load(std::memory_order_acquire);
    do {
      if (head == kClosed)
        return;
      edge->next = head;
      // Counted before it is visible: the predecessor may finish at once.
      task.predecessors.fetch_add(1, std::memory_order_relaxed);
      sys::delay();
      // Release publishes the edge; acquire on failure because `head` may have become kClosed.
      if (predecessor.successors.compare_exchange_strong(head, edge, std::memory_order_release,
                                                         std::memory_order_acquire)) {
        ++used;
        return;
      }
      task.predecessors.fetch_sub(1, std::memory_order_relaxed);
    } while (true);
  }
};

TaskSpan span(const Generation& generation) { return {generation.tasks, generation.count}; }

void enter(DependTable& table, DeferredTask& task, const DependList::Item& item) {
  Entry& entry = table.find_or_insert(item.address);
  Generation& current = entry.current;
  if (current.count && current.tasks[current.count - 1] == &task) { // the address is listed twice
    if (current.access == Access::kOut || current.access == item.access)
      return;
    --current.count;
    --task.table_refs;
    if (item.access != Access::kOut)
      return enter(table, task, {item.address, Access::kOut});
  }
  if (current.count && side_by_side(current.access, item.access)) {
    append(current, task);
    return;
  }
  forget(entry.before);
  Generation spare = entry.before;
  entry.before = current;
  spare.access = item.access;
  entry.current = spare;
  append(entry.current, task);
}

} // namespace

TaskSpan predecessors_of(const DependTable& table, const DependList::Item& item) {
  const Entry* entry = table.find(item.address);
  if (!entry) {
    if (table.all_memory)
      return {&table.all_memory, 1};
    return {nullptr, 0};
  }
  if (entry->current.count && side_by_side(entry->current.access, item.access))
    return span(entry->before);
  return span(entry->current);
}

std::size_t table_entries(const DependTable& table) { return table.capacity + 1; }

TaskSpan entry_tasks(const DependTable& table, std::size_t entry) {
  if (entry == table.capacity)
    return {&table.all_memory, table.all_memory ? std::size_t{1} : 0};
  return table.entries[entry].used ? span(table.entries[entry].current) : TaskSpan{nullptr, 0};
}

bool enter_dependences(Family& family, DeferredTask& task, const DependList& list) {
  if (!family.depends)
    family.depends = sys::create<DependTable>();
  DependTable& table = *family.depends;
  // 1 more than the edges, so that no predecessor can make the task ready before all are entered.
  task.predecessors.store(1, std::memory_order_relaxed);
  std::size_t bound = 0;
  for_each_predecessor(family, list, [&](DeferredTask&) { ++bound; });
  if (bound) {
    task.edges = static_cast<DependEdge*>(sys::allocate(bound * sizeof(DependEdge)));
    EdgeMaker maker{task, task.edges};
    for_each_predecessor(family, list, [&](DeferredTask& predecessor) {
      if (maker.used < bound)
        maker.after(predecessor);
    });
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].address) {
      enter(table, task, list[i]);
    } else {
      table.clear();
      table.set_all_memory(&task);
      break;
    }
  }
  // Acquire: what the predecessors that are done already did.
  return task.predecessors.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

void clear_table(DependTable& table) { table.clear(); }

void destroy_table(DependTable& table) {
  table.clear();
  sys::release(table.entries);
  sys::destroy(&table);
}

void free_edges(DeferredTask& task) {
  if (task.edges)
    sys::release(task.edges);
  task.edges = nullptr;
}

} // namespace xomp

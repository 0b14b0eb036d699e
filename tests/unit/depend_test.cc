// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order that dependences give to random tasks, compared with the definition (OpenMP 5.2,
// section 15.9.5) applied to every pair of tasks.
#include "task/depend.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "sys/memory.h"

namespace xomp {
namespace {

struct Clause {
  int variable; ///< kAllMemory: omp_all_memory
  Access access;
};
constexpr int kAllMemory = -1;

std::vector<Dependence> as_dependences(const std::vector<Clause>& clauses,
                                       std::vector<int>& variables) {
  std::vector<Dependence> items;
  for (const Clause& clause : clauses) {
    bool all = clause.variable == kAllMemory;
    items.push_back(
        {all ? nullptr : &variables[static_cast<std::size_t>(clause.variable)], clause.access});
  }
  return items;
}

/// Whether the later of two tasks has to wait for the earlier one, by the definition.
bool ordered(const std::vector<Clause>& earlier, const std::vector<Clause>& later) {
  for (const Clause& first : earlier) {
    for (const Clause& second : later) {
      bool meet = first.variable == second.variable || first.variable == kAllMemory ||
                  second.variable == kAllMemory;
      bool side_by_side = first.access == second.access && first.access != Access::kOut;
      if (meet && !side_by_side)
        return true;
    }
  }
  return false;
}

/// Whether the tasks may not overlap, in whatever order they run.
bool excludes(const std::vector<Clause>& one, const std::vector<Clause>& other) {
  for (const Clause& first : one) {
    for (const Clause& second : other) {
      if (first.variable == second.variable && first.access == Access::kMutexinoutset &&
          second.access == Access::kMutexinoutset)
        return true;
    }
  }
  return false;
}

/// Tasks entered into one full frame, finished in any order that their dependences allow, by hand.
class Graph {
public:
  explicit Graph(int variables) : variables(static_cast<std::size_t>(variables)) {
    full_frame.owner = &worker;
  }
  ~Graph() {
    if (full_frame.depends)
      destroy_table(*full_frame.depends);
    for (auto& task : tasks) {
      EXPECT_EQ(task->table_refs, 0u);
      free_edges(*task);
    }
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void add(const std::vector<Clause>& task_clauses) {
    std::vector<Dependence> items = as_dependences(task_clauses, variables);
    tasks.push_back(std::make_unique<DeferredTask>());
    DeferredTask& task = *tasks.back();
    task.state.store(kWaiting);
    clauses.push_back(task_clauses);
    done.push_back(false);
    std::size_t me = tasks.size() - 1;
    std::set<std::size_t> direct;
    for (std::size_t i = 0; i < me; ++i) {
      if (ordered(clauses[i], task_clauses))
        direct.insert(i);
    }
    waits_for.push_back(direct);
    // With room for none, some or all of its edges.
    std::size_t room = me % 3 * 2;
    edges.push_back(std::make_unique<DependEdge[]>(room));
    if (enter_dependences(full_frame, task, DependList(items.data(), items.size()), false,
                          {edges.back().get(), room}))
      make_ready(me);
    check();
  }
  /// Tasks that wait may be given items one by one from here on.
  void let_wait() { strict = false; }

  bool all_done() const { return ready.empty(); }
  bool is_ready(std::size_t task) const { return ready.count(task) == 1; }
  void finish_task(std::size_t task) {
    finish(static_cast<std::size_t>(std::distance(ready.begin(), ready.find(task))));
  }
  void finish(std::size_t which) {
    auto it = ready.begin();
    std::advance(it, static_cast<long>(which % ready.size()));
    std::size_t me = *it;
    ready.erase(it);
    done[me] = true;
    release_successors(*tasks[me], [&](DeferredTask& successor) {
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        if (tasks[i].get() == &successor)
          make_ready(i);
      }
    });
    tasks[me]->state.store(kDone);
    check();
  }
  std::size_t count_ready() const { return ready.size(); }
  std::size_t count_done() const {
    std::size_t count = 0;
    for (bool is_done : done)
      count += is_done;
    return count;
  }
  void forget_finished() {
    if (full_frame.depends)
      full_frame.depends->clear();
  }

private:
  void make_ready(std::size_t task) {
    EXPECT_TRUE(ready.insert(task).second) << "task " << task << " released twice";
    tasks[task]->state.store(kReady);
  }
  bool excluded(std::size_t task) const {
    for (std::size_t other : ready) {
      if (other != task && excludes(clauses[task], clauses[other]))
        return true;
    }
    return false;
  }
  /// Those tasks may run whose predecessors are done, unless they exclude one another: then one of
  /// them, and no other is held up.
  void check() {
    if (!strict)
      return;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (done[i])
        continue;
      bool free_to_go = true;
      for (std::size_t predecessor : waits_for[i])
        free_to_go = free_to_go && done[predecessor];
      if (!free_to_go || !excluded(i))
        ASSERT_EQ(is_ready(i), free_to_go) << "task " << i;
      else
        ASSERT_FALSE(is_ready(i)) << "task " << i;
    }
  }

  std::vector<int> variables;
  Worker worker;
  FullFrame full_frame;
  std::vector<std::unique_ptr<DependEdge[]>> edges;
  std::vector<std::unique_ptr<DeferredTask>> tasks;
  std::vector<std::vector<Clause>> clauses;
  std::vector<std::set<std::size_t>> waits_for;
  std::vector<bool> done;
  std::set<std::size_t> ready;
  bool strict = true;
};

TEST(DependTable, ReadersRunSideBySideBetweenWriters) {
  Graph graph(1);
  graph.add({{0, Access::kOut}});
  for (int i = 0; i < 5; ++i)
    graph.add({{0, Access::kIn}});
  graph.add({{0, Access::kOut}});
  EXPECT_EQ(graph.count_ready(), 1u);
  graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 5u);
  for (int i = 0; i < 5; ++i)
    graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 1u);
  graph.finish(0);
  EXPECT_TRUE(graph.all_done());
}

TEST(DependTable, InoutsetsRunSideBySideButNotWithReaders) {
  Graph graph(1);
  for (int i = 0; i < 3; ++i)
    graph.add({{0, Access::kInoutset}});
  for (int i = 0; i < 4; ++i)
    graph.add({{0, Access::kIn}});
  graph.add({{0, Access::kInoutset}});
  EXPECT_EQ(graph.count_ready(), 3u);
  for (int i = 0; i < 3; ++i)
    graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 4u);
  for (int i = 0; i < 4; ++i)
    graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 1u);
  graph.finish(0);
}

TEST(DependTable, AllMemoryIsOrderedWithEverythingBeforeAndAfter) {
  Graph graph(4);
  graph.add({{0, Access::kIn}});
  graph.add({{1, Access::kOut}});
  graph.add({{kAllMemory, Access::kOut}});
  graph.add({{2, Access::kIn}});
  graph.add({{0, Access::kIn}, {3, Access::kOut}});
  EXPECT_EQ(graph.count_ready(), 2u);
  graph.finish(0);
  graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 1u);
  graph.finish(0);
  EXPECT_EQ(graph.count_ready(), 2u);
  graph.finish(0);
  graph.finish(0);
}

TEST(DependTable, MutexinoutsetsExcludeOneAnotherBetweenOtherAccesses) {
  Graph graph(1);
  graph.add({{0, Access::kOut}});
  for (int i = 0; i < 3; ++i)
    graph.add({{0, Access::kMutexinoutset}});
  graph.add({{0, Access::kIn}});
  graph.add({{0, Access::kMutexinoutset}});
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(graph.count_ready(), 1u);
    graph.finish(0);
  }
  EXPECT_TRUE(graph.all_done());
}

TEST(DependTable, AMutexinoutsetThatHasToWaitHoldsUpNoOther) {
  Graph graph(4);
  graph.add({{0, Access::kOut}});
  graph.add({{0, Access::kIn}, {1, Access::kMutexinoutset}});
  graph.add({{1, Access::kMutexinoutset}, {2, Access::kMutexinoutset}});
  graph.add({{2, Access::kMutexinoutset}, {3, Access::kMutexinoutset}});
  graph.add({{3, Access::kMutexinoutset}});
  EXPECT_TRUE(graph.is_ready(2));
  EXPECT_FALSE(graph.is_ready(3));
  EXPECT_TRUE(graph.is_ready(4)); // although 3 came before and waits
  graph.finish_task(2);
  graph.finish_task(4);
  EXPECT_TRUE(graph.is_ready(3));
  graph.finish_task(0);
  EXPECT_TRUE(graph.is_ready(1));
  graph.finish_task(1);
  graph.finish_task(3);
}

// Of two items that a task needs, one or the other is always held by somebody who needs only that.
TEST(DependTable, AMutexinoutsetOfTwoItemsIsNotOvertakenForEver) {
  Graph graph(2);
  std::size_t holder[2] = {0, 1}, next = 3;
  for (int item = 0; item < 2; ++item)
    graph.add({{item, Access::kMutexinoutset}});
  graph.add({{0, Access::kMutexinoutset}, {1, Access::kMutexinoutset}});
  graph.let_wait();
  int rounds = 0;
  for (; !graph.is_ready(2) && rounds < 100; ++rounds) {
    int item = rounds % 2;
    graph.add({{item, Access::kMutexinoutset}});
    graph.finish_task(holder[item]);
    holder[item] = next++;
  }
  EXPECT_LT(rounds, 30);
  while (!graph.all_done())
    graph.finish(0);
  EXPECT_EQ(graph.count_done(), next);
}

TEST(DependTable, AnAddressListedTwiceIsOneItem) {
  Graph graph(1);
  graph.add({{0, Access::kMutexinoutset}, {0, Access::kMutexinoutset}});
  graph.add({{0, Access::kMutexinoutset}});
  graph.add({{0, Access::kMutexinoutset}, {0, Access::kIn}}); // comes after both
  graph.add({{0, Access::kMutexinoutset}});
  for (int i = 0; i < 4; ++i)
    graph.finish(0);
  EXPECT_TRUE(graph.all_done());
}

TEST(DependTable, ForgetsManyFinishedTasksOnFreshAddresses) {
  Graph graph(200);
  for (int i = 0; i < 200; ++i) {
    graph.add({{i, Access::kOut}});
    graph.finish(0);
  }
  graph.forget_finished();
  graph.add({{0, Access::kIn}});
  EXPECT_EQ(graph.count_ready(), 1u);
  graph.finish(0);
}

std::vector<Clause> draw(std::mt19937& random, int variables) {
  if (random() % 24 == 0)
    return {{kAllMemory, Access::kOut}};
  std::vector<Clause> clauses;
  constexpr Access kAccesses[] = {Access::kIn,
                                  Access::kIn,
                                  Access::kOut,
                                  Access::kInoutset,
                                  Access::kInoutset,
                                  Access::kMutexinoutset,
                                  Access::kMutexinoutset,
                                  Access::kMutexinoutset};
  for (unsigned i = 0, count = 1 + random() % 3; i < count; ++i)
    clauses.push_back(
        {static_cast<int>(random() % static_cast<unsigned>(variables)), kAccesses[random() % 8]});
  if (random() % 48 == 0)
    clauses.push_back({kAllMemory, Access::kOut});
  return clauses;
}

void play(unsigned seed, int variables, int count, unsigned finishing) {
  std::mt19937 random(seed);
  Graph graph(variables);
  for (int i = 0; i < count; ++i) {
    graph.add(draw(random, variables));
    while (!graph.all_done() && random() % 8 < finishing)
      graph.finish(random());
    if (testing::Test::HasFailure())
      FAIL() << "seed " << seed;
  }
  while (!graph.all_done())
    graph.finish(random());
  EXPECT_EQ(graph.count_done(), static_cast<std::size_t>(count)) << "seed " << seed;
}

// `finishing` of 8: how fast tasks finish while others are still entered.
TEST(DependTable, WhatWasFoundLastIsForgottenWithTheRest) {
  DependTable table;
  int variable[100];
  DependTable::Entry& entry = table.find_or_insert(&variable[0]);
  EXPECT_EQ(table.find(&variable[0]), &entry);
  table.clear();
  EXPECT_EQ(table.find(&variable[0]), nullptr);
  // Entries move when there is no room for one more.
  DeferredTask task;
  for (int& each : variable) {
    table.find_or_insert(&each).current.append(task);
    EXPECT_EQ(table.find(&each)->current.last(), &task);
  }
  for (int& each : variable)
    EXPECT_EQ(table.find(&each)->address, &each);
  table.clear();
  sys::release(table.entries);
}

TEST(DependTable, OrdersRandomTasksAsTheDefinitionSays) {
  for (unsigned seed = 0; seed < 600 && !HasFailure(); ++seed)
    play(seed, 1 + static_cast<int>(seed % 5), 24, seed % 7);
}

TEST(DependTable, OrdersRandomTasksOnManyAddresses) {
  for (unsigned seed = 1000; seed < 1020 && !HasFailure(); ++seed)
    play(seed, 60, 150, seed % 6);
}

} // namespace
} // namespace xomp

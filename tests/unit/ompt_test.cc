// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a tool may ask for and about (ompt/callbacks.h, ompt/entries.h), and what it is
// told of detachable tasks (ompt/tool_events.h).
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "ompt/callbacks.h"
#include "ompt/entries.h"
#include "ompt/tool_events.h"
#include "trace/task_trace.h"

namespace xomp::trace {
namespace {

template <class Entry> Entry entry(const char* name) {
  return reinterpret_cast<Entry>(look_up_entry(name));
}

struct ToolTest : testing::Test {
  ~ToolTest() override { clear_callbacks(); }
};

void some_callback() {}

TEST_F(ToolTest, EveryEntryPointIsFoundByItsName) {
  for (const char* name :
       {"ompt_enumerate_states", "ompt_enumerate_mutex_impls", "ompt_set_callback",
        "ompt_get_callback", "ompt_get_thread_data", "ompt_get_num_procs", "ompt_get_num_places",
        "ompt_get_place_proc_ids", "ompt_get_place_num", "ompt_get_partition_place_nums",
        "ompt_get_proc_id", "ompt_get_state", "ompt_get_parallel_info", "ompt_get_task_info",
        "ompt_get_task_memory", "ompt_get_target_info", "ompt_get_num_devices",
        "ompt_get_unique_id", "ompt_finalize_tool"})
    EXPECT_NE(look_up_entry(name), nullptr) << name;
  EXPECT_EQ(look_up_entry("ompt_get_lost"), nullptr);
}

TEST_F(ToolTest, ACallbackThatIsNeverToldIsNotKept) {
  ompt_callback_t kept = some_callback;
  EXPECT_EQ(set_callback(ompt_callback_reduction, some_callback), ompt_set_never);
  EXPECT_EQ(get_callback(ompt_callback_reduction, &kept), 0);
  EXPECT_EQ(set_callback(ompt_callback_target_emi, some_callback), ompt_set_never);
}

TEST_F(ToolTest, ACallbackIsGivenBackAndTakenAway) {
  ompt_callback_t kept = nullptr;
  EXPECT_EQ(set_callback(ompt_callback_task_create, some_callback), ompt_set_always);
  EXPECT_EQ(get_callback(ompt_callback_task_create, &kept), 1);
  EXPECT_EQ(kept, some_callback);
  EXPECT_EQ(set_callback(ompt_callback_task_create, nullptr), ompt_set_always);
  EXPECT_EQ(get_callback(ompt_callback_task_create, &kept), 0);
}

TEST_F(ToolTest, EventsThatDoNotExistAreErrors) {
  for (int event : {-1, 0, ompt_callback_error + 1, 1000})
    EXPECT_EQ(set_callback(static_cast<ompt_callbacks_t>(event), some_callback), ompt_set_error);
}

TEST_F(ToolTest, StatesAreEnumeratedOnceEach) {
  auto next = entry<ompt_enumerate_states_t>("ompt_enumerate_states");
  std::set<int> states;
  std::set<std::string> names;
  int state = ompt_state_undefined;
  const char* name;
  while (next(state, &state, &name)) {
    EXPECT_TRUE(states.insert(state).second) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    ASSERT_LT(states.size(), 100u);
  }
  EXPECT_TRUE(states.contains(ompt_state_work_parallel));
  EXPECT_TRUE(states.contains(ompt_state_wait_taskwait));
  EXPECT_EQ(next(12345, &state, &name), 0);
}

TEST_F(ToolTest, MutexImplementationsAreEnumerated) {
  auto next = entry<ompt_enumerate_mutex_impls_t>("ompt_enumerate_mutex_impls");
  int kind;
  const char* name;
  ASSERT_EQ(next(ompt_mutex_impl_none, &kind, &name), 1);
  EXPECT_EQ(kind, static_cast<int>(kToolMutex));
  EXPECT_EQ(next(kind, &kind, &name), 0);
}

TEST_F(ToolTest, AThreadThatIsNotKnownIsInNothing) {
  EXPECT_EQ(entry<ompt_get_thread_data_t>("ompt_get_thread_data")(), nullptr);
  EXPECT_EQ(entry<ompt_get_state_t>("ompt_get_state")(nullptr), ompt_state_undefined);
  EXPECT_EQ(entry<ompt_get_parallel_info_t>("ompt_get_parallel_info")(0, nullptr, nullptr), 0);
  EXPECT_EQ(entry<ompt_get_task_info_t>("ompt_get_task_info")(0, nullptr, nullptr, nullptr, nullptr,
                                                              nullptr),
            0);
  EXPECT_EQ(entry<ompt_get_place_num_t>("ompt_get_place_num")(), -1);
}

TEST_F(ToolTest, UniqueIdsDifferAndAreNotZero) {
  auto unique = entry<ompt_get_unique_id_t>("ompt_get_unique_id");
  std::set<uint64_t> ids{0};
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(ids.insert(unique()).second);
}

/// A detachable task, and how it was told to end.
struct DetachTest : ToolTest {
  Track& track = take_track(false);
  TaskTrace creator, task;
  static inline std::vector<int> told;

  DetachTest() {
    told.clear();
    set_callback(ompt_callback_task_schedule,
                 reinterpret_cast<ompt_callback_t>(+[](ompt_data_t*, ompt_task_status_t status,
                                                       ompt_data_t*) { told.push_back(status); }));
    tool_task_created(track, creator.tool, ompt_task_explicit, false, {});
    track.current = &creator;
    tool_task_created(track, task.tool, ompt_task_explicit, false, {});
    tool_task_begins(track, task.tool, nullptr);
  }
  ~DetachTest() override { return_track(track); }
  void end() { tool_task_ends(track, task.tool, &creator.tool, ompt_task_complete, true); }
};

using Statuses = std::vector<int>;

TEST_F(DetachTest, FulfilledBeforeItsEndItIsCompletedThere) {
  tool_task_fulfilled(task.tool);
  end();
  EXPECT_EQ(told, Statuses({ompt_task_switch, ompt_task_early_fulfill, ompt_task_complete}));
}

TEST_F(DetachTest, FulfilledAfterItsEndItIsCompletedByThat) {
  end();
  tool_task_fulfilled(task.tool);
  EXPECT_EQ(told, Statuses({ompt_task_switch, ompt_task_detach, ompt_task_late_fulfill}));
}

TEST_F(DetachTest, OnceDiscardedItIsNotFulfilled) {
  tool_task_discarded(track, task.tool, ompt_cancel_taskgroup);
  tool_task_fulfilled(task.tool);
  EXPECT_EQ(told, Statuses({ompt_task_switch, ompt_task_cancel}));
}

} // namespace
} // namespace xomp::trace

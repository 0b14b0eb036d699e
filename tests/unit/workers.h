// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers of a team by hand: the test's thread, the only one, acts in one after the other.
#pragma once
#include <memory>
#include <vector>

#include "task/children.h"
#include "task/frame.h"
#include "task/full_frame.h"
#include "team/team.h"

namespace xomp {

class Workers {
public:
  explicit Workers(int count) : workers(new Worker[static_cast<std::size_t>(count)]) {
    team.count = count;
    team.sleepers.reserve(count);
    team.stacks_in_use.reserve(count);
    for (int i = 0; i < count; ++i) {
      Worker& each = (*this)[i];
      peers.push_back(&each);
      each.id = i;
      each.count = count;
      each.task_team = &team;
      each.sleepers = &team.sleepers;
      each.env = &env;
    }
    for (int i = 0; i < count; ++i)
      (*this)[i].peers = peers.data();
    act_in((*this)[0]);
  }
  /// Whatever still lies on their stacks is forgotten; children in heaps are over.
  ~Workers() {
    for (int i = 0; i < team.count; ++i) {
      Worker& each = (*this)[i];
      act_in(each);
      if (FullFrame* full_frame = current_full_frame(each)) {
        sweep(each, *full_frame);
        if (leave_children(each, *full_frame))
          free_or_keep(each, *full_frame);
      }
      free_all_full_frames(each);
      free_stack(each);
      each.heap.end();
    }
    team.sleepers.end();
    team.stacks_in_use.end();
    act_in(stranger);
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  Worker& operator[](int i) { return workers[static_cast<std::size_t>(i)]; }

  TaskTeam team;
  Env env; ///< of all of their implicit tasks

private:
  std::unique_ptr<Worker[]> workers;
  std::vector<Port*> peers;
};

} // namespace xomp

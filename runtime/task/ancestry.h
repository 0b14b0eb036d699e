// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is above whom: the full frames of a task's ancestors, and what is left out when their tasks
// have ended. Rules: task/README.md, "Memory".
#pragma once
#include "task/worker.h"

namespace xomp {

/// Relaxed: by the owner, who is the one that changes it, or before anybody else knows of the
/// frame, or after everybody did.
inline FullFrame* ancestor_of(const FullFrame& full_frame) {
  return full_frame.ancestor.load(std::memory_order_relaxed);
}

/// Puts `full_frame`, which nobody else knows of, below `above`, which the caller keeps; or below
/// nothing.
void point_upwards(FullFrame& full_frame, FullFrame* above);

/// `parent`, or of what is above it the first whose task has not ended. The caller keeps `parent`.
FullFrame* nearest_waiting(FullFrame& parent);

/// The task of `full_frame` is about to end. If that of its ancestor has ended before, names the
/// nearest that has not: of tasks that each begin while the one that creates them runs, all would
/// be kept, as each keeps the one before. Returns the ancestor; null: all of them have ended.
/// On the owner.
FullFrame* bypass_ended(FullFrame& full_frame);

/// While the calling thread climbs from one full frame to the next above: none of these is freed.
/// Not longer than that takes.
class Climb {
public:
  explicit Climb(Worker& worker) : worker(worker) { worker.climbs.begin(); }
  ~Climb() { worker.climbs.end(); }
  Climb(const Climb&) = delete;
  Climb& operator=(const Climb&) = delete;

private:
  Worker& worker;
};
/// In a climb. Acquire: whoever has put another ancestor there (`leave_children`) had found it.
inline FullFrame* next_upwards(const FullFrame& full_frame) {
  return full_frame.ancestor.load(std::memory_order_acquire);
}

/// Whether the task of `from` is that of `scope` or descends from it; a logarithmic number of
/// steps. Any worker, as long as something keeps `from`: a claim, a queue entry or a pointer of a
/// ready list on a child of it, or the lock of the stack where it was found.
bool descends(const FullFrame& from, const FullFrame& scope);

} // namespace xomp

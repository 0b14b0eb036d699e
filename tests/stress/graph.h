// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The random task graph: everything about it is a function of a key, so that it can be drawn twice,
// by the OpenMP program (run.h) and by its serial evaluation (serial.h).
#pragma once
#include <cstdint>

namespace stress {

using Value = uint64_t;
using Key = uint64_t;

Value mix(uint64_t x);
Key child_key(Key key, int i);
/// A number below `bound` that depends on the key and on what it is for.
int draw(Key key, int purpose, int bound);

enum Kind {
  kTaskwait,
  kTaskgroup,
  kAsync, ///< tasks whose parents end before them, gathered by a taskgroup
  kDepend,
  kLocked, ///< a lock held across a taskwait
  kTaskloop,
  kTaskReduction,
  kParallel,
  kWorkshare,
  kThrow,
  kDetach,
  kCancelGroup,
  kCancelParallel,
  kCancelLoop,
  kCancelAhead, ///< cancellation while members run ahead through nowait constructs
  kLateEvent,   ///< an event fulfilled when the tasks that created its task are gone
  kSleep,       ///< tasks that sleep
  kWidths,      ///< regions of one thread and of several in turn
  kKinds
};

constexpr int kLocks = 7;
constexpr int kMaxNest = 2;

/// What a subtree may do, handed down.
struct Context {
  int first_lock = 0;     ///< locks below are, or may be, held by an ancestor
  int nest = 0;           ///< nested regions around
  bool discarded = false; ///< in something cancelled: tasks may never run, values do not count
  bool final = false;     ///< an ancestor's task is final, so that everything is undeferred
};
/// Whether the child's task is final, if it is created by `create_child`.
bool drawn_final(Key child);

/// Whether a node of this kind opens regions.
bool opens_regions(Kind kind);
/// Whether tasks of such a node may be discarded, so that it has no value.
bool may_be_cancelled(Kind kind);

struct Shape {
  Kind kind;
  int children;
  int budget; ///< of each child
};
Shape shape_of(Key key, int budget, const Context& context);
/// What the children of a node may do.
Context inside(const Shape& shape, Key key, Context context);

/// The value of a node without children.
Value leaf(Key key);

} // namespace stress

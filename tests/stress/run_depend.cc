// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes whose tasks are ordered by every type of dependence, in every form that the compiler has
// for it.
#include <omp.h>

#include <cstring>

#include "accesses.h"
#include "children.h"
#include "fulfillers.h"
#include "run.h"

namespace stress {

namespace {

void depend_task(Value& sum, Value* cells, Key node, int i, int budget, Context below) {
  jitter(child_key(node, i));
  Value own = run(child_key(node, i), budget, below);
  atomic_add(sum, apply(own, accesses_of(node, i), cells, atomic_add));
}

/// The drawn accesses sorted by clause, as addresses.
struct Clauses {
  int count[5] = {};
  Value* address[5][3];
  Clauses(const Accesses& accesses, Value* cells) {
    for (int i = 0; i < accesses.count; ++i) {
      int type = accesses.list[i].type;
      address[type][count[type]++] = &cells[accesses.list[i].cell];
    }
  }
  int operator[](Access::Type type) const { return count[type]; }
};

#ifdef __clang__
omp_depend_t inoutset(Value* address) {
  omp_depend_t object = nullptr; // clang warns otherwise
#pragma omp depobj(object) depend(inoutset : *address)
  return object;
}
void forget(omp_depend_t& object) {
#pragma omp depobj(object) destroy
}
#else
/// The two words of a depend object; GCC 12 has no syntax for inoutset yet.
omp_depend_t inoutset(Value* address) {
  void* words[2] = {address, reinterpret_cast<void*>(5)};
  omp_depend_t object;
  static_assert(sizeof words == sizeof object);
  memcpy(&object, words, sizeof words);
  return object;
}
void forget(omp_depend_t&) {} // it has nothing but its words
#endif

void create_depend_task(Value& sum, Value* cells, Key node, int i, int budget, Context below) {
  Accesses accesses = accesses_of(node, i);
  Clauses c(accesses, cells);
  Key key = child_key(node ^ 0x3333, i);
  bool deferred = draw(key, 1, 10) != 0;
  bool simple = accesses.count == 1;
  if (simple && c[Access::kIn]) {
    [[maybe_unused]] Value& cell = *c.address[Access::kIn][0];
#pragma omp task depend(in : cell) shared(sum) if (deferred)
    depend_task(sum, cells, node, i, budget, below);
  } else if (simple && c[Access::kOut]) {
    [[maybe_unused]] Value& cell = *c.address[Access::kOut][0];
#pragma omp task depend(out : cell) shared(sum) if (deferred) priority(i)
    depend_task(sum, cells, node, i, budget, below);
  } else if (simple && c[Access::kInout] && draw(key, 2, 2)) {
    [[maybe_unused]] Value& cell = *c.address[Access::kInout][0];
    omp_depend_t object;
#pragma omp depobj(object) depend(in : cell)
#pragma omp depobj(object) update(inout)
#pragma omp task depend(depobj : object) shared(sum) if (deferred)
    depend_task(sum, cells, node, i, budget, below);
#pragma omp depobj(object) destroy
  } else if (simple && c[Access::kInout] && !below.discarded && !below.final) {
    // The task is finished, and its successors may go, when a thread outside has fulfilled the
    // event.
    [[maybe_unused]] Value& cell = *c.address[Access::kInout][0];
    omp_event_handle_t event;
#pragma omp task depend(inout : cell) detach(event) shared(sum)
    {
      depend_task(sum, cells, node, i, budget, below);
      if (draw(key, 3, 4))
        fulfillers.give(event);
      else
        omp_fulfill_event(event);
    }
  } else {
    static Value nobody; // a set of its own, which orders nothing
    Value** set = c.address[Access::kSet];
    for (int k = c[Access::kSet]; k < 3; ++k)
      set[k] = &nobody;
    omp_depend_t set0 = inoutset(set[0]), set1 = inoutset(set[1]), set2 = inoutset(set[2]);
    Value **in = c.address[Access::kIn], **out = c.address[Access::kOut],
          **inout = c.address[Access::kInout], **exclusive = c.address[Access::kMutex];
#pragma omp task depend(iterator(int k = 0 : c[Access::kIn]), in : *in[k])                         \
    depend(iterator(int k = 0 : c[Access::kOut]), out : *out[k])                                   \
    depend(iterator(int k = 0 : c[Access::kInout]), inout : *inout[k])                             \
    depend(iterator(int k = 0 : c[Access::kMutex]), mutexinoutset : *exclusive[k])                 \
    depend(depobj : set0, set1, set2) shared(sum) if (deferred)
    depend_task(sum, cells, node, i, budget, below);
    for (omp_depend_t* set : {&set0, &set1, &set2})
      forget(*set);
  }
}

void wait_and_read(Value& sum, Value* cell) {
#pragma omp taskwait depend(in : *cell)
  atomic_add(sum, mix(*cell));
}

void create_depend_tasks(Value& sum, Value* cells, Key key, const Shape& shape, Context below) {
  for (int i = 0; i < shape.children; ++i) {
    int cell;
    if (reads_between(key, i, cell))
      wait_and_read(sum, &cells[cell]);
    create_depend_task(sum, cells, key, i, shape.budget, below);
  }
}

} // namespace

Value run_depend(Key key, const Shape& shape, Context below) {
  Value cells[kMaxCells] = {}, sum = 0;
  if (draw(key, 50, 2)) {
    create_depend_tasks(sum, cells, key, shape, below);
#pragma omp taskwait
  } else {
#pragma omp taskgroup
    create_depend_tasks(sum, cells, key, shape, below);
  }
  Value total = sum;
  for (Value cell : cells)
    total += cell;
  return total;
}

} // namespace stress

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random task graph from a seed, run as an OpenMP program and checked against its serial
// evaluation.
//   stress [--seconds S] [--rounds R] [--seed X] [--threads N] [--size B] [--pthreads P]
// Each round is one graph. --threads 0 draws 1 to 64 for each round. P threads of the program's own
// run rounds side by side. Returns 1 and prints the seed of the round when a value is wrong.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using Value = uint64_t;
using Key = uint64_t;

Value mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}
Key child_key(Key key, int i) { return mix(key * 31 + static_cast<Key>(i) + 1); }
/// A number below `bound` that depends on the key and on what it is for.
int draw(Key key, int purpose, int bound) {
  return static_cast<int>(mix(key ^ (static_cast<Key>(purpose) << 56)) %
                          static_cast<unsigned>(bound));
}

// ---- the graph: everything below this line up to `serial` is a function of the key alone ----

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
bool drawn_final(Key child) { return draw(child, 30, 40) == 0; }

struct Shape {
  Kind kind;
  int children;
  int budget; ///< of each child
};

Shape shape_of(Key key, int budget, const Context& context) {
  // The second number is how often of about 100.
  static constexpr int kOften[kKinds] = {26, 10, 10, 16, 10, 6, 5, 3, 3, 3, 4, 2, 1, 1};
  int ticket = draw(key, 1, 100), kind = 0;
  while (ticket >= kOften[kind])
    ticket -= kOften[kind++];
  bool regions =
      kind == kParallel || kind == kWorkshare || kind == kCancelParallel || kind == kCancelLoop;
  if (regions && context.nest >= kMaxNest)
    kind = kTaskwait;
  // Nobody could fulfill the event of an undeferred task, or of one that is never run.
  if (kind == kDetach && (context.discarded || context.final))
    kind = kTaskgroup;
  if (kind == kLocked && context.first_lock >= kLocks)
    kind = kTaskwait;
  int children = 1 + draw(key, 2, 8);
  if (draw(key, 3, 20) == 0)
    children += draw(key, 4, 200); // floods the queues
  if (regions)
    children = 2 + draw(key, 2, 3);
  children = std::max(1, std::min(children, budget - 1));
  return {static_cast<Kind>(kind), children, (budget - 1) / children};
}

Value leaf(Key key) {
  Value value = key;
  for (int i = draw(key, 5, 64); i >= 0; --i)
    value = mix(value);
  return value;
}

/// One task of a kDepend node.
struct Access {
  enum Type { kIn, kOut, kInout, kMutex, kSet };
  int cell;
  Type type;
};
constexpr int kMaxCells = 6;
struct Accesses {
  int count = 0;
  Access list[3];
};
int cells_of(Key key) { return 2 + draw(key, 6, kMaxCells - 1); }
Accesses accesses_of(Key node, int i) {
  Key key = child_key(node ^ 0x5555, i);
  int cells = cells_of(node);
  Accesses accesses;
  int wanted = std::min(1 + draw(key, 7, 3), cells);
  int cell = draw(key, 8, cells);
  for (; accesses.count < wanted; cell = (cell + 1) % cells)
    accesses.list[accesses.count++] = {cell,
                                       static_cast<Access::Type>(draw(key, 9 + accesses.count, 5))};
  return accesses;
}
/// What a task with these accesses does to the cells. `add` is an atomic or a plain addition.
template <class Add> Value apply(Value own, const Accesses& accesses, Value* cells, Add add) {
  Value result = own;
  for (int i = 0; i < accesses.count; ++i) {
    Access::Type type = accesses.list[i].type;
    if (type == Access::kIn || type == Access::kInout)
      result += cells[accesses.list[i].cell];
  }
  result = mix(result);
  for (int i = 0; i < accesses.count; ++i) {
    Value& cell = cells[accesses.list[i].cell];
    switch (accesses.list[i].type) {
    case Access::kIn:
      break;
    case Access::kOut:
      cell = mix(result);
      break;
    case Access::kInout:
      cell = mix(cell + result);
      break;
    case Access::kMutex:
      cell += result;
      break; // plain: exclusion is the runtime's part
    case Access::kSet:
      add(cell, result);
      break;
    }
  }
  return result;
}
/// Before child i the parent waits for one cell and reads it.
bool reads_between(Key node, int i, int& cell) {
  Key key = child_key(node ^ 0x7777, i);
  cell = draw(key, 1, cells_of(node));
  return draw(key, 2, 12) == 0;
}

Context inside(const Shape& shape, Key key, Context context) {
  switch (shape.kind) {
  case kLocked:
    context.first_lock += 1 + draw(key, 12, kLocks - context.first_lock);
    break;
  case kParallel:
  case kWorkshare:
    ++context.nest;
    break;
  case kCancelGroup:
    context.discarded = true;
    break;
  case kCancelParallel:
  case kCancelLoop:
    ++context.nest;
    context.discarded = true;
    break;
  default:
    break;
  }
  return context;
}

Value serial(Key key, int budget, Context context) {
  if (budget <= 1)
    return leaf(key);
  context.final |= drawn_final(key);
  Shape shape = shape_of(key, budget, context);
  Context below = inside(shape, key, context);
  Value sum = 0;
  if (shape.kind == kCancelGroup || shape.kind == kCancelParallel || shape.kind == kCancelLoop) {
    // Whether a cancelled task runs is open, so its value does not count.
  } else if (shape.kind == kDepend) {
    Value cells[kMaxCells] = {};
    for (int i = 0; i < shape.children; ++i) {
      int cell;
      if (reads_between(key, i, cell))
        sum += mix(cells[cell]);
      Value own = serial(child_key(key, i), shape.budget, below);
      sum += apply(own, accesses_of(key, i), cells, [](Value& to, Value what) { to += what; });
    }
    for (Value cell : cells)
      sum += cell;
  } else {
    for (int i = 0; i < shape.children; ++i)
      sum += serial(child_key(key, i), shape.budget, below);
  }
  return mix(key + sum);
}

// ---- the same as an OpenMP program ----

std::atomic<bool> failed{false};
void fail(const char* what) {
  if (!failed.exchange(true))
    fprintf(stderr, "stress: %s\n", what);
}

/// Class type: its firstprivate copies need the compiler's copy function and destructor calls.
std::atomic<long> tokens_alive{0};
struct Token {
  Key key;
  const Token* self;
  explicit Token(Key key) : key(key), self(this) {
    tokens_alive.fetch_add(1, std::memory_order_relaxed);
  }
  Token(const Token& other) : key(other.key), self(this) {
    tokens_alive.fetch_add(1, std::memory_order_relaxed);
  }
  Token& operator=(const Token&) = delete;
  ~Token() { tokens_alive.fetch_sub(1, std::memory_order_relaxed); }
  void check(Key expected) const {
    if (key != expected || self != this)
      fail("a firstprivate object is not a copy");
  }
};
struct Large {
  unsigned char bytes[4000];
};
struct alignas(256) Aligned {
  Key key;
};

omp_lock_t locks[4];
omp_nest_lock_t nest_lock;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Threads outside OpenMP that fulfill events.
class Fulfillers {
public:
  void start(int count) {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([this] { serve(); });
  }
  void stop() {
    {
      std::lock_guard<std::mutex> guard(lock);
      stopping = true;
    }
    more.notify_all();
    for (auto& thread : threads)
      thread.join();
  }
  void give(omp_event_handle_t event) {
    std::lock_guard<std::mutex> guard(lock);
    events.push_back(event);
    more.notify_one();
  }

private:
  void serve() {
    std::unique_lock<std::mutex> guard(lock);
    for (;;) {
      more.wait(guard, [this] { return stopping || !events.empty(); });
      if (events.empty())
        return;
      // Not in order, so that a later event may be fulfilled before an earlier one.
      size_t which = ++turns % events.size();
      omp_event_handle_t event = events[which];
      events[which] = events.back();
      events.pop_back();
      guard.unlock();
      omp_fulfill_event(event);
      guard.lock();
    }
  }
  std::mutex lock;
  std::condition_variable more;
  std::vector<omp_event_handle_t> events;
  std::vector<std::thread> threads;
  size_t turns = 0;
  bool stopping = false;
} fulfillers;

Value run(Key key, int budget, Context context);

/// Shakes the timing, now and then.
void jitter(Key key) {
  switch (draw(key, 20, 400)) {
  case 0:
    sched_yield();
    break;
  case 1:
    usleep(static_cast<useconds_t>(draw(key, 21, 200)));
    break;
  case 2:
    break;
  default:
    return;
  }
#pragma omp taskyield
}

void atomic_add(Value& to, Value what) { __atomic_fetch_add(&to, what, __ATOMIC_RELAXED); }

void task_child(Value& out, Key key, int budget, Context context) {
  jitter(key);
  out = run(key, budget, context);
}

/// Creates one task, with clauses drawn from its key, that stores the child's value.
void create_child(Value& out, Key key, int budget, Context context) {
  if (drawn_final(key)) {
#pragma omp task final(1) shared(out)
    task_child(out, key, budget, context);
    return;
  }
  switch (draw(key, 31, 14)) {
  case 0:
#pragma omp task untied shared(out)
    task_child(out, key, budget, context);
    break;
  case 1:
#pragma omp task mergeable shared(out)
    task_child(out, key, budget, context);
    break;
  case 2:
#pragma omp task if (0) shared(out)
    task_child(out, key, budget, context);
    break;
  case 3:
  case 4: {
    int priority = draw(key, 32, 10);
#pragma omp task priority(priority) shared(out)
    task_child(out, key, budget, context);
    break;
  }
  case 5: {
    if (context.discarded) { // a discarded task never destroys its copy
#pragma omp task shared(out)
      task_child(out, key, budget, context);
      break;
    }
    Token token(key);
#pragma omp task firstprivate(token) shared(out)
    {
      token.check(key);
      task_child(out, key, budget, context);
      token.check(key);
    }
    break;
  }
  case 6: {
    Large large;
    memset(large.bytes, static_cast<int>(key & 0xff), sizeof large.bytes);
#pragma omp task firstprivate(large) shared(out)
    {
      task_child(out, key, budget, context);
      for (unsigned char byte : large.bytes)
        if (byte != (key & 0xff))
          fail("a large firstprivate array was damaged");
    }
    break;
  }
  case 7: {
    Aligned aligned{key};
#pragma omp task firstprivate(aligned) shared(out)
    {
      if (reinterpret_cast<uintptr_t>(&aligned) % alignof(Aligned) || aligned.key != key)
        fail("an aligned firstprivate object is not where it should be");
      task_child(out, key, budget, context);
    }
    break;
  }
  default:
#pragma omp task shared(out)
    task_child(out, key, budget, context);
  }
}

Value sum_of(const std::vector<Value>& values) {
  Value sum = 0;
  for (Value value : values)
    sum += value;
  return sum;
}

Value run_taskwait(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i)
    create_child(values[i], child_key(key, i), shape.budget, below);
#pragma omp taskwait
  return sum_of(values);
}

Value run_taskgroup(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
#pragma omp taskgroup
  for (int i = 0; i < shape.children; ++i)
    create_child(values[i], child_key(key, i), shape.budget, below);
  return sum_of(values);
}

/// Hands children [from, past) to tasks that split the range and do not wait.
void spread(Value& total, Key key, int from, int past, int budget, Context below) {
  if (past - from == 1) {
    Value value = run(child_key(key, from), budget, below);
    atomic_add(total, value);
    return;
  }
  int middle = (from + past) / 2;
#pragma omp task shared(total)
  spread(total, key, from, middle, budget, below);
  if (draw(key, from + 40, 4) == 0) {
#pragma omp task if (0) shared(total)
    spread(total, key, middle, past, budget, below);
  } else {
#pragma omp task shared(total)
    spread(total, key, middle, past, budget, below);
  }
}

Value run_async(Key key, const Shape& shape, Context below) {
  Value total = 0;
#pragma omp taskgroup
  spread(total, key, 0, shape.children, shape.budget, below);
  return __atomic_load_n(&total, __ATOMIC_RELAXED);
}

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

/// The two words of a depend object; GCC 12 has no syntax for inoutset yet.
omp_depend_t inoutset(Value* address) {
  void* words[2] = {address, reinterpret_cast<void*>(5)};
  omp_depend_t object;
  static_assert(sizeof words == sizeof object);
  memcpy(&object, words, sizeof words);
  return object;
}

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

void acquire(int lock) {
  if (lock < 4)
    omp_set_lock(&locks[lock]);
  else if (lock == 4)
    omp_set_nest_lock(&nest_lock);
  else
    pthread_mutex_lock(&mutex);
}
void release(int lock) {
  if (lock < 4)
    omp_unset_lock(&locks[lock]);
  else if (lock == 4)
    omp_unset_nest_lock(&nest_lock);
  else
    pthread_mutex_unlock(&mutex);
}
int holders[kLocks]; // plain: exclusion is what is tested
void hold(int lock, int by) {
  holders[lock] += by;
  if (holders[lock] != (by > 0))
    fail("two tasks hold the same lock");
}

Value run_locked(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int lock = below.first_lock - 1;
  auto with_tasks = [&] {
    hold(lock, 1);
    sum = draw(key, 51, 2) ? run_taskwait(key, shape, below) : run_taskgroup(key, shape, below);
    hold(lock, -1);
  };
  if (lock == kLocks - 1) {
#pragma omp critical(stress_innermost)
    with_tasks();
  } else {
    acquire(lock);
    with_tasks();
    release(lock);
  }
  return sum;
}

Value run_taskloop(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int n = shape.children, grain = 1 + draw(key, 52, 5);
  switch (draw(key, 53, 4)) {
  case 0:
#pragma omp taskloop reduction(+ : sum) grainsize(grain)
    for (int i = 0; i < n; ++i)
      sum += run(child_key(key, i), shape.budget, below);
    break;
  case 1:
#pragma omp taskloop reduction(+ : sum) num_tasks(grain)
    for (int i = 0; i < n; ++i)
      sum += run(child_key(key, i), shape.budget, below);
    break;
  case 2:
#pragma omp taskloop shared(sum) grainsize(grain) untied
    for (int i = 0; i < n; ++i)
      atomic_add(sum, run(child_key(key, i), shape.budget, below));
    break;
  default:
#pragma omp taskgroup
#pragma omp taskloop shared(sum) nogroup if (grain != 1)
    for (unsigned long i = 0; i < static_cast<unsigned long>(n); ++i)
      atomic_add(sum, run(child_key(key, static_cast<int>(i)), shape.budget, below));
  }
  return sum;
}

Value run_task_reduction(Key key, const Shape& shape, Context below) {
  Value sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < shape.children; ++i) {
#pragma omp task in_reduction(+ : sum)
    {
      sum += run(child_key(key, i), shape.budget, below);
    }
  }
  return sum;
}

Value run_parallel(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  int n = shape.children;
  Value by_reduction = 0;
  switch (draw(key, 54, 3)) {
  case 0: // each thread a share, with tasks left to the barrier at the end
#pragma omp parallel num_threads(n)
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i)
      create_child(values[i], child_key(key, i), shape.budget, below);
    break;
  case 1:
#pragma omp parallel num_threads(n)
  {
#pragma omp single nowait
    for (int i = 0; i < n; ++i)
      create_child(values[i], child_key(key, i), shape.budget, below);
#pragma omp barrier
    if (values[n - 1] == 0)
      fail("a barrier ended before the tasks");
#pragma omp masked
    values[0] += 0;
  } break;
  default:
#pragma omp parallel num_threads(n) reduction(task, + : by_reduction)
#pragma omp single
    for (int i = 0; i < n; ++i) {
#pragma omp task in_reduction(+ : by_reduction)
      by_reduction += run(child_key(key, i), shape.budget, below);
    }
  }
  return sum_of(values) + by_reduction;
}

Value run_workshare(Key key, const Shape& shape, Context below) {
  Value sum = 0;
  int n = shape.children, in_order = 0;
#pragma omp parallel num_threads(2 + draw(key, 55, 2)) reduction(+ : sum)
  {
    switch (draw(key, 56, 4)) {
    case 0:
#pragma omp for schedule(guided)
      for (int i = 0; i < n; ++i)
        sum += run(child_key(key, i), shape.budget, below);
      break;
    case 1:
#pragma omp for ordered schedule(static, 1)
      for (int i = 0; i < n; ++i) {
        sum += run(child_key(key, i), shape.budget, below);
#pragma omp ordered
        if (in_order++ != i)
          fail("an ordered region ran out of order");
      }
      break;
    case 2: {
      int first = n / 2;
#pragma omp sections
      {
#pragma omp section
        for (int i = 0; i < first; ++i)
          sum += run(child_key(key, i), shape.budget, below);
#pragma omp section
        for (int i = first; i < n; ++i)
          sum += run(child_key(key, i), shape.budget, below);
      }
      break;
    }
    default: {
      Value given = 0;
#pragma omp single copyprivate(given)
      given = key;
      if (given != key)
        fail("copyprivate did not arrive");
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < n; ++i)
        sum += run(child_key(given, i), shape.budget, below);
    }
    }
  }
  return sum;
}

Value run_throw(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i) {
    Value& out = values[i];
#pragma omp task shared(out)
    try {
      Value value = run(child_key(key, i), shape.budget, below);
      throw value;
    } catch (Value value) {
      out = value;
    }
  }
#pragma omp taskwait
  return sum_of(values);
}

Value run_detach(Key key, const Shape& shape, Context below) {
  std::vector<Value> values(shape.children);
  for (int i = 0; i < shape.children; ++i) {
    Value& out = values[i];
    Key its_key = child_key(key, i);
    omp_event_handle_t event;
    int way = draw(its_key, 57, 4);
#pragma omp task detach(event) shared(out)
    {
      out = run(its_key, shape.budget, below);
      if (way == 0)
        omp_fulfill_event(event);
      if (way == 1)
        fulfillers.give(event);
    }
    if (way == 2)
      fulfillers.give(event); // perhaps before the task has begun
    if (way == 3) {
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
    }
  }
#pragma omp taskwait
  return sum_of(values);
}

/// How often each of a construct's tasks ran; all must be over when the construct is.
struct Runs {
  std::vector<std::atomic<int>> counts;
  std::atomic<int> running{0};
  explicit Runs(int n) : counts(static_cast<size_t>(n)) {}
  void enter(int i) {
    running.fetch_add(1);
    if (counts[static_cast<size_t>(i)].fetch_add(1) != 0)
      fail("a task ran twice");
  }
  void leave() { running.fetch_sub(1); }
  void check() {
    if (running.load() != 0)
      fail("a cancelled construct ended before a task that had begun");
  }
};

void run_cancel_group(Key key, const Shape& shape, Context below) {
  Runs runs(shape.children);
#pragma omp taskgroup
  for (int i = 0; i < shape.children; ++i) {
#pragma omp task shared(runs)
    {
      runs.enter(i);
      run(child_key(key, i), shape.budget, below);
      runs.leave();
      if (draw(key, i + 58, 3) == 0) {
#pragma omp cancel taskgroup
      }
#pragma omp cancellation point taskgroup
    }
  }
  runs.check();
}

void run_cancel_parallel(Key key, Shape shape, Context below) {
  Runs runs(shape.children * 4);
#pragma omp parallel num_threads(shape.children)
  {
    int me = omp_get_thread_num();
    for (int i = 0; i < 4; ++i) {
#pragma omp task shared(runs)
      {
        runs.enter(me * 4 + i);
        run(child_key(key, i), shape.budget, below);
        runs.leave();
      }
    }
    if (draw(key, me + 59, 2)) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp cancellation point parallel
  }
  runs.check();
}

void run_cancel_loop(Key key, const Shape& shape, Context below) {
  int n = shape.children * 4;
  Runs runs(n);
#pragma omp parallel num_threads(shape.children)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
      runs.enter(i);
      run(child_key(key, i), shape.budget / 4, below);
      runs.leave();
      if (draw(key, i + 60, 4) == 0) {
#pragma omp cancel for
      }
    }
    runs.check();
  }
}

Value run(Key key, int budget, Context context) {
  if (budget <= 1)
    return leaf(key);
  context.final |= drawn_final(key);
  Shape shape = shape_of(key, budget, context);
  Context below = inside(shape, key, context);
  Value sum = 0;
  switch (shape.kind) {
  case kTaskgroup:
    sum = run_taskgroup(key, shape, below);
    break;
  case kAsync:
    sum = run_async(key, shape, below);
    break;
  case kDepend:
    sum = run_depend(key, shape, below);
    break;
  case kLocked:
    sum = run_locked(key, shape, below);
    break;
  case kTaskloop:
    sum = run_taskloop(key, shape, below);
    break;
  case kTaskReduction:
    sum = run_task_reduction(key, shape, below);
    break;
  case kParallel:
    sum = run_parallel(key, shape, below);
    break;
  case kWorkshare:
    sum = run_workshare(key, shape, below);
    break;
  case kThrow:
    sum = run_throw(key, shape, below);
    break;
  case kDetach:
    sum = run_detach(key, shape, below);
    break;
  case kCancelGroup:
    run_cancel_group(key, shape, below);
    break;
  case kCancelParallel:
    run_cancel_parallel(key, shape, below);
    break;
  case kCancelLoop:
    run_cancel_loop(key, shape, below);
    break;
  default:
    sum = run_taskwait(key, shape, below);
  }
  return mix(key + sum);
}

// ---- rounds ----

struct Options {
  double seconds = 5;
  long rounds = -1;
  uint64_t seed = 1;
  int threads = 4;
  int size = 1500;
  int pthreads = 1;
  bool verbose = false;
};

Value run_region(Key key, int threads, int size) {
  Value value = 0;
  switch (draw(key, 61, 3)) {
  case 0:
#pragma omp parallel num_threads(threads)
#pragma omp single
    value = run(key, size, Context{});
    break;
  case 1: // the root is itself a task; the region's end is all that waits for it
#pragma omp parallel num_threads(threads)
#pragma omp masked
#pragma omp task shared(value)
    value = run(key, size, Context{});
    break;
  default: // two copies by different threads, and a barrier between that must not lose any task
    Value copies[2] = {};
    Context without_locks;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 1) nowait
      for (int i = 0; i < 2; ++i) {
#pragma omp task shared(copies)
        copies[i] = run(key, size, without_locks);
      }
#pragma omp barrier
      if (copies[0] == 0 || copies[0] != copies[1])
        fail("a barrier ended before the tasks, or their values differ");
    }
    value = copies[0];
  }
  return value;
}

bool one_round(uint64_t seed, const Options& options) {
  Key key = mix(seed);
  int threads = options.threads ? options.threads : 1 + draw(key, 62, 64);
  int size = 1 + draw(key, 63, options.size);
  Value expected = serial(key, size, Context{});
  Value value = draw(key, 64, 8) ? run_region(key, threads, size) : run(key, size, Context{});
  if (value != expected)
    fail("the value is wrong");
  if (!failed.load())
    return true;
  fprintf(stderr,
          "stress: FAILED --seed %" PRIu64 " --rounds 1 --threads %d --size %d (value %016" PRIx64
          ", expected %016" PRIx64 ")\n",
          seed, threads, options.size, value, expected);
  return false;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* name = argv[i];
    const char* value = argv[i + 1];
    if (!strcmp(name, "--seconds"))
      options.seconds = atof(value);
    else if (!strcmp(name, "--rounds"))
      options.rounds = atol(value);
    else if (!strcmp(name, "--seed"))
      options.seed = strtoull(value, nullptr, 10);
    else if (!strcmp(name, "--threads"))
      options.threads = atoi(value);
    else if (!strcmp(name, "--size"))
      options.size = atoi(value);
    else if (!strcmp(name, "--pthreads"))
      options.pthreads = atoi(value);
    else if (!strcmp(name, "--verbose"))
      options.verbose = atoi(value) != 0;
    else {
      fprintf(stderr, "stress: unknown option %s\n", name);
      exit(2);
    }
  }
  return options;
}

} // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  for (auto& lock : locks)
    omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  omp_set_max_active_levels(1 + kMaxNest);
  fulfillers.start(2);
  auto begin = std::chrono::steady_clock::now();
  std::atomic<uint64_t> next{options.seed};
  auto serve = [&] {
    while (!failed.load()) {
      uint64_t seed = next.fetch_add(1);
      if (options.rounds >= 0 ? seed >= options.seed + static_cast<uint64_t>(options.rounds)
                              : std::chrono::steady_clock::now() - begin >
                                    std::chrono::duration<double>(options.seconds))
        break;
      if (options.verbose)
        fprintf(stderr, "stress: seed %" PRIu64 "\n", seed);
      one_round(seed, options);
    }
  };
  if (options.pthreads > 1) {
    std::vector<std::thread> threads;
    for (int i = 0; i < options.pthreads; ++i)
      threads.emplace_back(serve);
    for (auto& thread : threads)
      thread.join();
  } else {
    serve();
  }
  fulfillers.stop();
  if (!failed.load() && tokens_alive.load() != 0)
    fail("firstprivate objects were not destroyed");
  for (auto& lock : locks)
    omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest_lock);
  if (failed.load())
    return 1;
  printf("stress: %" PRIu64 " rounds\n", next.load() - options.seed);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with every clause that does not change their value, and firstprivate data that the runtime
// must copy, align and hand over whole.
#include "children.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "failure.h"
#include "run.h"

namespace stress {

namespace {

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

void task_child(Value& out, Key key, int budget, Context context) {
  jitter(key);
  out = run(key, budget, context);
}

} // namespace

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

long tokens_left() { return tokens_alive.load(); }

} // namespace stress

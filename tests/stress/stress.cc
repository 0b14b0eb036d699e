// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random task graph from a seed, run as an OpenMP program and checked against its serial
// evaluation.
//   stress [--seconds S] [--rounds R] [--seed X] [--threads N] [--size B] [--pthreads P]
//          [--only NAMES | --without NAMES] [--cycle C] [--beat S] [--list]
// Each round is one graph, or a scene that is none. --threads 0 draws 1 to 64 for each round. P
// threads of the program's own run rounds side by side. --list shows the names of what may be left
// out. Returns 1 and prints the seed of the round when something is wrong.
#include <malloc.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <thread>
#include <vector>

#include "children.h"
#include "failure.h"
#include "fulfillers.h"
#include "kinds.h"
#include "options.h"
#include "run.h"
#include "scenes.h"
#include "serial.h"

namespace stress {
namespace {

Value run_region(Key key, int threads, int size) {
  Value value = 0;
  switch (draw(key, 61, 4)) {
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
  case 2: { // a wide region, a serial one, and one of another width
    Value copies[3] = {};
    int widths[3] = {threads, 1, 1 + draw(key, 65, threads)};
    for (int i = 0; i < 3; ++i) {
#pragma omp parallel num_threads(widths[i]) if (i != 1 || draw(key, 66, 2))
#pragma omp single
      copies[i] = run(key, size, Context{});
    }
    if (copies[0] != copies[1] || copies[0] != copies[2])
      fail("regions of different widths computed different values");
    value = copies[0];
  } break;
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

void compare(Key key, int threads, int size) {
  Value expected = serial(key, size, Context{});
  Value value = draw(key, 64, 8) ? run_region(key, threads, size) : run(key, size, Context{});
  if (value != expected)
    fail("the value is wrong");
}

void one_round(uint64_t seed, const Options& options) {
  Key key = mix(seed);
  int threads = options.threads ? options.threads : 1 + draw(key, 62, 64);
  switch (draw_scene(key, 67)) {
  case kPollers:
    play_pollers(key, threads);
    break;
  case kGuests:
    play_guests(key, threads);
    break;
  case kForks:
    play_forks(key, threads);
    break;
  default:
    compare(key, threads, 1 + draw(key, 63, options.size));
  }
  if (has_failed())
    fprintf(stderr, "stress: FAILED --seed %" PRIu64 " --rounds 1 --threads %d --size %d\n", seed,
            threads, options.size);
}

/// Rounds of consecutive seeds, by any number of threads, until the options or a failure end them.
class Rounds {
public:
  explicit Rounds(const Options& options) : options(options), next(options.seed) {}
  void serve() {
    while (!has_failed()) {
      uint64_t seed = next.fetch_add(1);
      if (over(seed))
        break;
      if (options.verbose)
        fprintf(stderr, "stress: seed %" PRIu64 "\n", seed);
      one_round(options.cycle ? options.seed + (seed - options.seed) % options.cycle : seed,
                options);
      tell();
    }
  }
  uint64_t begun() const { return next.load() - options.seed; }

private:
  /// One line in a while, by whoever comes first. None: no round ends.
  void tell() {
    if (options.beat <= 0)
      return;
    uint64_t count = ended.fetch_add(1) + 1;
    double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    double last = told.load();
    if (now - last >= options.beat && told.compare_exchange_strong(last, now)) {
      struct mallinfo2 memory = mallinfo2();
      printf("stress: %" PRIu64 " rounds, %zu KB in use\n", count,
             (memory.uordblks + memory.hblkhd) / 1024);
      fflush(stdout);
    }
  }
  bool over(uint64_t seed) const {
    if (options.rounds >= 0)
      return seed >= options.seed + static_cast<uint64_t>(options.rounds);
    return std::chrono::steady_clock::now() - begin >
           std::chrono::duration<double>(options.seconds);
  }
  const Options& options;
  std::atomic<uint64_t> next;
  std::atomic<uint64_t> ended{0};
  std::atomic<double> told{0};
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

void serve_on_threads(Rounds& rounds, int count) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&] { rounds.serve(); });
  for (auto& thread : threads)
    thread.join();
}

int run_rounds(const Options& options) {
  init_locks();
  omp_set_max_active_levels(1 + kMaxNest);
  fulfillers.start(2);
  start_forking();
  Rounds rounds(options);
  if (options.pthreads > 1)
    serve_on_threads(rounds, options.pthreads);
  else
    rounds.serve();
  stop_forking();
  fulfillers.stop();
  send_guests_home();
  if (!has_failed() && tokens_left() != 0)
    fail("firstprivate objects were not destroyed");
  destroy_locks();
  if (has_failed())
    return 1;
  printf("stress: %" PRIu64 " rounds\n", rounds.begun());
  return 0;
}

} // namespace
} // namespace stress

int main(int argc, char** argv) { return stress::run_rounds(stress::parse_options(argc, argv)); }

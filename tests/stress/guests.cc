// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of the program that come and go. What a guest leaves behind, an event that nobody has
// fulfilled, is fulfilled when its thread and perhaps its stack are gone.
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "failure.h"
#include "fulfillers.h"
#include "run.h"
#include "scenes.h"
#include "serial.h"

namespace stress {

namespace {

std::atomic<long> left_open{0}, bodies_run{0};

void leave_event_open(bool late) {
  omp_event_handle_t event;
  ++left_open;
#pragma omp task detach(event)
  {
    ++bodies_run;
    if (!late)
      fulfillers.give(event);
  }
  if (late)
    fulfillers.give_later(event);
}

void run_graph(Key key, int threads) {
  constexpr int kSize = 40;
  Value value = 0;
  int width = 1 + draw(key, 1, std::max(1, std::min(threads, 6)));
#pragma omp parallel num_threads(width)
#pragma omp single
  value = run(key, kSize, Context{});
  if (value != serial(key, kSize, Context{}))
    fail("the value of a guest's graph is wrong");
}

struct Guest {
  Key key;
  int threads;
  void visit() const {
    switch (draw(key, 2, 6)) {
    case 0:
      if (omp_get_num_threads() != 1)
        fail("a guest is not alone outside of regions");
      break;
    case 1:
      leave_event_open(false);
      break;
    case 2:
      for (int i = draw(key, 3, 4); i >= 0; --i)
        leave_event_open(true);
      break;
    case 3:
      run_graph(key, threads);
      leave_event_open(true);
      break;
    case 4:
      leave_event_open(true);
      run_graph(key, threads);
      break;
    default:
      run_graph(key, threads);
    }
  }
};

void* visit(void* guest) {
  static_cast<const Guest*>(guest)->visit();
  return nullptr;
}

} // namespace

void play_guests(Key key, int threads) {
  std::vector<Guest> guests(1 + draw(key, 4, 6));
  std::vector<pthread_t> ids(guests.size());
  for (size_t i = 0; i < guests.size(); ++i) {
    guests[i] = {child_key(key, static_cast<int>(i)), threads};
    if (pthread_create(&ids[i], nullptr, visit, &guests[i]) != 0)
      fail("a guest's thread could not be started");
    if (draw(guests[i].key, 5, 2))
      usleep(static_cast<useconds_t>(draw(guests[i].key, 6, 300)));
  }
  for (pthread_t id : ids)
    pthread_join(id, nullptr);
  fulfillers.give_delayed();
}

void send_guests_home() {
  if (!has_failed() && left_open.load() != bodies_run.load())
    fail("a guest's detachable task did not run");
}

} // namespace stress

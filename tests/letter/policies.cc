// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xomp's own policies on a clock that is not the machine's: the same tasks and the same steps as in
// tests/python/paper_letter.py, which has the papers' algorithms to the letter, so that the
// makespans of the two can be compared however busy the machine is. Workers are awake all the time,
// as the papers' are; tasks wait for nothing, and who created one does not take it back.
//   policies POLICY WORKERS DOMAINS SEEDS [VICTIMS STEAL INTERVAL] < TASKS
// Prints for each seed how long it took in units of work, and what the busiest worker did. TASKS:
// "(" begins a task, ")" ends it, a number is so many units of work. VICTIMS and STEAL are 0 for
// `auto`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "../unit/ports.h"
#include "conf/settings.h"

namespace xomp {
namespace {

// As in paper_letter.py.
constexpr long kTicksOfUnit = 10; ///< of the clock
constexpr int kActions = 64;      ///< of a worker that does not work, in a tick

constexpr int64_t kMicrosecondsOfUnit = 2000; ///< as policies measure it

struct Node;

/// Either work or a task that is created.
struct Action {
  long units = 0;
  std::unique_ptr<Node> created;
};

struct Node : DeferredTask {
  std::vector<Action> actions;
};

std::unique_ptr<Node> read_task() {
  auto task = std::make_unique<Node>();
  char word[32];
  while (std::scanf("%31s", word) == 1 && std::strcmp(word, ")") != 0) {
    Action action;
    if (std::strcmp(word, "(") == 0)
      action.created = read_task();
    else
      action.units = std::strtol(word, nullptr, 10);
    task->actions.push_back(std::move(action));
  }
  return task;
}

long total(const Node& task) {
  long sum = 0;
  for (const Action& action : task.actions)
    sum += action.created ? total(*action.created) : action.units;
  return sum;
}

struct Frame {
  Node* task;
  std::size_t step = 0;
};

struct Hand {
  std::vector<Frame> frames; ///< the innermost last
  long busy_until = 0;
  long units = 0; ///< that it has begun
};

class Clock {
public:
  Clock(SchedulerKind kind, int workers, int domains, unsigned seed)
      : ports(kind, workers, workers, domains), crew(static_cast<std::size_t>(workers)),
        order(static_cast<std::size_t>(workers)), drawn(seed) {
    std::iota(order.begin(), order.end(), 0);
  }

  /// Worker 0 runs `root`, the others look for tasks. Returns the makespan in ticks.
  long run(Node& root) {
    crew[0].frames.push_back(Frame{&root});
    long left = total(root), end = 0;
    for (long tick = 0; left > 0; ++tick) {
      std::shuffle(order.begin(), order.end(), drawn); // nobody is always the first
      for (int number : order) {
        if (crew[static_cast<std::size_t>(number)].busy_until <= tick)
          left -= step(number, tick);
      }
    }
    for (const Hand& each : crew)
      end = std::max(end, each.busy_until);
    return end;
  }
  long busiest() const { return std::max_element(crew.begin(), crew.end(), fewer_units)->units; }

private:
  static bool fewer_units(const Hand& one, const Hand& other) { return one.units < other.units; }

  /// As a creator does: false, the task is run on top of it.
  bool put(int number, Node& task) { return ports.opened(number) && ports.offer(number, task); }

  Node* find(int number) {
    auto* task = static_cast<Node*>(ports.take(number));
    Port& port = ports[number];
    if (!task && port.policy->found_nothing)
      port.policy->found_nothing(port, false);
    return task;
  }

  /// A tick of a worker that is not working. Returns the units that it begins.
  long step(int number, long tick) {
    Hand& worker = crew[static_cast<std::size_t>(number)];
    for (int i = 0; i < kActions; ++i) {
      if (worker.frames.empty()) {
        Node* task = find(number);
        if (!task)
          return 0;
        worker.frames.push_back(Frame{task});
      }
      Frame& frame = worker.frames.back();
      if (frame.step == frame.task->actions.size()) {
        worker.frames.pop_back();
        continue;
      }
      const Action& action = frame.task->actions[frame.step++];
      if (!action.created)
        return work(worker, number, action.units, tick);
      if (!put(number, *action.created))
        worker.frames.push_back(Frame{action.created.get()});
    }
    return 0;
  }

  long work(Hand& worker, int number, long units, long tick) {
    worker.busy_until = tick + units * kTicksOfUnit;
    worker.units += units;
    ports[number].ran_for = units * kMicrosecondsOfUnit * sys::kTicksOfMicrosecond;
    return units;
  }

  Ports ports;
  std::vector<Hand> crew;
  std::vector<int> order;
  std::mt19937 drawn;
};

int number_of(const char* text) { return static_cast<int>(std::strtol(text, nullptr, 10)); }

int measure(int count, char** words) {
  SchedulerKind kind = SchedulerKind::kAuto;
  if (count != 5 && count != 8)
    return 2;
  for (const auto& each : kSchedulerNames)
    kind = std::strcmp(each.name, words[1]) == 0 ? each.kind : kind;
  int workers = number_of(words[2]), domains = number_of(words[3]), seeds = number_of(words[4]);
  if (kind == SchedulerKind::kAuto || workers < 1)
    return 2;
  if (count == 8) {
    settings.victims = number_of(words[5]);
    settings.steal = number_of(words[6]);
    settings.interval = number_of(words[7]);
  }
  char begin[32];
  if (std::scanf("%31s", begin) != 1)
    return 2;
  std::unique_ptr<Node> root = read_task();
  for (int seed = 0; seed < seeds; ++seed) {
    Clock clock(kind, workers, domains, static_cast<unsigned>(seed));
    long ticks = clock.run(*root);
    std::printf("%.1f %ld\n", static_cast<double>(ticks) / kTicksOfUnit, clock.busiest());
  }
  return 0;
}

} // namespace
} // namespace xomp

int main(int count, char** words) {
  int status = xomp::measure(count, words);
  if (status != 0)
    std::fprintf(stderr, "policies: expected POLICY WORKERS DOMAINS SEEDS [VICTIMS STEAL "
                         "INTERVAL] and tasks\n");
  return status;
}

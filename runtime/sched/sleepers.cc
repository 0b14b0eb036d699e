// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sched/sleepers.h"

#include "sys/delay.h"

namespace xomp {

bool Sleepers::take_out(int id) {
  sys::delay();
  // Only one waker gets the bit. Acquire pairs with `add`: whoever has it sees that the bell is to
  // be rung. Without that the worker would sleep on, and in no set.
  return words[id / 64].fetch_and(~bit(id), std::memory_order_acquire) & bit(id);
}

template <class Found> void Sleepers::each(const Port& near, bool local, Found found) const {
  // A hint; `take_out` decides.
  visit_from(near.id / 64 * 64,
             [&](int id) { return (near.peers[id]->domain == near.domain) == local && found(id); });
}

int Sleepers::claim(const Port& near, bool local) {
  int claimed = -1;
  each(near, local, [&](int id) {
    if (!take_out(id))
      return false;
    claimed = id;
    return true;
  });
  return claimed;
}

int Sleepers::claim_drawn(const Port& near, bool local, uint32_t draw) {
  uint32_t seen = 0;
  each(near, local, [&](int) {
    ++seen;
    return false;
  });
  if (seen == 0)
    return -1;
  auto left = static_cast<uint32_t>((uint64_t{draw} * seen) >> 32);
  int drawn = -1;
  each(near, local, [&](int id) {
    drawn = id;
    return left-- == 0;
  });
  if (drawn >= 0 && take_out(drawn))
    return drawn;
  // Somebody else was faster: whoever is left.
  return claim(near, local);
}

int Sleepers::choose(const Port& near) {
  int id = claim(near, true);
  // In strict mode nobody else may come for it (paper 3, section 5.2).
  if (id < 0 && settings.locality != LocalityMode::kStrict)
    id = claim(near, false);
  return id;
}

bool Sleepers::any(const Port& near, bool local, bool remote) const {
  bool found = false;
  auto note = [&](int) { return found = true; };
  if (local)
    each(near, true, note);
  if (remote && !found)
    each(near, false, note);
  return found;
}

} // namespace xomp

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worksharing/doacross.h"

#include <algorithm>
#include <bit>

#include "events/events.h"
#include "sys/memory.h"
#include "task/activity.h"
#include "worksharing/active_members.h"

namespace xomp {

/// Followed in memory by `rank` shifts and then, on a line of its own, by the progress words:
/// `stride` bytes for each entry, either the iteration vector folded into one number plus one, or
/// each of its numbers plus one.
struct Doacross {
  unsigned rank = 0;
  bool folded = false;
  bool per_member =
      false;          ///< entries belong to members, else to pieces of `piece` outermost iterations
  uint64_t piece = 0; ///< 0 and per_member: static blocks
  uint64_t members = 0;
  uint64_t block = 0, larger = 0; ///< static blocks: iterations of each, how many have one more
  std::size_t stride = 0;
  char* progress = nullptr;

  uint8_t* shifts() { return reinterpret_cast<uint8_t*>(this + 1); }
};

namespace {

using Word = std::atomic<uint64_t>;

/// Bits for the values 0 .. count-1, at least one.
unsigned width_of(uint64_t count) { return std::bit_width(std::max<uint64_t>(count - 1, 1)); }

/// Sets the shifts so that vectors compare as their folded numbers do; false when 63 bits are too
/// few.
bool fold_shifts(uint8_t* shifts, unsigned rank, const uint64_t* counts) {
  unsigned total = 0;
  for (unsigned i = rank; i-- > 0;) {
    shifts[i] = static_cast<uint8_t>(total);
    total += width_of(counts[i]);
    if (total > 63)
      return false; // one is left for the "plus one"
  }
  return true;
}

uint64_t fold(Doacross& loop, const uint64_t* iteration) {
  uint64_t folded = 0;
  for (unsigned i = 0; i < loop.rank; ++i)
    folded |= iteration[i] << loop.shifts()[i];
  return folded;
}

uint64_t owner_of(const Doacross& loop, uint64_t outermost) {
  if (loop.piece)
    return outermost / loop.piece % loop.members;
  uint64_t boundary = loop.larger * (loop.block + 1);
  if (outermost < boundary)
    return outermost / (loop.block + 1);
  return (outermost - boundary) / loop.block + loop.larger;
}

uint64_t entry_of(const Doacross& loop, uint64_t outermost) {
  return loop.per_member ? owner_of(loop, outermost) : outermost / loop.piece;
}

Word* words_of(Doacross& loop, uint64_t entry) {
  return reinterpret_cast<Word*>(loop.progress + entry * loop.stride);
}

/// Last number first, so that a thread that reads from the first on never believes in too much.
void store_vector(Doacross& loop, Word* words, const uint64_t* iteration) {
  for (unsigned i = loop.rank; i-- > 0;)
    words[i].store(iteration[i] + 1, std::memory_order_release);
}

bool vector_reached(Doacross& loop, const Word* words, const uint64_t* iteration) {
  for (unsigned i = 0; i < loop.rank; ++i) {
    uint64_t done = words[i].load(std::memory_order_acquire);
    if (done != iteration[i] + 1)
      return done > iteration[i] + 1;
  }
  return true;
}

bool reached(Doacross& loop, Word* words, const uint64_t* iteration, uint64_t folded) {
  if (loop.folded)
    return words->load(std::memory_order_acquire) > folded;
  return vector_reached(loop, words, iteration);
}

uint64_t count_entries(const Doacross& loop, uint64_t trips) {
  return loop.per_member ? loop.members : (trips - 1) / loop.piece + 1;
}

void divide(Doacross& loop, const WorkShare& share) {
  loop.per_member = share.dispense == Dispense::kStatic;
  if (share.dispense == Dispense::kGuided)
    loop.piece = 1; // chunks cannot be told from an iteration
  else
    loop.piece = share.chunk;
  loop.block = share.trips / loop.members;
  loop.larger = share.trips % loop.members;
}

} // namespace

Doacross* make_doacross(const WorkShare& share, unsigned rank, const uint64_t* counts,
                        int members) {
  if (members == 1 || std::find(counts, counts + rank, 0) != counts + rank)
    return nullptr;
  Doacross plan;
  plan.rank = rank;
  plan.members = static_cast<uint64_t>(members);
  divide(plan, share);
  auto round = [](std::size_t bytes) { return sys::round_up(bytes, sys::kCacheLine); };
  plan.stride = round(rank * sizeof(Word));
  std::size_t head = round(sizeof(Doacross) + rank + sys::kCacheLine);
  // No more than the allocation can refuse.
  uint64_t entries =
      std::min(count_entries(plan, share.trips), (SIZE_MAX / 2 - head) / plan.stride);
  // Zeroed by the system, page by page as the loop gets there.
  auto* memory = static_cast<char*>(sys::allocate_zeroed(head + entries * plan.stride));
  auto* loop = ::new (memory) Doacross(plan);
  auto after = reinterpret_cast<uintptr_t>(loop->shifts() + rank);
  loop->progress = memory + (round(after) - reinterpret_cast<uintptr_t>(memory));
  loop->folded = fold_shifts(loop->shifts(), rank, counts);
  return loop;
}

void free_doacross(Doacross* doacross) { sys::release(doacross); }

unsigned doacross_rank(const Member& member) {
  return member.workshare && member.workshare->doacross ? member.workshare->doacross->rank : 0;
}

void doacross_post(Member& member, const uint64_t* iteration) {
  WorkShare& share = *member.workshare;
  Doacross& loop = *share.doacross;
  if (member.track) [[unlikely]]
    trace::doacross_traced(*member.track, ompt_dependence_type_source, iteration, loop.rank);
  uint64_t entry =
      loop.per_member ? static_cast<uint64_t>(member.id) : entry_of(loop, iteration[0]);
  Word* words = words_of(loop, entry);
  if (loop.folded)
    words->store(fold(loop, iteration) + 1, std::memory_order_release);
  else
    store_vector(loop, words, iteration);
  share.events.notify(sys::channel_of(entry));
}

void doacross_wait(Member& member, const uint64_t* iteration, const void* codeptr) {
  WorkShare& share = *member.workshare;
  Doacross& loop = *share.doacross;
  uint64_t entry = entry_of(loop, iteration[0]);
  Word* words = words_of(loop, entry);
  uint64_t folded = loop.folded ? fold(loop, iteration) : 0;
  if (member.track) [[unlikely]]
    trace::doacross_traced(*member.track, ompt_dependence_type_sink, iteration, loop.rank);
  if (reached(loop, words, iteration, folded))
    return;
  Activity here(member, ActivityKind::kDoacross);
  trace::Waiting traced(member.track, trace::Kind::kDoacross, codeptr);
  ActiveSpinPolicy spin_policy(member, share);
  share.events.await(
      [&] { return reached(loop, words, iteration, folded) || earlier_may_miss(member, share); },
      spin_policy, sys::channel_of(entry));
}

} // namespace xomp

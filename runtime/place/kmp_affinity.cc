// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "place/kmp_affinity.h"

#include <algorithm>
#include <cstring>

#include "sys/memory.h"
#include "sys/names.h"
#include "sys/scanner.h"

namespace xomp {
namespace {

using sys::Named;
using sys::Scanner;
using Type = KmpAffinity::Type;

constexpr int kLevels = 3; // socket, core, thread

constexpr Named<Type> kTypes[] = {
    {"none", Type::kNone},         {"disabled", Type::kNone},     {"compact", Type::kCompact},
    {"logical", Type::kCompact},   {"scatter", Type::kScatter},   {"physical", Type::kCompact},
    {"balanced", Type::kBalanced}, {"explicit", Type::kExplicit},
};
constexpr Named<PlaceLevel> kGranularities[] = {
    {"fine", PlaceLevel::kThreads},
    {"thread", PlaceLevel::kThreads},
    {"core", PlaceLevel::kCores},
    {"socket", PlaceLevel::kSockets},
    {"package", PlaceLevel::kSockets},
    {"node", PlaceLevel::kNumaDomains},
    {"numa", PlaceLevel::kNumaDomains},
    {"numa_domain", PlaceLevel::kNumaDomains},
    {"die", PlaceLevel::kDice},
    {"tile", PlaceLevel::kTiles},
    {"module", PlaceLevel::kModules},
    {"l1_cache", PlaceLevel::kL1Caches},
    {"l2_cache", PlaceLevel::kL2Caches},
    {"l3_cache", PlaceLevel::kL3Caches},
    {"ll_cache", PlaceLevel::kLastLevelCaches},
    {"core_type", PlaceLevel::kCoreTypes},
    {"core_eff", PlaceLevel::kCoreTypes},
    {"core_efficiency", PlaceLevel::kCoreTypes},
    {"group", PlaceLevel::kProcessorGroups},
    {"proc_group", PlaceLevel::kProcessorGroups},
};
enum class Modifier : uint8_t {
  kVerbose,
  kDuplicates,
  kNoDuplicates,
  kNothing, ///< to do: the process's processors are always respected, and what is wrong always said
};
constexpr Named<Modifier> kModifiers[] = {
    {"verbose", Modifier::kVerbose},       {"noverbose", Modifier::kNothing},
    {"warnings", Modifier::kNothing},      {"nowarnings", Modifier::kNothing},
    {"respect", Modifier::kNothing},       {"norespect", Modifier::kNothing},
    {"reset", Modifier::kNothing},         {"noreset", Modifier::kNothing},
    {"duplicates", Modifier::kDuplicates}, {"noduplicates", Modifier::kNoDuplicates},
    {"dups", Modifier::kDuplicates},       {"nodups", Modifier::kNoDuplicates},
};

bool number_in(std::string_view word, int& number) {
  int read = 0;
  for (char c : word) {
    if (c < '0' || c > '9' || read > 1'000'000)
      return false;
    read = read * 10 + (c - '0');
  }
  number = read;
  return !word.empty();
}

class AffinityParser {
public:
  explicit AffinityParser(const char* text) : scan(text) {}

  /// Nothing is nothing, and a comma may end it, as for libomp.
  bool parse(KmpAffinity& into) {
    while (!scan.at_end())
      if (!item() || !(scan.take(',') || scan.at_end()))
        return false;
    if ((read.type == Type::kExplicit) != (read.processors != nullptr))
      return false;
    into = read;
    return true;
  }

private:
  bool item() {
    std::string_view word = scan.take_word();
    Modifier modifier;
    if (sys::find_name(kModifiers, word, modifier)) {
      read.verbose |= modifier == Modifier::kVerbose;
      if (modifier == Modifier::kDuplicates || modifier == Modifier::kNoDuplicates)
        read.duplicates = modifier == Modifier::kDuplicates;
      return true;
    }
    if (sys::same_name(word, "granularity") || sys::same_name(word, "gran"))
      return scan.take('=') && sys::find_name(kGranularities, scan.take_word(), read.granularity);
    if (sys::same_name(word, "proclist"))
      return scan.take('=') && scan.take('[') && list();
    int number;
    if (number_in(word, number)) { // behind the type: permute, where there is one, then offset
      if (!typed || numbers == 2)
        return false;
      (numbers == 0 ? read.permute : read.offset) = number;
      ++numbers;
      return true;
    }
    if (typed || !sys::find_name(kTypes, word, read.type))
      return false;
    bool physical = sys::same_name(word, "physical"); // the first threads of all cores first
    if (physical || sys::same_name(word, "logical")) {
      read.permute = physical;
      read.offset_in_cores = true;
      numbers = 1;
    }
    return typed = true;
  }

  bool list() {
    read.processors = scan.rest();
    if (!typed) // nor need it be
      read.type = Type::kExplicit;
    return scan.skip_past(']');
  }

  Scanner scan;
  KmpAffinity read;
  bool typed = false;
  int numbers = 0;
};

/// A processor and its numbers at the three levels.
struct Placed {
  int processor;
  int number[kLevels];
};

/// The place of `around` that has the processor.
void add_around(Processors place, int processor, const PlaceTable& around) {
  add_processor(place, processor);
  if (int row = around.row_of(processor); row >= 0)
    for (std::size_t word = 0; word < place.size(); ++word)
      place[word] |= around[row][word];
}

/// The machine as far as it is to be used.
class Machine {
public:
  explicit Machine(ProcessorsView usable) : sockets(words()), cores(words()) {
    find_places(PlaceLevel::kSockets, usable, sockets);
    find_places(PlaceLevel::kCores, usable, cores);
    count = count_processors(usable);
    list = static_cast<Placed*>(sys::allocate(sizeof(Placed) * static_cast<std::size_t>(count)));
    int used = 0;
    for (int socket = 0; socket < sockets.size(); ++socket)
      for (int core = 0, number = 0; core < cores.size(); ++core)
        used = enter(socket, core, number, used);
    count = used;
  }
  ~Machine() { sys::release(list); }
  Machine(const Machine&) = delete;

  /// Leaves the first processor of each of these places.
  void keep_first(const PlaceTable& around) {
    PlaceTable rows(words());
    Processors seen = rows.append(); // numbers of places, of which there are no more
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      int place = around.row_of(list[i].processor);
      if (place >= 0 && has_processor(seen, place))
        continue;
      if (place >= 0)
        add_processor(seen, place);
      list[kept++] = list[i];
    }
    count = kept;
  }

  /// The `innermost` levels grow last, the innermost of all as the very last one; of the others the
  /// outermost does.
  void sort(int innermost) {
    std::sort(list, list + count, [=](const Placed& one, const Placed& other) {
      for (int i = 0; i < kLevels; ++i) {
        int level = i < innermost ? kLevels - 1 - i : i - innermost;
        if (one.number[level] != other.number[level])
          return one.number[level] < other.number[level];
      }
      return false;
    });
  }

  int size() const { return count; }
  int threads_per_core() const {
    int most = 1;
    for (int i = 0; i < count; ++i)
      most = std::max(most, list[i].number[kLevels - 1] + 1);
    return most;
  }
  const Placed& operator[](int index) const { return list[index]; }

private:
  static int words() { return static_cast<int>(start_processors().size()); }

  int enter(int socket, int core, int& number, int used) {
    ProcessorsView of_core = cores[core];
    int first = next_processor(of_core, 0), thread = 0;
    if (first < 0 || !has_processor(sockets[socket], first))
      return used;
    for (int p = first; p >= 0 && used < count; p = next_processor(of_core, p + 1))
      list[used++] = {p, {socket, number, thread++}};
    ++number;
    return used;
  }

  PlaceTable sockets, cores;
  Placed* list;
  int count;
};

void list_processors(const KmpAffinity& affinity, Machine& machine, const PlaceTable& around,
                     PlaceTable& places) {
  bool compact = affinity.type == Type::kCompact;
  int inverted = compact ? affinity.permute : kLevels - 1 - affinity.permute;
  machine.sort(std::clamp(inverted, 0, kLevels - 1));
  int offset = affinity.offset * (affinity.offset_in_cores ? machine.threads_per_core() : 1);
  for (int i = 0; i < machine.size(); ++i)
    add_around(places.append(), machine[(i + offset) % machine.size()].processor, around);
}

/// The inside of proclist=[...]: numbers, ranges "4-7:2" and "7-4:-1", places of several "{0,1}".
class ProcessorList {
public:
  ProcessorList(const char* text, PlaceTable& places)
      : scan(text), places(places), capacity(places.words_per_row() * 64) {}

  bool read() {
    do {
      if (!(scan.take('{') ? place() : range()))
        return false;
    } while (scan.take(','));
    return scan.take(']') && places.size() > 0;
  }

private:
  bool number(int& processor) {
    uint64_t read;
    if (!scan.take_number(read) || read >= static_cast<uint64_t>(capacity))
      return false;
    processor = static_cast<int>(read);
    return true;
  }
  bool range() {
    int first, last, stride = 1;
    if (!number(first))
      return false;
    last = first;
    if (scan.take('-') && !number(last))
      return false;
    bool falls = false;
    if (scan.take(':')) {
      falls = scan.take('-');
      if (!number(stride) || stride == 0)
        return false;
    }
    if (falls ? first < last : last < first)
      return false;
    for (int p = first; falls ? p >= last : p <= last; p += falls ? -stride : stride)
      add_processor(places.append(), p);
    return true;
  }
  bool place() {
    Processors set = places.append();
    do {
      int processor;
      if (!number(processor))
        return false;
      add_processor(set, processor);
    } while (scan.take(','));
    return scan.take('}');
  }

  Scanner scan;
  PlaceTable& places;
  int capacity;
};

/// What a thread may use around its processor. False: the machine does not have the level, and
/// cores take its place. Without a cache the last one is taken to be the socket's, as by libomp.
bool find_around(PlaceLevel granularity, ProcessorsView usable, PlaceTable& around) {
  if (find_level(granularity, usable, around))
    return true;
  bool known = true;
  switch (granularity) {
  case PlaceLevel::kThreads:
  case PlaceLevel::kSockets:
    break;
  case PlaceLevel::kLastLevelCaches:
    granularity = PlaceLevel::kSockets;
    break;
  default:
    known = granularity == PlaceLevel::kCores;
    granularity = PlaceLevel::kCores;
  }
  find_places(granularity, usable, around);
  return known;
}

/// The places of a list grow to what is around their processors.
void grow(PlaceTable& places, const PlaceTable& around) {
  PlaceTable rows(places.words_per_row());
  Processors grown = rows.append();
  for (int i = 0; i < places.size(); ++i) {
    std::memset(grown.data(), 0, grown.size_bytes());
    for (int p = next_processor(places[i], 0); p >= 0; p = next_processor(places[i], p + 1))
      add_around(grown, p, around);
    std::memcpy(places[i].data(), grown.data(), grown.size_bytes());
  }
}

} // namespace

bool parse_kmp_affinity(const char* text, KmpAffinity& affinity) {
  return AffinityParser(text).parse(affinity);
}

bool list_kmp_places(const KmpAffinity& affinity, ProcessorsView usable, PlaceTable& places,
                     bool& as_cores) {
  PlaceTable around(places.words_per_row());
  as_cores = !find_around(affinity.granularity, usable, around);
  if (affinity.type == Type::kExplicit) {
    bool good = ProcessorList(affinity.processors, places).read();
    grow(places, around);
    return good;
  }
  if (affinity.type == Type::kBalanced) {
    find_places(PlaceLevel::kCores, usable, places);
    return true;
  }
  Machine machine(usable);
  if (!affinity.duplicates)
    machine.keep_first(around);
  list_processors(affinity, machine, around, places);
  return true;
}

} // namespace xomp

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
    {"logical", Type::kCompact},   {"scatter", Type::kScatter},   {"physical", Type::kScatter},
    {"balanced", Type::kBalanced}, {"explicit", Type::kExplicit},
};
constexpr Named<PlaceLevel> kGranularities[] = {
    {"fine", PlaceLevel::kThreads},    {"thread", PlaceLevel::kThreads},
    {"core", PlaceLevel::kCores},      {"socket", PlaceLevel::kSockets},
    {"package", PlaceLevel::kSockets},
};
/// What there is nothing to do for: the process's processors are always respected, and what is
/// wrong is always said.
constexpr Named<bool> kModifiers[] = {
    {"verbose", true},     {"noverbose", false},    {"warnings", false}, {"nowarnings", false},
    {"respect", false},    {"norespect", false},    {"reset", false},    {"noreset", false},
    {"duplicates", false}, {"noduplicates", false},
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

  bool parse(KmpAffinity& into) {
    do {
      if (!item())
        return false;
    } while (scan.take(','));
    if (!scan.at_end() || (read.type == Type::kExplicit) != (read.processors != nullptr))
      return false;
    into = read;
    return true;
  }

private:
  bool item() {
    std::string_view word = scan.take_word();
    bool verbose;
    if (sys::find_name(kModifiers, word, verbose)) {
      read.verbose = read.verbose || verbose;
      return true;
    }
    if (sys::same_name(word, "granularity") || sys::same_name(word, "gran"))
      return scan.take('=') && sys::find_name(kGranularities, scan.take_word(), read.granularity);
    if (sys::same_name(word, "proclist"))
      return scan.take('=') && scan.take('[') && list();
    int number;
    if (number_in(word, number)) { // behind the type: permute, then offset
      if (!typed || numbers == 2)
        return false;
      (numbers == 0 ? read.permute : read.offset) = number;
      ++numbers;
      return true;
    }
    if (typed || !sys::find_name(kTypes, word, read.type))
      return false;
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

/// The machine as far as the process may use it.
class Machine {
public:
  Machine() : sockets(words()), cores(words()) {
    ProcessorsView usable = start_processors();
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

  /// Leaves out what the subset has not.
  void keep(const HardwareSubset& subset) {
    if (subset.alone)
      number_given(subset);
    keep_if([&](const Placed& each) {
      for (int level = 0; level < kLevels; ++level)
        if (!subset.parts[level].has(each.number[level]))
          return false;
      return true;
    });
  }
  void keep(ProcessorsView usable) {
    keep_if([&](const Placed& each) { return has_processor(usable, each.processor); });
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

  /// All that agree with the one at `index` down to a level.
  void add_around(Processors place, int index, PlaceLevel granularity) const {
    int same = granularity == PlaceLevel::kSockets ? 1 : granularity == PlaceLevel::kCores ? 2 : 3;
    const Placed& middle = list[index];
    for (int i = 0; i < count; ++i)
      if (std::equal(middle.number, middle.number + same, list[i].number))
        add_processor(place, list[i].processor);
  }

  int size() const { return count; }
  const Placed& operator[](int index) const { return list[index]; }

private:
  template <class Keep> void keep_if(Keep keep) {
    auto end = std::remove_if(list, list + count, [&](const Placed& each) { return !keep(each); });
    count = static_cast<int>(end - list);
  }

  /// Numbers what the subset names within what it names around it, over all that is between them.
  void number_given(const HardwareSubset& subset) {
    int before[kLevels] = {}; // the numbers of the processor before, as the machine has them
    int number[kLevels] = {};
    for (int i = 0; i < count; ++i) { // in the order of sockets, cores and threads
      int* own = list[i].number;
      bool restarts = false, differs = false; // what is around it; anything so far
      for (int level = 0; level < kLevels; ++level) {
        differs |= own[level] != before[level];
        before[level] = own[level];
        if (!subset.given[level])
          continue;
        number[level] = restarts ? 0 : number[level] + (i > 0 && differs);
        restarts |= i > 0 && differs;
        own[level] = number[level];
      }
    }
  }

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

void list_processors(const KmpAffinity& affinity, Machine& machine, PlaceTable& places) {
  bool compact = affinity.type == Type::kCompact;
  int inverted = compact ? affinity.permute : kLevels - 1 - affinity.permute;
  machine.sort(std::clamp(inverted, 0, kLevels - 1));
  for (int i = 0; i < machine.size(); ++i)
    machine.add_around(places.append(), (i + affinity.offset) % machine.size(),
                       affinity.granularity);
}

void list_cores(Machine& machine, PlaceTable& places) {
  machine.sort(0);
  for (int i = 0; i < machine.size(); ++i)
    if (i == 0 || !std::equal(machine[i].number, machine[i].number + 2, machine[i - 1].number))
      machine.add_around(places.append(), i, PlaceLevel::kCores);
}

/// The inside of proclist=[...]: numbers, ranges "4-7:2", places of several "{0,1}".
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
    if (scan.take('-') && (!number(last) || last < first))
      return false;
    if (scan.take(':') && (!number(stride) || stride == 0))
      return false;
    for (int p = first; p <= last; p += stride)
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

constexpr Named<int> kParts[] = {
    {"s", 0},    {"socket", 0}, {"sockets", 0}, {"package", 0}, {"packages", 0}, {"c", 1},
    {"core", 1}, {"cores", 1},  {"t", 2},       {"thread", 2},  {"threads", 2},
};

} // namespace

bool parse_kmp_affinity(const char* text, KmpAffinity& affinity) {
  return AffinityParser(text).parse(affinity);
}

bool parse_hardware_subset(const char* text, HardwareSubset& subset) {
  HardwareSubset read;
  Scanner scan(text);
  read.alone = scan.take(':');
  do {
    uint64_t count, first = 0;
    int part;
    if (scan.take('*') || !scan.take_number(count))
      count = INT_MAX;
    if (count == 0 || count > INT_MAX)
      return false;
    if (!sys::find_name(kParts, scan.take_word(), part) || read.given[part])
      return false;
    if (scan.take('@') && (!scan.take_number(first) || first > INT_MAX))
      return false;
    read.given[part] = true;
    read.parts[part] = {static_cast<int>(count), static_cast<int>(first)};
  } while (scan.take(','));
  if (!scan.at_end())
    return false;
  subset = read;
  return true;
}

int add_processors_of(const HardwareSubset& subset, Processors set) {
  Machine machine;
  machine.keep(subset);
  for (int i = 0; i < machine.size(); ++i)
    add_processor(set, machine[i].processor);
  return machine.size();
}

bool list_kmp_places(const KmpAffinity& affinity, ProcessorsView usable, PlaceTable& places) {
  if (affinity.type == Type::kExplicit)
    return ProcessorList(affinity.processors, places).read();
  Machine machine;
  machine.keep(usable);
  if (affinity.type == Type::kBalanced)
    list_cores(machine, places);
  else if (machine.size())
    list_processors(affinity, machine, places);
  return true;
}

} // namespace xomp

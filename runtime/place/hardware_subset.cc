// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From what KMP_HW_SUBSET names to the processors that are in it, on the machine that is there.
#include "place/hardware_subset.h"

#include <algorithm>

#include "place/places.h"
#include "sys/memory.h"

namespace xomp {
namespace {

using Part = HardwareSubset::Part;

/// From outside to inside.
constexpr PlaceLevel kLayers[] = {
    PlaceLevel::kSockets, PlaceLevel::kNumaDomains, PlaceLevel::kDice,
    PlaceLevel::kTiles,   PlaceLevel::kL3Caches,    PlaceLevel::kLastLevelCaches,
    PlaceLevel::kModules, PlaceLevel::kL2Caches,    PlaceLevel::kL1Caches,
    PlaceLevel::kCores,   PlaceLevel::kThreads,
};
constexpr PlaceLevel kMainLayers[] = {PlaceLevel::kSockets, PlaceLevel::kCores,
                                      PlaceLevel::kThreads};

bool is_main(PlaceLevel layer) {
  return std::find(std::begin(kMainLayers), std::end(kMainLayers), layer) != std::end(kMainLayers);
}

/// The place of a layer among those that divide the machine alike.
std::size_t rank(PlaceLevel layer) {
  std::size_t i = 0;
  while (i + 1 < std::size(kLayers) && kLayers[i] != layer)
    ++i;
  return i;
}

/// The processors of the process with their numbers in the layers that count.
class Machine {
public:
  explicit Machine(const PlaceTable& core_types) {
    ProcessorsView usable = start_processors();
    rows = static_cast<Row*>(
        sys::allocate(sizeof(Row) * static_cast<std::size_t>(count_processors(usable))));
    for (int p = next_processor(usable, 0); p >= 0; p = next_processor(usable, p + 1))
      rows[count++] = {p, std::max(core_types.row_of(p), 0), {}};
  }
  ~Machine() { sys::release(rows); }
  Machine(const Machine&) = delete;

  SubsetStatus choose(const HardwareSubset& subset) {
    for (const Part& part : subset)
      if (!add_layer(part.layer, true))
        return SubsetStatus::kNoSuchLayer;
    int named = depth;
    for (PlaceLevel layer : kMainLayers)
      if (find(layer) == depth)
        add_layer(layer, false);
    if (any_twice())
      return SubsetStatus::kSameLayers;
    if (subset.alone)
      depth = named;
    else
      drop_doubles();
    std::sort(layers, layers + depth, [](const Layer& one, const Layer& other) {
      return one.objects != other.objects ? one.objects < other.objects
                                          : rank(one.level) < rank(other.level);
    });
    number_objects(subset);
    return keep(subset) ? SubsetStatus::kGood : SubsetStatus::kNothing;
  }

  int size() const { return count; }
  int operator[](int index) const { return rows[index].processor; }

private:
  static constexpr int kMostLayers = HardwareSubset::kMost + std::size(kMainLayers);
  static constexpr int kTypes = 2; // of cores

  struct Layer {
    PlaceLevel level;
    int column;  ///< of the rows' numbers
    int objects; ///< into which it divides the machine
    bool named;
  };
  struct Row {
    int processor;
    int type; ///< of its core
    int number[kMostLayers];
  };

  int find(PlaceLevel level) const {
    int i = 0;
    while (i < depth && layers[i].level != level)
      ++i;
    return i;
  }

  bool add_layer(PlaceLevel level, bool named) {
    if (find(level) < depth) // cores of another type
      return true;
    ProcessorsView usable = start_processors();
    PlaceTable objects(static_cast<int>(usable.size()));
    if (is_main(level)) {
      find_places(level, usable, objects);
    } else if (!find_level(level, usable, objects)) {
      if (level != PlaceLevel::kLastLevelCaches)
        return false;
      find_places(PlaceLevel::kSockets, usable, objects); // as on libomp, where there is no cache
    }
    layers[depth] = {level, depth, objects.size(), named};
    for (int i = 0; i < count; ++i)
      rows[i].number[depth] = objects.row_of(rows[i].processor);
    ++depth;
    return true;
  }

  /// Whether two that are named divide the machine alike. Sockets, cores and threads are never one,
  /// and another may stand for any of them that is not named.
  bool any_twice() const {
    for (int i = 0; i < depth; ++i) {
      bool taken = false, open = false;
      for (int j = 0; j < depth && layers[i].named && !is_main(layers[i].level); ++j) {
        if (j == i || layers[j].objects != layers[i].objects)
          continue;
        if (layers[j].named && !is_main(layers[j].level))
          return true;
        (layers[j].named ? taken : open) = true;
      }
      if (taken && !open)
        return true;
    }
    return false;
  }

  /// What another that is named stands for: numbers within one object would all be 0. Those that
  /// are named stand in front, and stay there.
  void drop_doubles() {
    Layer* end = std::remove_if(layers, layers + depth, [&](const Layer& layer) {
      return !layer.named && std::any_of(layers, layers + depth, [&](const Layer& other) {
        return other.named && !is_main(other.level) && other.objects == layer.objects;
      });
    });
    depth = static_cast<int>(end - layers);
  }

  /// Puts the processors in the machine's order, and numbers the objects of each layer within the
  /// next layer around them; cores by their types, if the subset names these.
  void number_objects(const HardwareSubset& subset) {
    std::sort(rows, rows + count, [&](const Row& one, const Row& other) {
      for (int i = 0; i < depth; ++i)
        if (int column = layers[i].column; one.number[column] != other.number[column])
          return one.number[column] < other.number[column];
      return one.processor < other.processor;
    });
    bool typed = subset.names_types();
    int before[kMostLayers];            // the objects of the processor before
    int last[kMostLayers][kTypes] = {}; // numbers given last, from 1
    std::fill(std::begin(before), std::end(before), -1);
    for (int i = 0; i < count; ++i) {
      bool differs = false; // from the one before, so far
      for (int l = 0; l < depth; ++l) {
        int& own = rows[i].number[layers[l].column];
        bool by_type = typed && layers[l].level == PlaceLevel::kCores;
        int& number = last[l][by_type ? rows[i].type : 0];
        if (differs)
          std::fill(std::begin(last[l]), std::end(last[l]), 0);
        differs |= own != before[l];
        before[l] = own;
        own = (number += differs) - 1;
      }
    }
  }

  /// Whether anything is left. More than the machine has are all that it has, as on libomp.
  bool keep(const HardwareSubset& subset) {
    auto has = [&](const Row& row) {
      for (int l = 0; l < depth; ++l)
        if (layers[l].named && !has_number(subset, layers[l], row))
          return false;
      return true;
    };
    Row* end = std::remove_if(rows, rows + count, [&](const Row& row) { return !has(row); });
    count = static_cast<int>(end - rows);
    return count > 0;
  }

  static bool is_of(const Part& part, const Row& row) {
    return part.type == HardwareSubset::kAnyType || part.type == row.type;
  }
  static bool has_number(const HardwareSubset& subset, const Layer& layer, const Row& row) {
    return std::any_of(subset.begin(), subset.end(), [&](const Part& part) {
      return part.layer == layer.level && is_of(part, row) && part.has(row.number[layer.column]);
    });
  }

  Row* rows;
  int count = 0;
  Layer layers[kMostLayers];
  int depth = 0;
};

} // namespace

SubsetResult add_processors_of(const HardwareSubset& subset, Processors set) {
  ProcessorsView usable = start_processors();
  PlaceTable core_types(static_cast<int>(usable.size()));
  find_level(PlaceLevel::kCoreTypes, usable, core_types);
  return add_processors_of(subset, core_types, set);
}

SubsetResult add_processors_of(const HardwareSubset& asked, const PlaceTable& core_types,
                               Processors set) {
  SubsetResult result;
  HardwareSubset subset = asked;
  if (core_types.size() == 0) {
    int typed = 0;
    for (Part& part : subset.parts)
      if (part.type != HardwareSubset::kAnyType) {
        part.type = HardwareSubset::kAnyType;
        ++typed;
      }
    result.passed_types = typed == 1;
    if (typed > 1)
      result.status = SubsetStatus::kNoTypes;
  }
  if (result.status != SubsetStatus::kGood)
    return result;
  Machine machine(core_types);
  result.status = machine.choose(subset);
  if (result.status != SubsetStatus::kGood)
    return result;
  for (int i = 0; i < machine.size(); ++i)
    add_processor(set, machine[i]);
  result.processors = machine.size();
  return result;
}

} // namespace xomp

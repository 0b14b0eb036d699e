// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The languages of OMP_PLACES (OpenMP 5.2 section 21.1.6) and GOMP_CPU_AFFINITY. Nothing here looks
// at the machine: a list may name processors that do not exist.
#pragma once
#include "place/place_table.h"
#include "place/topology.h"

namespace xomp {

/// An abstract name, "cores" or "cores(4)". False: `text` is something else.
bool parse_abstract_places(const char* text, PlaceLevel& level, int& limit);

/// A list of places, intervals and exclusions; false when it is malformed or names a processor that
/// does not fit a row of `places`. `places` holds the list only on success.
bool parse_place_list(const char* text, PlaceTable& places);

/// GOMP_CPU_AFFINITY: single processors and ranges "4-15:2", one place for each processor.
/// Processors that do not fit a row are skipped.
bool parse_cpu_affinity(const char* text, PlaceTable& places);

} // namespace xomp

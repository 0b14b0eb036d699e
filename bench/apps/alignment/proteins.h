// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Proteins as sequences of residues, and how alike two residues are.
#ifndef XOMP_BENCH_ALIGNMENT_PROTEINS_H
#define XOMP_BENCH_ALIGNMENT_PROTEINS_H

#include <stdint.h>

enum { kResidues = 23 }; // the twenty amino acids, B, Z and X

typedef struct {
  int length;
  uint8_t* residue; // each below kResidues
} Protein;

extern const int8_t kLikeness[kResidues][kResidues];

// Both return the proteins in one allocated array.
Protein* proteins_read(const char* path, long count); // the first `count` of a file
Protein* proteins_draw(long count, long length, uint64_t seed);

#endif

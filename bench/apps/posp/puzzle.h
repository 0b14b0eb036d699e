// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cryptographic puzzle of the plot: 28 bytes of a BLAKE3 hash, and the nonce of 4 bytes that
// the hash was made from (paper 1, section VII).
#ifndef XOMP_BENCH_PUZZLE_H
#define XOMP_BENCH_PUZZLE_H

#include <stdint.h>

enum { kHashBytes = 28, kSeedBytes = 32 };

typedef struct {
  uint8_t hash[kHashBytes];
  uint8_t nonce[4]; // big endian
} Puzzle;

Puzzle puzzle_make(const uint8_t seed[kSeedBytes], uint32_t nonce);
int puzzle_right(const uint8_t seed[kSeedBytes], const Puzzle* puzzle);

// By hash, as qsort wants it.
int puzzle_compare(const void* left, const void* right);

// Stands where there is no puzzle; it is sorted behind all puzzles.
Puzzle puzzle_blank(void);
int puzzle_is_blank(const Puzzle* puzzle);

// Whether this BLAKE3 gives the official test vectors.
int blake3_right(void);

#endif

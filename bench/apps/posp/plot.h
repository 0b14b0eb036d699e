// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A proof-of-space plot: a file of 2^k puzzles (paper 1, section VII). It consists of buckets,
// which the first bits of a hash choose; within a bucket the puzzles are in the order of their
// hashes.
#ifndef XOMP_BENCH_PLOT_H
#define XOMP_BENCH_PLOT_H

#include "puzzle.h"

typedef struct {
  int file;
  int bucket_bits;         // there are 2^bucket_bits buckets
  uint64_t bucket_puzzles; // in each
  uint8_t seed[kSeedBytes];
} Plot;

// Makes the plot's file: the named one, or without a name one that vanishes when the program ends.
// Rejects the input if there is no room for it.
void plot_open(Plot* plot, const char* name);

uint64_t plot_bucket(const Plot* plot, const uint8_t hash[kHashBytes]);

// Moves `count` puzzles between memory and the bucket's place in the file, from its puzzle `first`.
void plot_write(const Plot* plot, uint64_t bucket, uint64_t first, const Puzzle* from,
                uint64_t count);
void plot_read(const Plot* plot, uint64_t bucket, uint64_t first, Puzzle* to, uint64_t count);

// Whether the bucket has puzzles, each with the hash of its nonce, in its bucket, in ascending
// order.
int plot_bucket_right(const Plot* plot, uint64_t bucket);

// Finds in the file the first puzzle of the challenge's bucket that is not below the challenge, by
// binary search; blank if all are below.
Puzzle plot_look_up(const Plot* plot, const uint8_t challenge[kHashBytes]);

#endif

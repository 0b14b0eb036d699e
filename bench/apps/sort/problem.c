// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "problem.h"

#include <stdlib.h>

long n, quick, merge, insertion;
Key *keys, *room;

// n: paper 1 section VI has 1B, 2^30 (268M in its sweeps); papers 3 and 5 have 128M with 32768 for
// quick and merge.
const Parameter kParameters[] = {
    {"n", "integers", kInteger, &n, {"65536", "2097152", "16777216", "1073741824"}, 1, 2147483648},
    {"quick",
     "fewer integers are sorted by quicksort",
     kInteger,
     &quick,
     {"2048", "2048", "2048", "2048"},
     4,
     1e9},
    {"merge",
     "a merge with a part of up to so many integers is serial",
     kInteger,
     &merge,
     {"2048", "2048", "2048", "2048"},
     1,
     1e9},
    {"insertion",
     "up to so many integers are sorted by insertion",
     kInteger,
     &insertion,
     {"20", "20", "20", "20"},
     1,
     1e9},
    {0},
};

Cut cut(const Key* a, long a_count, const Key* b, long b_count) {
  Cut it = a_count < b_count ? (Cut){b, a, b_count, a_count, b_count / 2, 0}
                             : (Cut){a, b, a_count, b_count, a_count / 2, 0};
  it.shorter_first = count_below(it.shorter, it.shorter_count, it.longer[it.longer_first]);
  return it;
}

// A merge need not be split then.
void serial(Key* own, Key* other, long count) {
  if (count < quick) {
    sort_serially(own, count, insertion);
    return;
  }
  long part = count / 4, half = 2 * part;
  serial(own, other, part);
  serial(own + part, other + part, part);
  serial(own + half, other + half, part);
  serial(own + half + part, other + half + part, count - half - part);
  merge_serially(own, part, own + part, part, other);
  merge_serially(own + half, part, own + half + part, count - half - part, other + half);
  merge_serially(other, half, other + half, count - half, own);
}

// A one-to-one mapping of the numbers below 2^bits that looks like chance: either step can be
// undone.
static uint64_t scramble(uint64_t number, int bits) {
  uint64_t mask = ((uint64_t)1 << bits) - 1;
  for (int round = 0; round < 3; round++) {
    number = (number * 0x9e3779b97f4a7c15 + 0x632be59bd9b4e019) & mask;
    number ^= number >> (bits / 2 + 1);
  }
  return number;
}

// The numbers from 0 to n - 1 in an order that takes no shuffling to draw: a number that is mapped
// to n or more is mapped again.
void prepare(void) {
  keys = malloc(n * sizeof *keys);
  room = calloc(n, sizeof *room);
  if (keys == NULL || room == NULL)
    app_reject("no memory for %ld integers", n);
  int bits = 1;
  while ((int64_t)1 << bits < n)
    bits++;
  for (long i = 0; i < n; i++) {
    uint64_t key = (uint64_t)i;
    do
      key = scramble(key, bits);
    while (key >= (uint64_t)n);
    keys[i] = (Key)key;
    room[i] = 0; // so that the clock does not see the pages being made
  }
}

// Sorted, and what was given: exactly the numbers from 0.
int sorted(void) {
  for (long i = 0; i < n; i++)
    if (keys[i] != i)
      return 0;
  return 1;
}

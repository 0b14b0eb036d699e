// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequential.h"

#include <string.h>

static void insertion_sort(Key* keys, long count) {
  for (long i = 1; i < count; i++) {
    Key key = keys[i];
    long at = i;
    for (; at > 0 && keys[at - 1] > key; at--)
      keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

static Key median(Key a, Key b, Key c) {
  if (a > b) {
    Key other = a;
    a = b;
    b = other;
  }
  return c < a ? a : c > b ? b : c;
}

// Hoare's partition: afterwards no key of the first part, whose size is returned, is greater than
// one of the second; neither is empty.
static long partition(Key* keys, long count) {
  Key pivot = median(keys[0], keys[count / 2], keys[count - 1]);
  long low = 0, high = count - 1;
  for (;; low++, high--) {
    while (keys[low] < pivot)
      low++;
    while (keys[high] > pivot)
      high--;
    if (low >= high)
      return low == high && low == 0 ? 1 : low;
    Key other = keys[low];
    keys[low] = keys[high];
    keys[high] = other;
  }
}

void sort_serially(Key* keys, long count, long insertion) {
  while (count > insertion) {
    long first = partition(keys, count);
    if (first < count - first) { // recursion on the smaller part bounds its depth
      sort_serially(keys, first, insertion);
      keys += first;
      count -= first;
    } else {
      sort_serially(keys + first, count - first, insertion);
      count = first;
    }
  }
  insertion_sort(keys, count);
}

void merge_serially(const Key* a, long a_count, const Key* b, long b_count, Key* to) {
  const Key *a_end = a + a_count, *b_end = b + b_count;
  while (a < a_end && b < b_end)
    *to++ = *b < *a ? *b++ : *a++;
  memcpy(to, a, (a_end - a) * sizeof *a);
  memcpy(to + (a_end - a), b, (b_end - b) * sizeof *b);
}

long count_below(const Key* keys, long count, Key key) {
  long low = 0;
  while (count > 0) {
    long half = count / 2;
    if (keys[low + half] < key) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "puzzle.h"

#if __has_include("../../../build/peers/blake3/blake3.h")
#include "../../../build/peers/blake3/blake3.h"
#else
#error there is no BLAKE3: tools/fetch_blake3 gets it
#endif

#include <stddef.h>
#include <string.h>

static void hash(const uint8_t* input, size_t length, uint8_t* output, size_t bytes) {
  blake3_hasher hasher;
  blake3_hasher_init(&hasher);
  blake3_hasher_update(&hasher, input, length);
  blake3_hasher_finalize(&hasher, output, bytes);
}

Puzzle puzzle_make(const uint8_t seed[kSeedBytes], uint32_t nonce) {
  Puzzle puzzle = {.nonce = {nonce >> 24, nonce >> 16, nonce >> 8, nonce}};
  uint8_t input[kSeedBytes + sizeof puzzle.nonce];
  memcpy(input, seed, kSeedBytes);
  memcpy(input + kSeedBytes, puzzle.nonce, sizeof puzzle.nonce);
  hash(input, sizeof input, puzzle.hash, kHashBytes);
  return puzzle;
}

int puzzle_right(const uint8_t seed[kSeedBytes], const Puzzle* puzzle) {
  const uint8_t* nonce = puzzle->nonce;
  Puzzle again =
      puzzle_make(seed, (uint32_t)nonce[0] << 24 | nonce[1] << 16 | nonce[2] << 8 | nonce[3]);
  return memcmp(&again, puzzle, sizeof again) == 0;
}

int puzzle_compare(const void* left, const void* right) { return memcmp(left, right, kHashBytes); }

Puzzle puzzle_blank(void) {
  Puzzle blank;
  memset(&blank, 0xff, sizeof blank);
  return blank;
}

int puzzle_is_blank(const Puzzle* puzzle) {
  Puzzle blank = puzzle_blank();
  return memcmp(puzzle, &blank, sizeof blank) == 0;
}

int blake3_right(void) {
  // From test_vectors.json of BLAKE3, whose inputs are the bytes 0, 1 ... 250, 0, 1 ...: the first
  // 8 bytes of the hash of an empty input, a byte, and around one and two chunks of 1024 bytes.
  static const struct {
    size_t length;
    uint8_t hash[8];
  } vectors[] = {
      {0, {0xaf, 0x13, 0x49, 0xb9, 0xf5, 0xf9, 0xa1, 0xa6}},
      {1, {0x2d, 0x3a, 0xde, 0xdf, 0xf1, 0x1b, 0x61, 0xf1}},
      {1023, {0x10, 0x10, 0x89, 0x70, 0xee, 0xda, 0x3e, 0xb9}},
      {1024, {0x42, 0x21, 0x47, 0x39, 0xf0, 0x95, 0xa4, 0x06}},
      {1025, {0xd0, 0x02, 0x78, 0xae, 0x47, 0xeb, 0x27, 0xb3}},
      {2049, {0x5f, 0x4d, 0x72, 0xf4, 0x0d, 0x7a, 0x5f, 0x82}},
  };
  uint8_t input[2049], output[8];
  for (size_t i = 0; i < sizeof input; i++)
    input[i] = (uint8_t)(i % 251);
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    hash(input, vectors[i].length, output, sizeof output);
    if (memcmp(output, vectors[i].hash, sizeof output) != 0)
      return 0;
  }
  return 1;
}

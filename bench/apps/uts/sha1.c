// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-1, written from RFC 3174: section 4 (padding), 5 (functions and constants) and 6.1 (method 1,
// with the 80-word schedule kept in a ring of 16 words).
#include "sha1.h"

#include <string.h>

const uint32_t kSha1Initial[kSha1Words] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476,
                                           0xC3D2E1F0};

static inline uint32_t rotate_left(uint32_t word, int bits) {
  return word << bits | word >> (32 - bits);
}

// W(t) of section 6.1 step b.
static inline uint32_t schedule(uint32_t ring[kSha1BlockWords], int t) {
  if (t >= kSha1BlockWords)
    ring[t & 15] = rotate_left(
        ring[(t - 3) & 15] ^ ring[(t - 8) & 15] ^ ring[(t - 14) & 15] ^ ring[t & 15], 1);
  return ring[t & 15];
}

#define ROUND(function, constant)                                                                  \
  do {                                                                                             \
    uint32_t temp = rotate_left(a, 5) + (function) + e + schedule(ring, t) + (constant);           \
    e = d;                                                                                         \
    d = c;                                                                                         \
    c = rotate_left(b, 30);                                                                        \
    b = a;                                                                                         \
    a = temp;                                                                                      \
  } while (0)

void sha1_block(uint32_t state[kSha1Words], const uint32_t block[kSha1BlockWords]) {
  uint32_t ring[kSha1BlockWords];
  memcpy(ring, block, sizeof ring);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  int t = 0;
  for (; t < 20; t++)
    ROUND((b & c) | (~b & d), 0x5A827999);
  for (; t < 40; t++)
    ROUND(b ^ c ^ d, 0x6ED9EBA1);
  for (; t < 60; t++)
    ROUND((b & c) | (b & d) | (c & d), 0x8F1BBCDC);
  for (; t < 80; t++)
    ROUND(b ^ c ^ d, 0xCA62C1D6);
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

static void compress_bytes(uint32_t state[kSha1Words], const uint8_t bytes[64]) {
  uint32_t block[kSha1BlockWords];
  for (int i = 0; i < kSha1BlockWords; i++)
    block[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
               (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
  sha1_block(state, block);
}

void sha1(const void* message, size_t length, uint8_t digest[kSha1Bytes]) {
  uint32_t state[kSha1Words];
  memcpy(state, kSha1Initial, sizeof state);
  const uint8_t* bytes = message;
  size_t rest = length;
  for (; rest >= 64; rest -= 64, bytes += 64)
    compress_bytes(state, bytes);

  // Padding: a one bit, zeros, and the length in bits as a 64-bit number; one or two blocks.
  uint8_t tail[128] = {0};
  size_t tail_size = rest < 56 ? 64 : 128;
  if (rest > 0)
    memcpy(tail, bytes, rest);
  tail[rest] = 0x80;
  for (int i = 0; i < 8; i++)
    tail[tail_size - 1 - i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
  for (size_t done = 0; done < tail_size; done += 64)
    compress_bytes(state, tail + done);

  for (int i = 0; i < kSha1Bytes; i++)
    digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-1 as described in RFC 3174. UTS uses it as a splittable random number generator, so the
// compression of one block is public: a UTS node always fits into a single block.
#ifndef XOMP_BENCH_SHA1_H
#define XOMP_BENCH_SHA1_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kSha1Words = 5, kSha1BlockWords = 16, kSha1Bytes = 20 };

extern const uint32_t kSha1Initial[kSha1Words];

// Compresses one block (16 big-endian words, already read as integers) into `state`.
void sha1_block(uint32_t state[kSha1Words], const uint32_t block[kSha1BlockWords]);

// The digest of a whole message.
void sha1(const void* message, size_t length, uint8_t digest[kSha1Bytes]);

#ifdef __cplusplus
}
#endif

#endif

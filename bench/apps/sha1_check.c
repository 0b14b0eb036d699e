// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the SHA-1 of its standard input in hexadecimal, so that tests can compare it with the
// vectors of RFC 3174 section 7.3 and with any other implementation.
#include "uts/sha1.h"

#include <stdio.h>
#include <stdlib.h>

int main(void) {
  size_t size = 0, room = 1 << 16;
  uint8_t* message = malloc(room);
  if (message == NULL)
    return 1;
  for (size_t got; (got = fread(message + size, 1, room - size, stdin)) > 0;) {
    size += got;
    if (size < room)
      continue;
    uint8_t* larger = realloc(message, room *= 2);
    if (larger == NULL)
      return 1;
    message = larger;
  }
  uint8_t digest[kSha1Bytes];
  sha1(message, size, digest);
  free(message);
  for (int i = 0; i < kSha1Bytes; i++)
    printf("%02x", digest[i]);
  putchar('\n');
  return 0;
}

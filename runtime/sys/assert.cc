// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/assert.h"

#ifdef XOMP_ASSERTS
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace xomp::sys {

void assertion_failed(const char* file, int line, const char* rule, const char* function) {
  char digits[12];
  char* number = digits + sizeof digits;
  *--number = '\0';
  do
    *--number = static_cast<char>('0' + line % 10);
  while ((line /= 10) != 0);
  iovec parts[9];
  int count = 0;
  for (const char* each : {"xomp: ", file, ":", static_cast<const char*>(number),
                           ": assertion failed: ", rule, " (in ", function, ")\n"})
    parts[count++] = {const_cast<char*>(each), std::strlen(each)};
  // In one call, so that lines of several threads do not mix. There is nobody to tell of an error.
  [[maybe_unused]] ssize_t written = writev(STDERR_FILENO, parts, count);
  std::abort();
}

} // namespace xomp::sys
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sys/files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/memory.h"

namespace xomp::sys {
namespace {

char* copy_of(const char* text, std::size_t length) {
  auto* copy = static_cast<char*>(allocate(length + 1));
  std::memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/// Where the system cannot reserve: the zeros themselves. Some file systems of networks.
int write_zeros(int file, std::size_t offset, std::size_t bytes) {
  static constexpr char kZeros[4096] = {};
  for (std::size_t done = 0; done < bytes;) {
    std::size_t part = std::min(sizeof kZeros, bytes - done);
    if (int error = write_at(file, kZeros, part, offset + done))
      return error;
    done += part;
  }
  return 0;
}

bool beyond_limit(std::size_t size) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         size > limit.rlim_cur;
}

} // namespace

char* absolute_path(const char* path) {
  // On the heap: the C library allocates as much as it needs.
  // NOLINTNEXTLINE(clang-analyzer-unix.StdCLibraryFunctions): null is allowed, as in glibc and musl
  char* folder = path[0] == '/' ? nullptr : getcwd(nullptr, 0);
  if (!folder)
    return copy_of(path, std::strlen(path));
  std::size_t first = std::strlen(folder), second = std::strlen(path);
  auto* joined = static_cast<char*>(allocate(first + second + 2));
  std::memcpy(joined, folder, first);
  joined[first] = '/';
  std::memcpy(joined + first + 1, path, second);
  joined[first + 1 + second] = '\0';
  release(folder);
  return joined;
}

int make_folders(const char* path) {
  char* part = copy_of(path, std::strlen(path));
  int error = 0;
  for (char* end = part; !error; ++end) {
    if (*end != '/' && *end != '\0')
      continue;
    char after = *end;
    *end = '\0';
    if (*part && mkdir(part, 0777) != 0 && errno != EEXIST)
      error = errno;
    *end = after;
    if (after == '\0')
      break;
  }
  // A folder above that may not be written to is no obstacle when the last one is there.
  int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    close(folder);
    error = 0;
  } else if (errno == ENOTDIR) {
    error = ENOTDIR;
  }
  release(part);
  return error;
}

int extend_file(int file, std::size_t offset, std::size_t bytes) {
  if (beyond_limit(offset + bytes))
    return EFBIG;
  int failed;
  do
    failed = fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  while (failed && errno == EINTR);
  if (!failed)
    return 0;
  if (errno == EOPNOTSUPP || errno == ENOSYS)
    return write_zeros(file, offset, bytes);
  return errno;
}

int write_at(int file, const void* data, std::size_t bytes, std::size_t offset) {
  if (beyond_limit(offset + bytes))
    return EFBIG;
  const auto* from = static_cast<const char*>(data);
  for (std::size_t done = 0; done < bytes;) {
    ssize_t written = pwrite(file, from + done, bytes - done, static_cast<off_t>(offset + done));
    if (written > 0)
      done += static_cast<std::size_t>(written);
    else if (written == 0)
      return ENOSPC;
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

char* read_whole(const char* path, std::size_t& length) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return nullptr;
  std::size_t room = 16384;
  length = 0;
  auto* text = static_cast<char*>(allocate(room));
  for (;;) {
    ssize_t bytes = read(file, text + length, room - length - 1);
    if (bytes < 0 && errno == EINTR)
      continue;
    if (bytes <= 0)
      break;
    length += static_cast<std::size_t>(bytes);
    if (room - length > 4096)
      continue;
    auto* larger = static_cast<char*>(allocate(2 * room));
    std::memcpy(larger, text, length);
    release(text);
    text = larger;
    room *= 2;
  }
  close(file);
  text[length] = '\0';
  return text;
}

} // namespace xomp::sys

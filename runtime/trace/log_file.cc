// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/log_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/files.h"
#include "sys/memory.h"
#include "trace/log_format.h"

namespace xomp::trace {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Chunks begin at multiples of 4 KiB in the file, mappings at multiples of a buffer.
std::size_t before_page(std::size_t offset) { return offset % page_bytes(); }

/// Has the system find each buffer now, and not in the middle of what is recorded.
void touch(char* memory, std::size_t bytes) {
  std::size_t step = std::min<std::size_t>(page_bytes(), kChunkBytes);
  for (std::size_t at = 0; at < bytes; at += step)
    static_cast<volatile char*>(memory)[at] = 0;
}

} // namespace

int LogFile::create(const char* folder) {
  constexpr int kMostNames = 1000;
  std::size_t room = std::strlen(folder) + 64;
  path = static_cast<char*>(sys::allocate(room));
  auto process = static_cast<long>(getpid());
  std::snprintf(path, room, "%s/%ld.xomplog", folder, process);
  // An earlier program may have had the same number, in another container for example.
  for (int i = 1; i < kMostNames; ++i) {
    file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      break;
    std::snprintf(path, room, "%s/%ld-%d.xomplog", folder, process, i);
  }
  return file < 0 ? errno : 0;
}

int LogFile::open(const char* folder) {
  int error = sys::make_folders(folder);
  if (!error)
    error = create(folder);
  LogHeader header{};
  std::memcpy(header.magic, kLogMagic, sizeof header.magic);
  header.version = kLogVersion;
  header.header_bytes = kHeaderBytes;
  header.chunk_bytes = kChunkBytes;
  header.record_bytes = sizeof(Record);
  header.process = static_cast<uint64_t>(getpid());
  if (!error)
    error = sys::extend_file(file, 0, kHeaderBytes);
  if (!error)
    error = sys::write_at(file, &header, sizeof header, 0);
  if (error) {
    reset();
    return error;
  }
  size = kHeaderBytes;
  text_at = text_end = 0;
  return 0;
}

void LogFile::reset() {
  if (file >= 0)
    close(file);
  file = -1;
  sys::release(path);
  path = nullptr;
}

char* LogFile::map_chunk(int& error) {
  error = sys::extend_file(file, size, kChunkBytes);
  if (error)
    return nullptr;
  std::size_t lead = before_page(size);
  void* mapped = mmap(nullptr, lead + kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(size - lead));
  if (mapped == MAP_FAILED) {
    error = errno;
    return nullptr;
  }
  // A child must not write into its parent's log.
  madvise(mapped, lead + kChunkBytes, MADV_DONTFORK);
  char* memory = static_cast<char*>(mapped) + lead;
  touch(memory, kChunkBytes);
  size += kChunkBytes;
  return memory;
}

int LogFile::reserve(std::size_t bytes, std::size_t& offset) {
  int error = sys::extend_file(file, size, bytes);
  offset = size;
  size += error ? 0 : bytes;
  return error;
}

int LogFile::put_chunk(const char* chunk, std::size_t offset) const {
  return sys::write_at(file, chunk, kChunkBytes, offset);
}

bool LogFile::begin_text_chunk() {
  ChunkHeader header{};
  header.magic.store(kChunkMagic, std::memory_order_relaxed);
  header.kind = kTextChunk;
  header.domain = -1;
  if (sys::extend_file(file, size, kChunkBytes) ||
      sys::write_at(file, &header, sizeof header, size))
    return false;
  text_at = size + sizeof header;
  size += kChunkBytes;
  text_end = size;
  return true;
}

void LogFile::put_line(const char* key, const char* value, std::size_t length) {
  constexpr std::size_t kLongest = kChunkBytes / 2;
  if (!is_open())
    return;
  std::size_t key_length = std::strlen(key);
  length = std::min(length, kLongest - key_length);
  std::size_t bytes = key_length + 1 + length + 1;
  // The last byte of a chunk stays 0: it ends the text.
  if (text_at + bytes >= text_end && !begin_text_chunk())
    return;
  auto* line = static_cast<char*>(sys::allocate(bytes));
  std::memcpy(line, key, key_length);
  line[key_length] = ' ';
  std::memcpy(line + key_length + 1, value, length);
  std::replace(line, line + bytes - 1, '\n', ' ');
  line[bytes - 1] = '\n';
  if (sys::write_at(file, line, bytes, text_at) == 0)
    text_at += bytes;
  sys::release(line);
}

void LogFile::print_line(const char* key, const char* format, ...) {
  char text[128]; // a few numbers
  va_list args;
  va_start(args, format);
  int length = std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length > 0)
    put_line(key, text, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof text - 1));
}

int LogFile::flush() const { return fdatasync(file) == 0 ? 0 : errno; }

} // namespace xomp::trace

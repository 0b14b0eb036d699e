// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The log of one process: a file that grows by chunks. Those that are written to all the time are
// mapped: what is in a mapping is in the file, whatever happens to the process. Callers hold the
// recorder's lock, except where it says otherwise.
#pragma once
#include <cstddef>
#include <cstdint>

namespace xomp::trace {

class LogFile {
public:
  bool is_open() const { return file >= 0; }
  const char* name() const { return path; }

  /// Creates the log in `folder`, which is made if need be. 0, or an errno value.
  int open(const char* folder);
  /// In the child after fork: the file is the parent's.
  void reset();

  /// A mapped chunk, for as long as the process runs; null with `error` set: the file cannot grow.
  /// Every buffer is there: writing to it neither fails nor waits.
  char* map_chunk(int& error);
  /// Room for `bytes` at `offset`. 0, or an errno value.
  int reserve(std::size_t bytes, std::size_t& offset);
  /// Puts a chunk where room was reserved; by any thread, without the lock. 0, or an errno value.
  int put_chunk(const char* chunk, std::size_t offset) const;

  /// Appends "KEY VALUE" to the text chunks; what cannot be written is left out.
  void put_line(const char* key, const char* value, std::size_t length);
  [[gnu::format(printf, 3, 4)]] void print_line(const char* key, const char* format, ...);

  /// Returns when the disk has everything. 0, or an errno value.
  int flush() const;

private:
  bool begin_text_chunk();
  int create(const char* folder);

  int file = -1;
  char* path = nullptr;
  std::size_t size = 0;
  std::size_t text_at = 0, text_end = 0; ///< of the current text chunk
};

} // namespace xomp::trace

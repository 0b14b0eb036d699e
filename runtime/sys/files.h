// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths and files, where the C library's own calls are not enough.
#pragma once
#include <cstddef>

namespace xomp::sys {

/// `path` behind the working directory if it is relative; on the heap.
char* absolute_path(const char* path);

/// Makes a folder and those above it that are missing. 0, or an errno value.
int make_folders(const char* path);

/// Gives a file `bytes` more from `offset` on that the disk really has, all zero: a full disk is an
/// error here, not a signal to whoever writes to a mapping of them later. 0, or an errno value;
/// raises no SIGXFSZ.
int extend_file(int file, std::size_t offset, std::size_t bytes);

/// All of it, at this place. 0, or an errno value; raises no SIGXFSZ.
int write_at(int file, const void* data, std::size_t bytes, std::size_t offset);

/// What a file of /proc has; on the heap, terminated. Null: it cannot be read.
char* read_whole(const char* path, std::size_t& length);

} // namespace xomp::sys

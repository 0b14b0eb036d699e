// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of text in a log: what the process is, when, under which settings; and where its code
// lies.
#pragma once
#include <cstdint>

#include "trace/log_file.h"

namespace xomp::trace {

/// What is known from the beginning.
void put_process(LogFile& log);

/// The time stamp counter beside the clock, at one moment.
struct Reading {
  int64_t ticks = 0, time = 0;
};

Reading read_clock();
void put_clock(LogFile& log, Reading reading = read_clock());

/// The mappings with code, if they are others than those with this checksum. Returns theirs.
uint64_t put_modules(LogFile& log, uint64_t known);

/// What is said of a call of the program's; see `Recorder::describe`.
void put_call(LogFile& log, uint64_t codeptr, uint64_t body, const char* said);

} // namespace xomp::trace

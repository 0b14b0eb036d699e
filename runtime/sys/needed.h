// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which libraries the program and the libraries that are loaded so far ask for, by their names.
#pragma once

namespace xomp::sys {

/// Whether an object of this process needs a library whose file name `means` accepts, or is called
/// so itself.
bool is_needed_or_there(bool (*means)(const char* file));
/// Whether one needs it.
bool is_needed(bool (*means)(const char* file));

} // namespace xomp::sys

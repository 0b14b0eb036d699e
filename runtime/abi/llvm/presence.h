// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace xomp::llvm {

/// Whether this process has a program or library that asks for LLVM's or Intel's runtime, which is
/// us.
bool program_is_here();

} // namespace xomp::llvm

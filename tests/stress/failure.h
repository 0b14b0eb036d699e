// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong is said once; the rest of the run then only ends.
#pragma once

namespace stress {

void fail(const char* what);
bool has_failed();

} // namespace stress

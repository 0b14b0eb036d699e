// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says, when a process ends, that it did not run on this runtime although the user may believe so:
// `xomp run` cannot know which libraries a program will open.
#pragma once

namespace xomp {

/// `used`: whether the process has used this runtime. Prints at most one line, nothing where nobody
/// asked: neither `xomp run` (XOMP_RUN) nor XOMP_STATS nor XOMP_DISPLAY.
void warn_if_unused(bool used);

} // namespace xomp

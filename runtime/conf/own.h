// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xomp's own variables.
#pragma once
#include "conf/environment.h"
#include "sys/text_sink.h"

namespace xomp {

/// Reads those that depend on no other variable; settings.cc reads the rest. A malformed one gives
/// one warning and keeps its default.
void read_own(const Environment& environment);

/// All that are shown, as entries of OMP_DISPLAY_ENV.
void put_own(sys::TextSink& sink);

} // namespace xomp

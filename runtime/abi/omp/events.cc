// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_fulfill_event, for C and Fortran (which passes the handle by value as well).
#include "abi/export.h"
#include "abi/omp/versions.h"
#include "task/run.h"
#include "team/team.h"

namespace {

void fulfill(xomp::EventHandle event) {
  if (xomp::trace::listening(xomp::trace::kTool))
    xomp::me(); // a tool has to know which thread tells it
  xomp::fulfill(event);
}

} // namespace

XOMP_EXPORT void omp_fulfill_event(xomp::EventHandle event) { fulfill(event); }
XOMP_EXPORT void omp_fulfill_event_(xomp::EventHandle event) { fulfill(event); }

XOMP_ALSO_VERSION(OMP_5.0.1, omp_fulfill_event, omp_fulfill_event_);

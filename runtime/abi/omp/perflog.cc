// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xomp_perflog_*: the recorder, for C; Fortran's names without a module: the folder is a string,
// which may be empty.
#include "xomp.h"

#include "abi/export.h"
#include "abi/omp/fortran.h"
#include "team/tracing.h"
#include "trace/recorder.h"

XOMP_EXPORT int xomp_perflog_start(const char* folder) { return xomp::start_recording(folder); }
XOMP_EXPORT int xomp_perflog_stop() { return xomp::stop_recording(); }
XOMP_EXPORT int xomp_perflog_dump() { return xomp::trace::recorder.dump(); }

XOMP_EXPORT int xomp_perflog_start_(const char* folder, std::size_t length) {
  xomp::TerminatedCopy terminated(folder, length);
  return xomp::start_recording(terminated.get());
}
XOMP_EXPORT int xomp_perflog_stop_() { return xomp::stop_recording(); }
XOMP_EXPORT int xomp_perflog_dump_() { return xomp::trace::recorder.dump(); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The `error` directive at run time. A program's users know these lines as libomp prints them, with
// the place in the source, so the wording is libomp's.
#include <cstdlib>
#include <cstring>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "sys/memory.h"
#include "sys/report.h"
#include "sys/text_sink.h"
#include "team/team.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {

constexpr int kWarning = 1; // severity(warning); anything else is fatal

void put_message(sys::TextSink& sink, const Ident* ident, bool fatal, const char* message) {
  SourcePlace source(ident);
  sink.put(fatal ? "OMP: Error #282: " : "OMP: Warning #283: ");
  if (!source.file.empty()) {
    sink.put(source.file);
    sink.print(":%u:%u: ", source.line, source.column);
  }
  sink.put(fatal ? "Encountered user-directed error" : "Encountered user-directed warning");
  if (message) {
    sink.put(": ");
    sink.put(message);
  }
  sink.put(".\n");
}

void report(const Ident* ident, bool fatal, const char* message) {
  sys::TextSink measure(nullptr, 0);
  put_message(measure, ident, fatal, message);
  auto* text = static_cast<char*>(sys::allocate(measure.length()));
  sys::TextSink sink(text, measure.length());
  put_message(sink, ident, fatal, message);
  sys::print({text, sink.length()});
  sys::release(text);
}

void report(bool fatal, const char* message, const void* place) {
  if (!trace::listening(trace::kTool))
    return;
  me(); // a tool starts with the first thread that it can be told of
  trace::error_traced(fatal ? ompt_fatal : ompt_warning, message,
                      message ? std::strlen(message) : 0, place);
}

} // namespace

XOMP_EXPORT void __kmpc_error(const Ident* ident, int32_t severity, const char* message) {
  bool fatal = severity != kWarning;
  report(fatal, message, __builtin_return_address(0));
  report(ident, fatal, message);
  if (fatal)
    std::abort(); // as libomp does: what a program does at its exit would run inside of the region
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_control_tool, for C and Fortran: the program talks to the tool that looks at it, if there is
// one.
#include <cstdint>

#include "abi/export.h"
#include "abi/omp/versions.h"
#include "team/team.h"

namespace {

int control(int command, int64_t modifier, void* argument, const xomp::trace::CallSite& site) {
  xomp::me(); // the tool starts with the first thread that it can be told of
  return xomp::trace::control_tool(static_cast<uint64_t>(command), static_cast<uint64_t>(modifier),
                                   argument, site);
}

} // namespace

XOMP_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
  return control(command, modifier, argument, {__builtin_return_address(0), __builtin_dwarf_cfa()});
}
XOMP_EXPORT int omp_control_tool_(int command, int32_t modifier) {
  return control(command, modifier, nullptr, {__builtin_return_address(0), __builtin_dwarf_cfa()});
}
XOMP_EXPORT int omp_control_tool_8_(int command, int64_t modifier) {
  return control(command, modifier, nullptr, {__builtin_return_address(0), __builtin_dwarf_cfa()});
}

XOMP_ALSO_VERSION(OMP_6.0, omp_control_tool, omp_control_tool_);

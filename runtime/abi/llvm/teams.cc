// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// teams on the host, and what is said before it. distribute is a static loop among the teams.
#include <cstddef>
#include <utility>

#include "abi/export.h"
#include "abi/llvm/ident.h"
#include "abi/llvm/outlined.h"
#include "target/host.h"
#include "task/environment.h"

using namespace xomp;
using namespace xomp::llvm;

namespace {
unsigned positive(int32_t number) { return number > 0 ? static_cast<unsigned>(number) : 0; }
} // namespace

XOMP_EXPORT void __kmpc_push_num_teams(const Ident*, int32_t, int32_t teams, int32_t threads) {
  announced.teams = positive(teams);
  announced.team_threads = positive(threads);
}
XOMP_EXPORT void __kmpc_push_num_teams_51(const Ident*, int32_t, int32_t, int32_t most,
                                          int32_t threads) {
  announced.teams = positive(most);
  announced.team_threads = positive(threads);
}
/// thread_limit on target.
XOMP_EXPORT void __kmpc_set_thread_limit(const Ident*, int32_t, int32_t limit) {
  limit_team(me(), positive(limit));
}

XOMP_EXPORT void __kmpc_fork_teams(const Ident* ident, int32_t count, Outlined body, ...) {
  OutlinedCall call(body, count);
  va_list list;
  va_start(list, body);
  XOMP_READ_VARIABLES(call, list);
  va_end(list);
  const void* calls = reinterpret_cast<const void*>(body);
  const void* codeptr = __builtin_return_address(0);
  describe(ident, codeptr, calls);
  unsigned number = league_size(std::exchange(announced.teams, 0), 1);
  teams(me(), OutlinedCall::run, &call, number, std::exchange(announced.team_threads, 0),
        {codeptr, __builtin_dwarf_cfa(), calls});
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relacy's machinery, compiled once for all tests: for each number of threads the search by chance,
// without rl::simulate's two other searches, which nothing here uses.
#include "../checked_std.h"

namespace {

template <rl::thread_id_t kThreads> struct Any : rl::test_suite<Any<kThreads>, kThreads> {
  Any() { body.make(body.at); }
  ~Any() { body.destroy(body.at); }
  void before() { body.before(body.at); }
  void thread(unsigned index) { body.thread(body.at, index); }
  void after() { body.after(body.at); }
};

} // namespace

template <rl::thread_id_t kThreads> void search(rl::test_params& params) {
  using Scheduler = rl::random_scheduler<kThreads>;
  params.test_name = "";
  ::std::ostringstream state, again;
  rl::test_result_e result = rl::run_test<Any<kThreads>, Scheduler>(params, state, false);
  if (result == rl::test_result_success)
    return;
  // Once more, with the history of the run that went wrong.
  params.initial_state = params.final_state = state.str();
  params.collect_history = true;
  if (rl::run_test<Any<kThreads>, Scheduler>(params, again, true) != result)
    ::std::abort(); // the test is not deterministic
}
template void search<2>(rl::test_params&);
template void search<3>(rl::test_params&);
template void search<4>(rl::test_params&);

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same for threads that never sleep. Naive version: what a waiting worker keeps is shown to
// others only before it sleeps.
// By gcc alone: the other one is built by clang, too, and this one takes long.
// xomp-test: threads=2 timeout=60 env=OMP_WAIT_POLICY=active
#include "shown_to_others.cc"

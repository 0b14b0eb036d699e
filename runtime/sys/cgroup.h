// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much processor time the control groups of the process grant it: a container with half of a
// machine's time sees all of its processors. Groups nest, and the smallest share counts. Of version
// 2 `cpu.max` is read, of version 1 `cpu.cfs_quota_us` and `cpu.cfs_period_us`.
#pragma once

namespace xomp::sys {

/// In processors, rounded up, at least 1; 0 when there is no limit or none can be found out.
/// `root` is put before all paths, for tests.
int cgroup_quota(const char* root = "");

} // namespace xomp::sys

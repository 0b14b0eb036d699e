# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The benchmark harness: the same binaries on several OpenMP runtimes, in one interleaved run."""

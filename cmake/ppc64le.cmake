# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: ppc64le. The baseline of its ABI is POWER8.
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(cross_triplet powerpc64le-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: aarch64.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(cross_triplet aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)

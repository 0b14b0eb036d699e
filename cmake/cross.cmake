# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the toolchain files of other architectures have in common: Debian's cross compilers, and qemu, which runs one program
# of the architecture on this kernel. `tools/bootstrap ARCHITECTURE` installs both, and lays out build/cross/ARCHITECTURE: a
# root with the C library's folder and Debian's hwloc for the architecture, of which nothing is installed on this system.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${cross_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${cross_triplet}-g++)
set(XOMP_STOCK_PREFIX ${cross_triplet}-)

get_filename_component(cross_root ${CMAKE_CURRENT_LIST_DIR}/../build/cross/${CMAKE_SYSTEM_PROCESSOR} ABSOLUTE)
foreach(folder include include/${cross_triplet})
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${cross_root}/usr/${folder}")
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR})
set(XOMP_EMULATED_ROOT ${cross_root})

# Programs are this machine's, all else is not.
set(CMAKE_FIND_ROOT_PATH ${cross_root} /usr/${cross_triplet})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

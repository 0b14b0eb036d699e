#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a program under Debian's EZTrace, whose plugin is told of OpenMP's events by the runtime, and prints how many of each kind
# came into the trace; what the program prints is in the file `printed`. FOLDER: where real_programs.py has unpacked EZTrace.
# Without another runtime the program gets LLVM's, which the plugin needs.
#   real_programs_eztrace.sh FOLDER PROGRAM [ARGUMENT...]
set -eu
unpacked=$1
shift
libraries=$(echo "$unpacked"/usr/lib/*-linux-gnu)
plugin="$libraries/libeztrace-core.so $libraries/libeztrace-lib.so $libraries/libeztrace-ompt.so"
(
  export EZTRACE_TRACE=ompt EZTRACE_LIBRARY_PATH="$libraries" EZTRACE_TRACE_DIR="$PWD/trace"
  export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries"
  export LD_PRELOAD="${LD_PRELOAD:-libomp.so.5} $plugin"
  exec "$@" > printed
)
unset LD_PRELOAD
# Not barriers: of the one that ends a region of one thread libomp does not tell.
find trace -name '*.otf2' -exec env LD_LIBRARY_PATH="$libraries" "$unpacked/usr/bin/otf2-print" {} \; |
  sed -n -e '/barrier/d' -e 's/^\(ENTER\|LEAVE\) .*Region: \("[^"]*"\).*/\1 \2/p' -e 's/^\(THREAD_[A-Z_]*\) .*/\1/p' |
  sort | uniq -c

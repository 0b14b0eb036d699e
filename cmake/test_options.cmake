# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads the options that a test states in a comment line of its own:
#   xomp-test: threads=1,2,8 barriers=tree schedulers=ws,mts env=OMP_CANCELLATION=true env=A=b flags=-O0 libs=-lm args=7 timeout=90 skip=tsan asserts=core recorded=0 told=0 compilers=gcc,clang mixed=1
# A Fortran program's compilers are gfortran, which `gcc` stands for, and flang.

# The schedulers that there are, for `schedulers=`.
file(STRINGS ${CMAKE_SOURCE_DIR}/runtime/conf/schedulers.def known_schedulers REGEX "^XOMP_SCHEDULER")
list(TRANSFORM known_schedulers REPLACE "^.*\"(.*)\".*$" "\\1")

# Sets test_threads, test_barriers, test_schedulers, test_env, test_flags, test_libs, test_args, test_timeout, test_skip, test_serial,
# test_asserts, test_recorded, test_told, test_compilers and test_mixed in the caller.
macro(xomp_test_options source)
  set(test_threads 1 2 4)
  set(test_barriers central tree)
  set(test_timeout 60)
  set(test_recorded 1)
  set(test_told 1)
  set(test_compilers gcc)
  set(test_mixed 0)
  foreach(list schedulers env flags libs args skip serial asserts)
    set(test_${list} "")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} option_lines REGEX "xomp-test:")
  foreach(line ${option_lines})
    string(REGEX REPLACE "^.*xomp-test:" "" line "${line}")
    string(REGEX REPLACE "[*]/.*$" "" line "${line}")
    separate_arguments(words UNIX_COMMAND "${line}")
    foreach(word ${words})
      if(NOT word MATCHES "^(threads|barriers|schedulers|env|flags|libs|args|timeout|skip|serial|asserts|recorded|told|compilers|mixed)=(.*)$")
        message(FATAL_ERROR "${source}: unknown test option '${word}'")
      endif()
      set(key ${CMAKE_MATCH_1})
      set(value "${CMAKE_MATCH_2}")
      if(key MATCHES "^(threads|barriers|schedulers|timeout|skip|serial|asserts|recorded|told|compilers|mixed)$")
        string(REPLACE "," ";" test_${key} "${value}")
      else()
        list(APPEND test_${key} "${value}")
      endif()
    endforeach()
  endforeach()
  foreach(scheduler ${test_schedulers})
    if(NOT scheduler IN_LIST known_schedulers)
      message(FATAL_ERROR "${source}: unknown scheduler '${scheduler}'")
    endif()
  endforeach()
endmacro()

# ctest begins with what costs most, so that short tests, which are many and state none, fill the processors to the end.
set(cost_minute 100)
set(cost_seconds 10)
set(cost_second 1)

# What the sanitizers need to know at run time, and the name by which a test skips a build.
set(sanitizer_environment "")
set(build_kind plain)
if(XOMP_SANITIZE MATCHES address)
  set(build_kind asan)
  set(sanitizer_environment ASAN_OPTIONS=detect_stack_use_after_return=0 UBSAN_OPTIONS=print_stacktrace=1)
elseif(XOMP_SANITIZE MATCHES thread)
  set(build_kind tsan)
  set(sanitizer_environment TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1)
endif()

# The names of this build by which a test may skip it; `debug`: the library is not optimised.
set(skippable ${build_kind})
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND skippable debug)
endif()

# Whether a test that skips these is left out of this build.
function(xomp_is_skipped result)
  set(${result} FALSE PARENT_SCOPE)
  foreach(kind ${ARGN})
    if(kind IN_LIST skippable)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Under an emulator: what it needs to know, more time, and without the tests that tests/emulated.txt names.
set(emulator_environment "")
set(timeout_factor 1)
set(not_emulated "")
if(CMAKE_CROSSCOMPILING)
  set(emulator_environment QEMU_LD_PREFIX=${XOMP_EMULATED_ROOT} TEST_EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR})
  set(timeout_factor 4)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/emulated.txt)
  file(STRINGS ${CMAKE_SOURCE_DIR}/tests/emulated.txt not_emulated REGEX "^[^#]")
  list(TRANSFORM not_emulated REPLACE "  .*" "")
endif()

# The most that a test may take; one that is left out is still named, as disabled.
function(xomp_limit_test test timeout)
  math(EXPR timeout "${timeout} * ${timeout_factor}")
  set_tests_properties(${test} PROPERTIES TIMEOUT ${timeout})
  foreach(pattern ${not_emulated})
    if(test MATCHES "^(${pattern})$" OR "${CMAKE_SYSTEM_PROCESSOR}:${test}" MATCHES "^(${pattern})$")
      set_tests_properties(${test} PROPERTIES DISABLED ON)
    endif()
  endforeach()
endfunction()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads the options that a test states in a comment line of its own:
#   xomp-test: threads=1,2,8 barriers=tree schedulers=ws,mts env=OMP_CANCELLATION=true env=A=b flags=-O0 libs=-lm args=7 timeout=90 skip=tsan

# Sets test_threads, test_barriers, test_schedulers, test_env, test_flags, test_libs, test_args, test_timeout, test_skip and test_serial
# in the caller.
macro(xomp_test_options source)
  set(test_threads 1 2 4)
  set(test_barriers central tree)
  set(test_timeout 60)
  foreach(list schedulers env flags libs args skip serial)
    set(test_${list} "")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} option_lines REGEX "xomp-test:")
  foreach(line ${option_lines})
    string(REGEX REPLACE "^.*xomp-test:" "" line "${line}")
    string(REGEX REPLACE "[*]/.*$" "" line "${line}")
    separate_arguments(words UNIX_COMMAND "${line}")
    foreach(word ${words})
      if(NOT word MATCHES "^(threads|barriers|schedulers|env|flags|libs|args|timeout|skip|serial)=(.*)$")
        message(FATAL_ERROR "${source}: unknown test option '${word}'")
      endif()
      set(key ${CMAKE_MATCH_1})
      set(value "${CMAKE_MATCH_2}")
      if(key MATCHES "^(threads|barriers|schedulers|timeout|skip|serial)$")
        string(REPLACE "," ";" test_${key} "${value}")
      else()
        list(APPEND test_${key} "${value}")
      endif()
    endforeach()
  endforeach()
endmacro()

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

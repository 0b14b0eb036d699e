# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/unit/*.cc: one GoogleTest executable and one ctest entry per file, on the static core. Options in a comment of the
# file: `// xomp-test: timeout=60 libs=-lm`. `asserts=core`: only where the runtime has assertions; `asserts=alone`: with
# assertions in every build, on sys/ and headers alone, so that no object without them is linked.

find_package(Threads REQUIRED)
if(CMAKE_CROSSCOMPILING) # from its source: the system has it for its own architecture only
  add_subdirectory(/usr/src/googletest/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
else()
  find_package(GTest REQUIRED)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/test_options.cmake)

# GoogleTest's header takes a second to read: once for all that are compiled alike. Lines are all that is asked of debug
# information, and the rest takes a third of a compilation; as much is what -O2 takes, which is for the core alone.
set(unit_options -g1)
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND unit_options -O1)
endif()
file(WRITE ${CMAKE_BINARY_DIR}/unit_header.cc "")
add_library(unit_header OBJECT ${CMAKE_BINARY_DIR}/unit_header.cc)
target_link_libraries(unit_header PRIVATE xomp_core GTest::gtest_main Threads::Threads)
target_compile_options(unit_header PRIVATE ${unit_options})
target_precompile_headers(unit_header PRIVATE <gtest/gtest.h>)

file(GLOB unit_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/*.cc)
file(GLOB sys_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/sys/*.cc)
foreach(source ${unit_sources})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  xomp_test_options(${source})
  xomp_is_skipped(skipped ${test_skip})
  if(skipped OR (test_asserts STREQUAL core AND NOT XOMP_ASSERTS))
    continue()
  endif()
  add_executable(unit_${name} ${source})
  if(test_asserts)
    target_compile_definitions(unit_${name} PRIVATE XOMP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  endif()
  if(test_asserts STREQUAL alone)
    target_sources(unit_${name} PRIVATE ${sys_sources})
    target_compile_definitions(unit_${name} PRIVATE XOMP_ASSERTS)
    target_link_libraries(unit_${name} PRIVATE xomp_flags ${CMAKE_DL_LIBS})
  else()
    target_link_libraries(unit_${name} PRIVATE xomp_core)
  endif()
  target_compile_options(unit_${name} PRIVATE ${unit_options})
  if(NOT test_asserts)
    target_precompile_headers(unit_${name} REUSE_FROM unit_header)
  endif()
  target_link_libraries(unit_${name} PRIVATE GTest::gtest_main Threads::Threads ${test_libs})
  target_link_options(unit_${name} PRIVATE ${sanitize_flags})
  set_target_properties(unit_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
  add_test(NAME unit/${name} COMMAND unit_${name} --gtest_brief=1 WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
  xomp_limit_test(unit/${name} ${test_timeout})
  set_tests_properties(unit/${name} PROPERTIES LABELS unit
    ENVIRONMENT "${sanitizer_environment};${emulator_environment};${test_env}" RUN_SERIAL "${test_serial}")
endforeach()

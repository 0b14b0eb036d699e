# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/stress: the random task graph, compiled by the stock compiler. ctest runs it briefly; tests/stress/run for as long
# as one likes.

set(stress_folder ${CMAKE_BINARY_DIR}/tests/stress)
file(MAKE_DIRECTORY ${stress_folder})
xomp_stock_compile(${CMAKE_SOURCE_DIR}/tests/stress/stress.cc ${stress_folder}/stress)
add_custom_target(stress ALL DEPENDS ${stress_folder}/stress)
add_test(NAME stress/short
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --seconds 20 --slice 1)
set_tests_properties(stress/short PROPERTIES TIMEOUT 200 LABELS stress)

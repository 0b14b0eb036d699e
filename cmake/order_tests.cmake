# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/orders/*.cc: the runtime's templates under the C++ memory model, by relacy (Debian's relacy-dev). 0 is success.

find_path(XOMP_RELACY relacy/relacy.hpp)
if(NOT XOMP_RELACY)
  message(STATUS "relacy is not installed: the tests of memory orders are left out")
  return()
endif()
add_library(order_flags INTERFACE)
target_include_directories(order_flags INTERFACE ${CMAKE_SOURCE_DIR}/runtime ${CMAKE_SOURCE_DIR}/include)
target_include_directories(order_flags SYSTEM INTERFACE ${XOMP_RELACY})
# Relacy's fibers switch stacks by longjmp, which the checked variants refuse. What it tries does not depend on how the
# compiler optimises, and they run for less time than they are compiled.
target_compile_options(order_flags INTERFACE -Wall -Wextra -U_FORTIFY_SOURCE -O1 -g1)

# Its headers are read once, and what it needs for a number of threads is compiled once.
add_library(order_search OBJECT ${CMAKE_SOURCE_DIR}/tests/orders/search/search.cc)
target_link_libraries(order_search PRIVATE order_flags)
target_precompile_headers(order_search PRIVATE ${CMAKE_SOURCE_DIR}/tests/orders/checked_std.h)

file(GLOB order_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/orders/*.cc)
foreach(source ${order_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(order_${name} ${source} $<TARGET_OBJECTS:order_search>)
  target_link_libraries(order_${name} PRIVATE order_flags)
  target_precompile_headers(order_${name} REUSE_FROM order_search)
  set_target_properties(order_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/orders)
  add_test(NAME order/${name} COMMAND order_${name})
  set_tests_properties(order/${name} PROPERTIES TIMEOUT 120 COST ${cost_second} LABELS order)
endforeach()

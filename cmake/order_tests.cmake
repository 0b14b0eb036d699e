# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/orders/*.cc: the runtime's templates under the C++ memory model, by relacy (Debian's relacy-dev). 0 is success.

find_path(XOMP_RELACY relacy/relacy.hpp)
if(NOT XOMP_RELACY)
  message(STATUS "relacy is not installed: the tests of memory orders are left out")
  return()
endif()
file(GLOB order_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/orders/*.cc)
foreach(source ${order_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(order_${name} ${source})
  target_include_directories(order_${name} PRIVATE ${CMAKE_SOURCE_DIR}/runtime ${CMAKE_SOURCE_DIR}/include)
  target_include_directories(order_${name} SYSTEM PRIVATE ${XOMP_RELACY})
  # Relacy's fibers switch stacks by longjmp, which the checked variants refuse.
  target_compile_options(order_${name} PRIVATE -Wall -Wextra -U_FORTIFY_SOURCE)
  set_target_properties(order_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/orders)
  add_test(NAME order/${name} COMMAND order_${name})
  set_tests_properties(order/${name} PROPERTIES TIMEOUT 120 COST ${cost_second} LABELS order)
endforeach()

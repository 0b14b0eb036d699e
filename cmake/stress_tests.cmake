# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/stress: the random task graph, compiled by the stock compiler. ctest runs it briefly; tests/stress/run and
# tests/stress/soak for as long as one likes.

set(stress_folder ${CMAKE_BINARY_DIR}/tests/stress)
file(MAKE_DIRECTORY ${stress_folder})
file(GLOB stress_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/stress/*.cc)
set(stress_objects "")
foreach(source ${stress_sources})
  xomp_test_options(${source})
  get_filename_component(name ${source} NAME_WE)
  xomp_stock_compile(${source} ${stress_folder}/${name}.o -c)
  list(APPEND stress_objects ${stress_folder}/${name}.o)
endforeach()
add_custom_command(OUTPUT ${stress_folder}/stress DEPENDS ${stress_objects} VERBATIM COMMENT "Linking stress"
  COMMAND ${XOMP_STOCK_CXX} -fopenmp -pthread ${sanitize_flags} -o ${stress_folder}/stress ${stress_objects})
add_custom_target(stress ALL DEPENDS ${stress_folder}/stress)
set(stress_without "")
if(CMAKE_CROSSCOMPILING)
  set(stress_without --without forks) # as tests/emulated.txt says of children of fork
endif()
add_test(NAME stress/short
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --seconds 20 --slice 1 ${stress_without})
add_test(NAME stress/soak
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/soak --build ${CMAKE_BINARY_DIR} --seconds 20 --sample 1 --still 60)
foreach(test stress/short stress/soak)
  xomp_limit_test(${test} 300)
  set_tests_properties(${test} PROPERTIES LABELS stress ENVIRONMENT "${emulator_environment}")
endforeach()

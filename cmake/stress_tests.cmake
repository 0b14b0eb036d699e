# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/stress: the random task graph, compiled by the stock compiler, and by clang where it is, as stress_clang. ctest runs it
# briefly; tests/stress/run and tests/stress/soak for as long as one likes.

set(stress_folder ${CMAKE_BINARY_DIR}/tests/stress)
file(MAKE_DIRECTORY ${stress_folder})
file(GLOB stress_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/stress/*.cc)
# The program of one compiler; its objects are named as xomp_stock_compile expects it.
function(xomp_stress_program program compiler object_end)
  set(objects "")
  foreach(source ${stress_sources})
    xomp_test_options(${source})
    get_filename_component(name ${source} NAME_WE)
    xomp_stock_compile(${source} ${stress_folder}/${name}${object_end} -c)
    list(APPEND objects ${stress_folder}/${name}${object_end})
  endforeach()
  add_custom_command(OUTPUT ${stress_folder}/${program} DEPENDS ${objects} VERBATIM COMMENT "Linking ${program}"
    COMMAND ${compiler} -fopenmp -pthread ${sanitize_flags} -o ${stress_folder}/${program} ${objects})
endfunction()
set(stress_files ${stress_folder}/stress)
xomp_stress_program(stress ${XOMP_STOCK_CXX} .o)
if(clang_builds)
  list(APPEND stress_files ${stress_folder}/stress_clang)
  xomp_stress_program(stress_clang ${XOMP_CLANGXX} .o_clang)
endif()
add_custom_target(stress ALL DEPENDS ${stress_files})
set(stress_without "")
if(CMAKE_CROSSCOMPILING)
  set(stress_without --without forks) # as tests/emulated.txt says of children of fork
endif()
add_test(NAME stress/short
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --seconds 20 --slice 1 ${stress_without})
add_test(NAME stress/soak
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/soak --build ${CMAKE_BINARY_DIR} --seconds 10 --sample 1 --still 60)
set(stress_tests stress/short stress/soak)
if(clang_builds)
  add_test(NAME stress/clang
    COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --program stress_clang --seconds 10 --slice 1)
  list(APPEND stress_tests stress/clang)
endif()
foreach(test ${stress_tests})
  xomp_limit_test(${test} 300)
  set_tests_properties(${test} PROPERTIES COST ${cost_seconds} LABELS stress ENVIRONMENT "${emulator_environment}")
endforeach()

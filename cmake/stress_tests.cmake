# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/stress: the random task graph, compiled by the stock compiler, and by clang where it is, as stress_clang. ctest runs it
# briefly; tests/stress/run and tests/stress/soak for as long as one likes.

set(stress_folder ${CMAKE_BINARY_DIR}/tests/stress)
file(MAKE_DIRECTORY ${stress_folder})
file(GLOB stress_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/stress/*.cc)
# All of it is compiled in one go, which takes a third of the time of its files one by one: most of that is the library's headers.
set(stress_text "")
foreach(source ${stress_sources})
  string(APPEND stress_text "#include \"${source}\"\n")
endforeach()
file(CONFIGURE OUTPUT ${stress_folder}/all.cc CONTENT "${stress_text}" @ONLY) # written only when it changes
xomp_test_options(${stress_folder}/all.cc)
set(stress_files ${stress_folder}/stress)
xomp_stock_compile(${stress_folder}/all.cc ${stress_folder}/stress)
if(clang_builds)
  list(APPEND stress_files ${stress_folder}/stress_clang)
  xomp_stock_compile(${stress_folder}/all.cc ${stress_folder}/stress_clang)
endif()
add_custom_target(stress ALL DEPENDS ${stress_files})
set(stress_without "")
if(CMAKE_CROSSCOMPILING)
  set(stress_without --without forks) # as tests/emulated.txt says of children of fork
endif()
add_test(NAME stress/short
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --seconds 12 --slice 1 ${stress_without})
add_test(NAME stress/soak
  COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/soak --build ${CMAKE_BINARY_DIR} --seconds 6 --sample 1 --still 60)
set(stress_tests stress/short stress/soak)
if(clang_builds)
  add_test(NAME stress/clang
    COMMAND ${CMAKE_SOURCE_DIR}/tests/stress/run --build ${CMAKE_BINARY_DIR} --program stress_clang --seconds 6 --slice 1)
  list(APPEND stress_tests stress/clang)
endif()
foreach(test ${stress_tests})
  xomp_limit_test(${test} 300)
  set_tests_properties(${test} PROPERTIES COST ${cost_seconds} LABELS stress ENVIRONMENT "${emulator_environment}")
endforeach()

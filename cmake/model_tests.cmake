# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/models/*.pml: spin models of the protocols. Each `xomp-model:` line of a model is one verification, its words are
# what tools/check_model passes on.

find_program(XOMP_SPIN spin REQUIRED)
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/models/*.pml)
foreach(model ${models})
  get_filename_component(name ${model} NAME_WE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${model})
  file(STRINGS ${model} lines REGEX "xomp-model:")
  if(NOT lines)
    set(lines "xomp-model:")
  endif()
  set(number 0)
  foreach(line ${lines})
    math(EXPR number "${number} + 1")
    string(REGEX REPLACE "^.*xomp-model:" "" line "${line}")
    string(REGEX REPLACE "[*]/.*$" "" line "${line}")
    separate_arguments(words UNIX_COMMAND "${line}")
    add_test(NAME model/${name}/${number}
      COMMAND ${CMAKE_SOURCE_DIR}/tools/check_model ${model} ${CMAKE_BINARY_DIR}/tests/models/${name}.${number} ${words})
    set_tests_properties(model/${name}/${number} PROPERTIES TIMEOUT 120 COST ${cost_second} LABELS model)
  endforeach()
endforeach()

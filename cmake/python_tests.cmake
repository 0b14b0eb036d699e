# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/python/*/test_*.py: one ctest entry per file, run by the Python of the build's own environment; and the part of
# the conformance suite that belongs to every test run.

set(XOMP_PYTHON ${CMAKE_SOURCE_DIR}/build/venv/bin/python CACHE FILEPATH "a Python with pytest, typer and rich")
file(GLOB_RECURSE python_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/python/test_*.py)
foreach(file ${python_tests})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  add_test(NAME python/${name} COMMAND ${XOMP_PYTHON} -m pytest -q -p no:cacheprovider ${file}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(python/${name} PROPERTIES TIMEOUT 900 COST ${cost_seconds} LABELS python
    # Without pytest's plugins of other packages, which nothing here uses and which take a fifth of a second to load.
    ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;PYTEST_DISABLE_PLUGIN_AUTOLOAD=1;PYTHONPATH=${CMAKE_SOURCE_DIR}/python;TEST_BUILD=${CMAKE_BINARY_DIR}")
endforeach()

# xomp's policies on a clock of their own, which python/paper_letter compares with the papers' algorithms.
add_executable(letter_policies ${CMAKE_SOURCE_DIR}/tests/letter/policies.cc)
target_link_libraries(letter_policies PRIVATE xomp_core GTest::gtest Threads::Threads)
set_target_properties(letter_policies PROPERTIES OUTPUT_NAME policies RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/letter)

# What is installed and packaged is made by other programs, one after the other.
set_tests_properties(python/install python/packages python/site PROPERTIES TIMEOUT 1200)

# Each way of installing, in an empty system; skipped, with the reason, where none can be made.
add_test(NAME install/empty_system COMMAND ${CMAKE_SOURCE_DIR}/tests/install/run WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(install/empty_system PROPERTIES TIMEOUT 1200 COST ${cost_minute} SKIP_RETURN_CODE 77)
# `make test-packages` runs them, and `make test` does not.
set_tests_properties(python/packages install/empty_system PROPERTIES LABELS packages)

# All three let tools/package and the targets of this folder make what they install.
set_tests_properties(python/install python/packages install/empty_system PROPERTIES RESOURCE_LOCK packages)

# The stored part of GCC's own test suite, on this build's library. They share their folder, but may run beside other tests.
add_test(NAME conformance/quick WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  COMMAND ${XOMP_PYTHON} -m xomp.conformance --subset quick --lib ${CMAKE_BINARY_DIR}/lib --quiet)
set_tests_properties(conformance/quick PROPERTIES TIMEOUT 400 COST ${cost_seconds} LABELS conformance RESOURCE_LOCK conformance
  ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${CMAKE_SOURCE_DIR}/python")

# The same of binaries of clang and flang, where they are. All pass on xomp; libomp, which spins in one until it is ended, would
# only take time.
if(clang_builds)
  add_test(NAME conformance/quick-clang WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMAND ${XOMP_PYTHON} -m xomp.conformance --compiler clang --subset quick-clang --no-reference --lib ${CMAKE_BINARY_DIR}/lib --quiet)
else()
  add_test(NAME conformance/quick-clang COMMAND sh -c "echo 'no clang with OpenMP here'; exit 77")
endif()
set_tests_properties(conformance/quick-clang PROPERTIES TIMEOUT 400 COST ${cost_seconds} LABELS conformance RESOURCE_LOCK conformance SKIP_RETURN_CODE 77
  ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1;PYTHONPATH=${CMAKE_SOURCE_DIR}/python")

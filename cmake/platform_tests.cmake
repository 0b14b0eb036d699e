# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The library for other architectures, and a part of its tests under an emulator; skipped, with the reason, where the cross
# compilers are missing. All of them: make test PRESET=ARCHITECTURE.
foreach(architecture aarch64 ppc64le)
  add_test(NAME platform/${architecture} COMMAND ${CMAKE_SOURCE_DIR}/tests/platforms/run ${architecture})
  set_tests_properties(platform/${architecture} PROPERTIES TIMEOUT 1200 COST ${cost_minute} LABELS platform SKIP_RETURN_CODE 77
    PROCESSORS 2) # it compiles: nothing else runs beside it
endforeach()

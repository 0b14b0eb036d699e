# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ompt/: the tool that checks what a runtime tells, for any runtime: it shares nothing with ours but the public header. Never
# sanitized, so that programs without a sanitizer can load it.

file(GLOB ompt_check_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ompt/*.cc)
add_library(xomp_ompt_check SHARED ${ompt_check_sources})
target_include_directories(xomp_ompt_check PRIVATE ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(xomp_ompt_check PRIVATE _GNU_SOURCE)
target_compile_options(xomp_ompt_check PRIVATE -Wall -Wextra -pthread -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -fvisibility=hidden -fvisibility-inlines-hidden)
# As with the runtime, nothing of libstdc++.
set_target_properties(xomp_ompt_check PROPERTIES LINKER_LANGUAGE C NO_SONAME ON
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
target_link_options(xomp_ompt_check PRIVATE -pthread -static-libgcc -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed)
target_link_libraries(xomp_ompt_check PRIVATE ${CMAKE_DL_LIBS})

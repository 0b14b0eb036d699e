# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime: the layers below abi/ as `xomp_core` (also an archive, for the unit tests), and libxomp.so from all layers.

set(core_rooms sys queue place conf trace ompt events sched sched/papers task team locks memory worksharing target)
set(core_globs ${core_rooms})
list(TRANSFORM core_globs PREPEND ${CMAKE_SOURCE_DIR}/runtime/)
list(TRANSFORM core_globs APPEND /*.cc)
file(GLOB core_sources CONFIGURE_DEPENDS ${core_globs})
file(GLOB abi_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/abi/*.cc
     ${CMAKE_SOURCE_DIR}/runtime/abi/gnu/*.cc ${CMAKE_SOURCE_DIR}/runtime/abi/llvm/*.cc
     ${CMAKE_SOURCE_DIR}/runtime/abi/omp/*.cc)
set(version_script ${CMAKE_SOURCE_DIR}/runtime/abi/libxomp.map)

if(XOMP_SANITIZE)
  set(sanitize_flags -fsanitize=${XOMP_SANITIZE} -fno-omit-frame-pointer)
  if(XOMP_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    list(APPEND sanitize_flags -Wno-tsan) # fences are not modelled: a known limit
  endif()
  if(XOMP_SANITIZE MATCHES undefined)
    list(APPEND sanitize_flags -fno-sanitize=vptr -fno-sanitize-recover=undefined)
  endif()
endif()

# What every translation unit of the runtime is compiled with. Baseline instruction set on purpose: the library must load
# on any machine of its architecture.
add_library(xomp_flags INTERFACE)
target_include_directories(xomp_flags INTERFACE ${CMAKE_SOURCE_DIR}/runtime ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(xomp_flags INTERFACE XOMP_VERSION="${PROJECT_VERSION}" _GNU_SOURCE)
if(XOMP_DELAYS)
  target_compile_definitions(xomp_flags INTERFACE XOMP_DELAYS)
endif()
if(XOMP_ASSERTS)
  target_compile_definitions(xomp_flags INTERFACE XOMP_ASSERTS)
endif()
target_compile_options(xomp_flags INTERFACE -Wall -Wextra -pthread ${sanitize_flags})
set(runtime_options -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden
    -fvisibility-inlines-hidden -ftls-model=initial-exec -fno-semantic-interposition -fno-math-errno
    # Ubuntu's compilers add these checks by default: to the frame of every task that is run at once.
    -fno-stack-protector -fno-stack-clash-protection)

# Threads of programs may have small stacks: tests/programs/regions/small_stacks.c adds the frames up.
if(NOT XOMP_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  list(APPEND runtime_options -Wframe-larger-than=2304)
endif()

# What is included before every file. A sanitizer takes the place of these functions by their names.
set(first_header "")
if(NOT XOMP_SANITIZE)
  set(first_header ${CMAKE_SOURCE_DIR}/runtime/sys/old_glibc.h)
endif()
# The library's own headers are read once: most files spend a third of a second on them, and what is made of a file is the
# same. The debug preset goes without, so that a file that does not include what it needs is found.
set(standard_headers <algorithm> <atomic> <bit> <cstring> <string_view> <utility>)
if(CMAKE_BUILD_TYPE STREQUAL Debug)
  set(standard_headers "")
  list(TRANSFORM first_header PREPEND "SHELL:-include " OUTPUT_VARIABLE first_option)
  list(APPEND runtime_options ${first_option})
endif()

function(xomp_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE xomp_flags)
  target_compile_options(${name} PRIVATE ${runtime_options})
endfunction()

if(core_sources)
  xomp_objects(xomp_core_objects ${core_sources})
  if(standard_headers)
    target_precompile_headers(xomp_core_objects PRIVATE ${first_header} ${standard_headers})
  endif()
  add_library(xomp_core STATIC $<TARGET_OBJECTS:xomp_core_objects>)
  target_link_libraries(xomp_core PUBLIC xomp_flags ${CMAKE_DL_LIBS})
  set(library_objects $<TARGET_OBJECTS:xomp_core_objects>)
endif()
if(abi_sources)
  xomp_objects(xomp_abi_objects ${abi_sources})
  if(standard_headers)
    target_precompile_headers(xomp_abi_objects REUSE_FROM xomp_core_objects)
  endif()
  list(APPEND library_objects $<TARGET_OBJECTS:xomp_abi_objects>)
endif()

# Linked by the C driver, and without the libraries that CMake knows of C++: nothing of libstdc++ may be needed at run time.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")

# What programs on glibc before 2.34 may not have loaded. Each costs a program some 40 microseconds at its start.
set(portable_libraries)
foreach(name libpthread.so.0 libdl.so.2)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE "${found}")
    list(APPEND portable_libraries -l:${name})
  endif()
endforeach()

# The library in `folder`, with its other names beside it.
function(xomp_library name folder portable)
  set(folder ${CMAKE_BINARY_DIR}/${folder})
  add_library(${name} SHARED ${library_objects})
  # The SONAME is libgomp.so.1: a preloaded libxomp.so then satisfies a program's need for libgomp.so.1, and the system's
  # libgomp is not loaded as well.
  set_target_properties(${name} PROPERTIES OUTPUT_NAME xomp LINKER_LANGUAGE C NO_SONAME ON LINK_DEPENDS ${version_script}
    LIBRARY_OUTPUT_DIRECTORY ${folder})
  # Bound when it is loaded (now): a first call that is bound later saves all registers, some kB, on its thread's stack.
  target_link_options(${name} PRIVATE -pthread -static-libgcc ${sanitize_flags} -Wl,-soname,libgomp.so.1 -Wl,-z,nodelete
    -Wl,-z,defs -Wl,-z,relro -Wl,-z,now -Wl,-O1 -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,--version-script=${version_script})
  if(portable)
    target_link_options(${name} PRIVATE -Wl,--push-state,--no-as-needed ${portable_libraries} -Wl,--pop-state)
  endif()
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  set(links)
  set(other_names)
  foreach(other ${xomp_other_names})
    list(APPEND other_names ${folder}/${other})
    list(APPEND links COMMAND ${CMAKE_COMMAND} -E create_hardlink $<TARGET_FILE:${name}> ${folder}/${other})
  endforeach()
  # Hard links: threadpoolctl knows OpenMP runtimes by the names of their files, after it has resolved symbolic links.
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E rm -f ${other_names}
    ${links})
endfunction()

xomp_library(xomp lib ${XOMP_PORTABLE})
# The same objects for wheels: `tools/package` links them so.
xomp_library(xomp_portable portable ON)
set_target_properties(xomp_portable PROPERTIES EXCLUDE_FROM_ALL ON)

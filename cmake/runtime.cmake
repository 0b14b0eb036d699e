# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The runtime: the rooms below abi/ as `xomp_core` (also an archive, for the unit tests), and libxomp.so from all rooms.

set(core_rooms sys queue place conf trace sched task team)
set(core_globs ${core_rooms})
list(TRANSFORM core_globs PREPEND ${CMAKE_SOURCE_DIR}/runtime/)
list(TRANSFORM core_globs APPEND /*.cc)
file(GLOB core_sources CONFIGURE_DEPENDS ${core_globs})
file(GLOB abi_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/abi/*.cc
     ${CMAKE_SOURCE_DIR}/runtime/abi/gnu/*.cc ${CMAKE_SOURCE_DIR}/runtime/abi/omp/*.cc)
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
target_compile_options(xomp_flags INTERFACE -Wall -Wextra -pthread ${sanitize_flags})
set(runtime_options -fPIC -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden
    -fvisibility-inlines-hidden -ftls-model=initial-exec -fno-semantic-interposition -fno-math-errno
    # Ubuntu's compilers add these checks by default: to the frame of every task that is run at once.
    -fno-stack-protector -fno-stack-clash-protection)

function(xomp_objects name)
  add_library(${name} OBJECT ${ARGN})
  target_link_libraries(${name} PRIVATE xomp_flags)
  target_compile_options(${name} PRIVATE ${runtime_options})
endfunction()

if(core_sources)
  xomp_objects(xomp_core_objects ${core_sources})
  add_library(xomp_core STATIC $<TARGET_OBJECTS:xomp_core_objects>)
  target_link_libraries(xomp_core PUBLIC xomp_flags ${CMAKE_DL_LIBS})
  set(library_objects $<TARGET_OBJECTS:xomp_core_objects>)
endif()
if(abi_sources)
  xomp_objects(xomp_abi_objects ${abi_sources})
  list(APPEND library_objects $<TARGET_OBJECTS:xomp_abi_objects>)
endif()

# Linked by the C driver, and without the libraries that CMake knows of C++: nothing of libstdc++ may be needed at run time.
set(CMAKE_CXX_IMPLICIT_LINK_LIBRARIES "")
add_library(xomp SHARED ${library_objects})
# The SONAME is libgomp.so.1: a preloaded libxomp.so then satisfies a program's need for libgomp.so.1, and the system's
# libgomp is not loaded as well.
set_target_properties(xomp PROPERTIES LINKER_LANGUAGE C NO_SONAME ON LINK_DEPENDS ${version_script}
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
target_link_options(xomp PRIVATE -pthread -static-libgcc ${sanitize_flags} -Wl,-soname,libgomp.so.1 -Wl,-z,nodelete
  -Wl,-z,defs -Wl,-z,relro -Wl,-O1 -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,--version-script=${version_script})
target_link_libraries(xomp PRIVATE ${CMAKE_DL_LIBS})
# A hard link: threadpoolctl knows OpenMP runtimes by the names of their files, after it has resolved symbolic links.
add_custom_command(TARGET xomp POST_BUILD VERBATIM
  COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_BINARY_DIR}/lib/libgomp.so.1
  COMMAND ${CMAKE_COMMAND} -E create_hardlink $<TARGET_FILE:xomp> ${CMAKE_BINARY_DIR}/lib/libgomp.so.1)

# A folder of its own: on the loader's default path it would take the place of the system's libgomp for everybody.
include(GNUInstallDirs)
if(SKBUILD)
  set(install_folder lib) # inside the Python package
else()
  set(install_folder ${CMAKE_INSTALL_LIBDIR}/xomp)
endif()
install(TARGETS xomp LIBRARY DESTINATION ${install_folder} COMPONENT runtime)
install(PROGRAMS $<TARGET_FILE:xomp> DESTINATION ${install_folder} RENAME libgomp.so.1 COMPONENT runtime)
if(NOT SKBUILD)
  install(FILES include/xomp.h include/omp-tools.h include/xomp_lib.f90 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
endif()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# tests/programs/FOLDER/*.{c,cc,f90}: OpenMP programs compiled by the stock GNU compilers, run on libxomp.so as libgomp.so.1, once
# per number of threads and barrier, with the most threads under each scheduler that it names, once recorded, once under the tool that checks what is told, and once without the system calls of newer kernels. A program returns 0 when all is well, 77 when the machine lacks what it needs.
# A program whose options name clang is built by it as well (or only), as NAME_clang, and runs in the same ways.
# With mixed=1 both compilers build it, each with an object of the same source by the other one, compiled with -DOTHER; and where a
# part_NAME.f90 lies beside it with two more, of that source by gfortran and by flang.
# A Fortran program whose options name flang is built by it as well, as NAME_flang.
# lib_NAME.{c,cc} becomes lib_NAME.so in the working directory, for programs that open libraries.

include(${CMAKE_CURRENT_LIST_DIR}/test_options.cmake)
find_program(XOMP_STOCK_CC ${XOMP_STOCK_PREFIX}gcc REQUIRED)
find_program(XOMP_STOCK_CXX ${XOMP_STOCK_PREFIX}g++ REQUIRED)
find_program(XOMP_STOCK_FC ${XOMP_STOCK_PREFIX}gfortran REQUIRED)

# Optional: without clang and its OpenMP header one test says so.
find_program(XOMP_CLANG NAMES clang-19 clang)
find_program(XOMP_CLANGXX NAMES clang++-19 clang++)
set(clang_builds OFF)
if(XOMP_CLANG AND XOMP_CLANGXX AND NOT CMAKE_CROSSCOMPILING AND NOT XOMP_SANITIZE)
  file(WRITE ${CMAKE_BINARY_DIR}/clang_openmp.c "#include <omp.h>\nint main(void) { return omp_get_level(); }\n")
  execute_process(COMMAND ${XOMP_CLANG} -fopenmp ${CMAKE_BINARY_DIR}/clang_openmp.c -o ${CMAKE_BINARY_DIR}/clang_openmp
    RESULT_VARIABLE clang_fails OUTPUT_QUIET ERROR_QUIET)
  if(clang_fails EQUAL 0)
    set(clang_builds ON)
  endif()
endif()

# What clang's -fopenmp links to, for programs of gcc with objects of clang.
if(clang_builds)
  execute_process(COMMAND ${XOMP_CLANG} -print-file-name=libomp.so OUTPUT_VARIABLE clang_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()

# Optional as well, and only with clang's OpenMP: without flang one test says so.
find_program(XOMP_FLANG NAMES flang-new-19 flang-19 flang)
set(flang_builds OFF)
if(XOMP_FLANG AND clang_builds)
  file(WRITE ${CMAKE_BINARY_DIR}/flang_openmp.f90 "use omp_lib\nif (omp_get_level() /= 0) stop 1\nend\n")
  execute_process(COMMAND ${XOMP_FLANG} -fopenmp ${CMAKE_BINARY_DIR}/flang_openmp.f90 -o ${CMAKE_BINARY_DIR}/flang_openmp
    RESULT_VARIABLE flang_fails OUTPUT_QUIET ERROR_QUIET)
  if(flang_fails EQUAL 0)
    set(flang_builds ON)
  endif()
endif()

set(programs_folder ${CMAKE_BINARY_DIR}/tests/programs)
file(MAKE_DIRECTORY ${programs_folder})
set(program_files "")
set(without_clang "")
set(without_flang "")

# Compiles one source with the stock compiler of its language into `output`, with the caller's `test_objects`; clang or flang where
# the name ends in _clang or _flang.
function(xomp_stock_compile source output)
  get_filename_component(extension ${source} LAST_EXT)
  get_filename_component(name ${output} NAME)
  set(common -O2 -g -Wall -fopenmp -pthread)
  if(name MATCHES "_flang$")
    set(compile ${XOMP_FLANG} -module-dir ${output}.mod)
    set(common -O2 -g -w -fopenmp) # it knows neither -Wall nor -pthread
    file(MAKE_DIRECTORY ${output}.mod)
  elseif(name MATCHES "_clang$")
    set(compile ${XOMP_CLANG})
    if(extension STREQUAL ".cc")
      set(compile ${XOMP_CLANGXX} -std=c++20)
    endif()
    # It does not know that `detach` sets its variable, nor all of gcc's warnings that programs turn off.
    list(APPEND common -Wno-pass-failed -Wno-uninitialized -Wno-unused-command-line-argument -Wno-unknown-warning-option)
    list(APPEND compile -MMD -MF ${output}.d -MT ${output})
  elseif(extension STREQUAL ".c")
    set(compile ${XOMP_STOCK_CC} -MMD -MF ${output}.d -MT ${output})
  elseif(extension STREQUAL ".cc")
    set(compile ${XOMP_STOCK_CXX} -std=c++20 -MMD -MF ${output}.d -MT ${output})
  else()
    set(compile ${XOMP_STOCK_FC} -J ${output}.mod)
    file(MAKE_DIRECTORY ${output}.mod)
  endif()
  set(linked ${test_libs} -ldl)
  if("-c" IN_LIST ARGN)
    set(linked "")
  endif()
  if(NOT extension STREQUAL ".f90")
    set(depfile DEPFILE ${output}.d)
  endif()
  add_custom_command(OUTPUT ${output} ${depfile} DEPENDS ${source} ${test_objects} VERBATIM COMMENT "Stock compiler: ${name}"
    COMMAND ${compile} ${common} -I${CMAKE_SOURCE_DIR}/tests/programs
            ${sanitize_flags} ${test_flags} ${ARGN} -o ${output} ${source} ${test_objects} ${linked})
endfunction()

# The test program/PROGRAM/THREADS/RUN, with the options of the program's source; more words: a command to run it through.
function(xomp_add_run program threads run environment)
  set(test program/${program}/${threads}/${run})
  add_test(NAME ${test} WORKING_DIRECTORY ${programs_folder}
    COMMAND ${ARGN} ${CMAKE_CROSSCOMPILING_EMULATOR} ${programs_folder}/${program} ${test_args})
  xomp_limit_test(${test} ${test_timeout})
  set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 LABELS program
    ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib;OMP_NUM_THREADS=${threads};${emulator_environment};${environment};${test_env}")
  if(test_serial)
    set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

# One run with the recorder on, whose log is read afterwards: event points are on paths of their own.
# Read by this Python, without its packages: `env python3` may be a script of pyenv's, which takes longer than the program.
function(xomp_add_recorded_test program threads)
  set(python ${XOMP_PYTHON} -IS)
  if(CMAKE_CROSSCOMPILING) # whose tests install none
    set(python "")
  endif()
  xomp_add_run(${program} ${threads} recorded "TEST_LISTENED=1;XOMP_PERFLOG_LIMIT=4M;${sanitizer_environment}"
    ${python} ${CMAKE_SOURCE_DIR}/tests/programs/recorded)
endfunction()

# One run under the tool that checks what the runtime tells: an error if it breaks a rule of OpenMP's interface for tools. The
# compiler turns calls at a function's end into jumps, which leave no return address in the program.
function(xomp_add_told_test program threads)
  set(ignored no-address)
  if(NOT test_told STREQUAL 1)
    string(APPEND ignored +${test_told})
  endif()
  xomp_add_run(${program} ${threads} told "TEST_LISTENED=1;OMP_TOOL_LIBRARIES=${CMAKE_BINARY_DIR}/lib/libxomp_ompt_check.so;OMPT_CHECK=fail,ignore=${ignored}")
endfunction()

# One run as on the oldest kernel that is promised, whose system calls are fewer.
function(xomp_add_old_kernel_test program threads)
  xomp_add_run(${program} ${threads} old-kernel "" ${programs_folder}/old_kernel)
endfunction()

# One run under a barrier and a scheduler. A named scheduler has two locality domains to balance between.
function(xomp_add_program_test program threads barrier scheduler)
  set(run ${barrier})
  set(chosen "")
  if(NOT scheduler STREQUAL default)
    string(APPEND run /${scheduler})
    set(chosen "XOMP_SCHEDULER=${scheduler};XOMP_TOPOLOGY=numa:2 core:2 pu:1;")
  endif()
  xomp_add_run(${program} ${threads} ${run} "XOMP_BARRIER=${barrier};${chosen}${sanitizer_environment}")
endfunction()

set(old_kernel_source ${CMAKE_SOURCE_DIR}/tests/kernel/old_kernel.c)
xomp_test_options(${old_kernel_source})
xomp_stock_compile(${old_kernel_source} ${programs_folder}/old_kernel)
list(APPEND program_files ${programs_folder}/old_kernel)

file(GLOB program_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/programs/*/*.c
     ${CMAKE_SOURCE_DIR}/tests/programs/*/*.cc ${CMAKE_SOURCE_DIR}/tests/programs/*/*.f90 ${CMAKE_SOURCE_DIR}/tests/programs/*.c
     ${CMAKE_SOURCE_DIR}/tests/programs/*.cc)
foreach(source ${program_sources})
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(file ${source} NAME)
  xomp_test_options(${source})
  xomp_is_skipped(skipped ${test_skip})
  if(skipped)
    continue()
  endif()
  if(name MATCHES "^part_")
    continue()
  endif()
  if(name MATCHES "^lib_")
    xomp_stock_compile(${source} ${programs_folder}/${name}.so -shared -fPIC)
    list(APPEND program_files ${programs_folder}/${name}.so)
    continue()
  endif()
  get_filename_component(folder ${source} DIRECTORY)
  set(part ${folder}/part_${name}.f90)
  foreach(compiler ${test_compilers})
    string(REPLACE "." "_" program ${file}) # a C and a Fortran program may share a name
    if((compiler STREQUAL clang OR test_mixed) AND NOT clang_builds)
      list(APPEND without_clang ${program})
      continue()
    elseif((compiler STREQUAL flang OR EXISTS ${part}) AND NOT flang_builds)
      list(APPEND without_flang ${program})
      continue()
    elseif(compiler MATCHES "^(clang|flang)$")
      string(APPEND program _${compiler})
    endif()
    set(test_objects "")
    if(test_mixed)
      set(other ${programs_folder}/${program}_other)
      if(compiler STREQUAL gcc)
        string(APPEND other _clang)
      endif()
      xomp_stock_compile(${source} ${other} -c -DOTHER)
      set(objects ${other})
      if(EXISTS ${part})
        foreach(fortran gfortran flang)
          xomp_stock_compile(${part} ${programs_folder}/${program}_part_${fortran} -c -cpp)
          list(APPEND objects ${programs_folder}/${program}_part_${fortran})
        endforeach()
      endif()
      set(test_objects ${objects})
      if(compiler STREQUAL gcc)
        list(APPEND test_objects ${clang_runtime})
      endif()
    endif()
    xomp_stock_compile(${source} ${programs_folder}/${program})
    set(test_objects "")
    list(APPEND program_files ${programs_folder}/${program})
    list(GET test_threads -1 most_threads)
    if(test_recorded STREQUAL 1 OR test_recorded STREQUAL build_kind)
      xomp_add_recorded_test(${program} ${most_threads})
    endif()
    if(test_told AND build_kind STREQUAL plain)
      xomp_add_told_test(${program} ${most_threads})
    endif()
    list(GET test_compilers 0 first_compiler)
    # Once: which compiler has built it makes no difference to the kernel. (An emulator makes calls of its own.)
    if(build_kind STREQUAL plain AND NOT CMAKE_CROSSCOMPILING AND compiler STREQUAL first_compiler)
      xomp_add_old_kernel_test(${program} ${most_threads})
    endif()
    foreach(scheduler default ${test_schedulers})
      foreach(threads ${test_threads})
        if(NOT scheduler STREQUAL default AND NOT threads EQUAL most_threads)
          continue()
        endif()
        set(barriers ${test_barriers})
        # Nor to a barrier: the default with every number of threads, the other with the most.
        if(NOT compiler STREQUAL first_compiler AND NOT threads EQUAL most_threads)
          list(GET test_barriers -1 barriers)
        endif()
        foreach(barrier ${barriers})
          xomp_add_program_test(${program} ${threads} ${barrier} ${scheduler})
        endforeach()
      endforeach()
    endforeach()
  endforeach()
endforeach()
if(without_clang)
  add_test(NAME program/clang COMMAND sh -c "echo 'no clang with OpenMP here: not built by it: ${without_clang}'; exit 77")
  set_tests_properties(program/clang PROPERTIES SKIP_RETURN_CODE 77 LABELS program)
endif()
if(without_flang)
  add_test(NAME program/flang COMMAND sh -c "echo 'no flang with OpenMP here: not built by it: ${without_flang}'; exit 77")
  set_tests_properties(program/flang PROPERTIES SKIP_RETURN_CODE 77 LABELS program)
endif()
add_custom_target(programs ALL DEPENDS ${program_files})
add_dependencies(programs xomp) # some link to lib/libxomp.so for what libgomp does not have

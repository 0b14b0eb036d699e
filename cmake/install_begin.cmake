# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Before the first file: whether the prefix can be written, what an earlier install left there, which folders are new.
set(xomp_root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")

set(xomp_made) # as in the record: relative to the prefix, with a slash at the end
if(NOT IS_DIRECTORY "${xomp_root}")
  list(APPEND xomp_made ./)
endif()
foreach(folder IN LISTS xomp_destinations)
  while(folder AND NOT IS_DIRECTORY "${xomp_root}/${folder}")
    list(APPEND xomp_made "${folder}/")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()

execute_process(COMMAND mkdir -p "${xomp_root}" RESULT_VARIABLE failed ERROR_QUIET)
if(NOT failed)
  execute_process(COMMAND mktemp "${xomp_root}/.xomp-XXXXXX" RESULT_VARIABLE failed OUTPUT_VARIABLE probe ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(xomp_refused)
if(failed)
  set(xomp_refused "xomp cannot be installed: ${xomp_root} cannot be written; choose another --prefix, or use sudo")
  return() # who includes this says it: a message from here would be followed by where it was called
endif()
file(REMOVE "${probe}")

set(xomp_record "${xomp_root}/${xomp_tools}/installed")
set(xomp_earlier)
if(EXISTS "${xomp_record}")
  file(STRINGS "${xomp_record}" xomp_earlier)
  list(POP_FRONT xomp_earlier earlier_version)
  if(NOT earlier_version STREQUAL "xomp ${xomp_version}")
    message(STATUS "xomp ${xomp_version} takes the place of ${earlier_version} in ${xomp_root}")
  endif()
endif()

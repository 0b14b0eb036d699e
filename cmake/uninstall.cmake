# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D PREFIX=... -P uninstall.cmake: removes what an install recorded under $DESTDIR$PREFIX, and the folders that it
# made, unless something else lies in them by now.
if(NOT TOOLS)
  set(TOOLS share/xomp)
endif()
set(root "$ENV{DESTDIR}${PREFIX}")
set(record "${root}/${TOOLS}/installed")
if(NOT EXISTS "${record}")
  message(FATAL_ERROR "xomp is not installed in ${root}: it has no ${TOOLS}/installed")
endif()
file(STRINGS "${record}" lines)
list(POP_FRONT lines version)
set(folders)
foreach(line IN LISTS lines)
  if(line MATCHES "/$")
    list(APPEND folders "${line}")
  else()
    file(REMOVE "${root}/${line}")
    get_filename_component(folder "${line}" DIRECTORY)
    while(folder MATCHES "^${TOOLS}(/|$)") # all below it is of the install
      list(APPEND folders "${folder}/")
      get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
  endif()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING) # what lies in a folder comes before it; ./ is the last
foreach(folder IN LISTS folders)
  string(REGEX REPLACE "^\\./$" "" folder "${folder}")
  execute_process(COMMAND rmdir "${root}/${folder}" ERROR_QUIET) # stays unless empty
endforeach()
message(STATUS "removed ${version} from ${root}")

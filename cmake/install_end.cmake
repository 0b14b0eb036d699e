# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# After the last file: Python's byte code (the command never writes any), the record of what is there, and away with what
# an earlier install had and this one has not. The record: a line with the version, then a path a line, relative to the
# prefix; folders that were made end with a slash.
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)
set(files)
foreach(file IN LISTS CMAKE_INSTALL_MANIFEST_FILES)
  file(RELATIVE_PATH file "${CMAKE_INSTALL_PREFIX}" "${file}")
  list(APPEND files "${file}")
endforeach()

# Checked by nobody later: nothing but an install changes these sources.
execute_process(COMMAND "${xomp_python}" -m compileall -q --invalidation-mode unchecked-hash -s "$ENV{DESTDIR}"
  "${xomp_root}/${xomp_tools}" OUTPUT_QUIET ERROR_QUIET)
file(GLOB_RECURSE compiled RELATIVE "${xomp_root}" "${xomp_root}/${xomp_tools}/*.pyc")
list(APPEND files ${compiled} "${xomp_tools}/installed")
list(REMOVE_DUPLICATES files)

set(gone ${xomp_earlier})
list(FILTER gone EXCLUDE REGEX "/$")
list(REMOVE_ITEM gone ${files})
foreach(file IN LISTS gone)
  file(REMOVE "${xomp_root}/${file}")
  get_filename_component(folder "${file}" DIRECTORY)
  execute_process(COMMAND rmdir --parents "${folder}" WORKING_DIRECTORY "${xomp_root}" ERROR_QUIET) # while empty
endforeach()

list(FILTER xomp_earlier INCLUDE REGEX "/$")
list(APPEND xomp_made ${xomp_earlier})
list(REMOVE_DUPLICATES xomp_made)
list(JOIN files "\n" files)
list(JOIN xomp_made "\n" xomp_made)
file(WRITE "${xomp_record}" "xomp ${xomp_version}\n${files}\n${xomp_made}\n")
cmake_policy(POP)

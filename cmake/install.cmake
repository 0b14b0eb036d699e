# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where everything goes: the library into a folder of its own, because on the loader's default path it would take the
# place of the system's libgomp for everybody. All paths in what is installed are relative to it, so a prefix can be moved.
# Components: runtime, development and tools are those of the packages; `record` lists the files of a prefix in
# share/xomp/installed, for cmake/uninstall.cmake and for the next install there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(library ${CMAKE_BINARY_DIR}/lib/libxomp.so)
if(XOMP_PREBUILT)
  set(library ${XOMP_PREBUILT})
endif()
if(SKBUILD)
  set(library_folder lib) # inside the Python package
  # A wheel has no links: under a name of LLVM's the library would be loaded a second time. Preloaded it serves
  # programs that ask for these as well.
  set(installed_names libgomp.so.1)
else()
  set(library_folder ${CMAKE_INSTALL_LIBDIR}/xomp)
  set(installed_names ${xomp_other_names})
endif()

set(tools_folder ${CMAKE_INSTALL_DATADIR}/xomp)
set(XOMP_COMMAND_PYTHON python3 CACHE STRING "the Python that the installed command runs")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/xomp)
set(module_folder ${CMAKE_INSTALL_DATADIR}/modulefiles/xomp)
set(bash_folder ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(zsh_folder site-functions CACHE STRING "zsh's folder for completions: vendor-completions in Debian's packages")
set(fish_folder ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

if(NOT SKBUILD)
  install(CODE "
    set(xomp_version ${PROJECT_VERSION})
    set(xomp_tools \"${tools_folder}\")
    set(xomp_python \"${XOMP_COMMAND_PYTHON}\")
    set(xomp_destinations \"${library_folder};${CMAKE_INSTALL_INCLUDEDIR};${package_folder};${CMAKE_INSTALL_LIBDIR}/pkgconfig\"
      \"${tools_folder};${CMAKE_INSTALL_BINDIR};${CMAKE_INSTALL_MANDIR}/man1;${CMAKE_INSTALL_MANDIR}/man7;${module_folder}\"
      \"${bash_folder};${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder};${fish_folder}\")
  " COMPONENT record)
  install(SCRIPT cmake/install_begin.cmake COMPONENT record)
  install(CODE "if(xomp_refused)\n  message(FATAL_ERROR \"\${xomp_refused}\")\nendif()" COMPONENT record)
endif()

install(CODE "
  set(folder \"\${CMAKE_INSTALL_PREFIX}/${library_folder}\")
  file(INSTALL DESTINATION \"\${folder}\" TYPE SHARED_LIBRARY FILES \"${library}\")
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\$ENV{DESTDIR}\${folder}/libxomp.so\")
  endif()
  # Hard links, as in the build folder.
  foreach(name ${installed_names})
    file(CREATE_LINK \"\$ENV{DESTDIR}\${folder}/libxomp.so\" \"\$ENV{DESTDIR}\${folder}/\${name}\")
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${folder}/\${name}\")
  endforeach()
" COMPONENT runtime)

if(SKBUILD)
  return()
endif()

# The tool that checks what a runtime tells tools (ompt/), beside it.
get_filename_component(checker "${library}" DIRECTORY)
install(CODE "
  set(folder \"\${CMAKE_INSTALL_PREFIX}/${library_folder}\")
  file(INSTALL DESTINATION \"\${folder}\" TYPE SHARED_LIBRARY FILES \"${checker}/libxomp_ompt_check.so\")
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded \"\$ENV{DESTDIR}\${folder}/libxomp_ompt_check.so\")
  endif()
" COMPONENT runtime)

# Development: headers, and the ways to link.
file(GLOB headers CONFIGURE_DEPENDS include/*.h include/*.f90)
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(generated ${CMAKE_BINARY_DIR}/generated)
set(LIBRARY_FOLDER ${library_folder})
configure_package_config_file(cmake/xompConfig.cmake.in ${generated}/xompConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS LIBRARY_FOLDER CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${generated}/xompConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/xompConfig.cmake ${generated}/xompConfigVersion.cmake DESTINATION ${package_folder}
  COMPONENT development)

file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/xomp.pc.in ${generated}/xomp.pc @ONLY)
install(FILES ${generated}/xomp.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Tools: the command with what it needs, its pages and completions, the environment module.
install(DIRECTORY python/xomp DESTINATION ${tools_folder}/python COMPONENT tools PATTERN __pycache__ EXCLUDE)
file(RELATIVE_PATH package_to_library /prefix/${tools_folder}/python/xomp /prefix/${library_folder})
install(CODE "
  set(link \"\${CMAKE_INSTALL_PREFIX}/${tools_folder}/python/xomp/lib\")
  file(CREATE_LINK \"${package_to_library}\" \"\$ENV{DESTDIR}\${link}\" SYMBOLIC)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${link}\")
" COMPONENT tools)

file(RELATIVE_PATH command_to_tools /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${tools_folder})
configure_file(cmake/xomp.in ${generated}/xomp @ONLY)
install(PROGRAMS ${generated}/xomp DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)

# Made by the command itself, where it has its packages; else left out.
set(XOMP_PYTHON ${CMAKE_SOURCE_DIR}/build/venv/bin/python CACHE FILEPATH "a Python with pytest, typer and rich")
file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS python/xomp/*.py)
add_custom_command(OUTPUT ${generated}/pages.made VERBATIM
  COMMAND ${CMAKE_SOURCE_DIR}/tools/make_pages ${XOMP_PYTHON} ${generated}
  DEPENDS tools/make_pages tools/pages.py tools/roff.py docs/cli.md docs/variables.md ${command_sources})
add_custom_target(pages ALL DEPENDS ${generated}/pages.made)
install(DIRECTORY ${generated}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT tools OPTIONAL)
# What the command imports, fetched by tools/bootstrap: distributions have older ones.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/build/carried DESTINATION ${tools_folder} COMPONENT tools OPTIONAL
  PATTERN __pycache__ EXCLUDE PATTERN bin EXCLUDE PATTERN .complete EXCLUDE
  PATTERN .agents EXCLUDE)
install(FILES ${generated}/completion/bash/xomp DESTINATION ${bash_folder} COMPONENT tools OPTIONAL)
install(FILES ${generated}/completion/zsh/_xomp DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}
  COMPONENT tools OPTIONAL)
install(FILES ${generated}/completion/fish/xomp.fish DESTINATION ${fish_folder} COMPONENT tools OPTIONAL)

file(RELATIVE_PATH module_to_prefix /prefix/${module_folder} /prefix)
configure_file(cmake/modulefile.in ${generated}/modulefile @ONLY)
install(FILES ${generated}/modulefile DESTINATION ${module_folder} RENAME ${PROJECT_VERSION} COMPONENT tools)

install(SCRIPT cmake/install_end.cmake COMPONENT record)

add_custom_target(uninstall VERBATIM
  COMMAND ${CMAKE_COMMAND} -D PREFIX=${CMAKE_INSTALL_PREFIX} -D TOOLS=${tools_folder}
    -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages by CPack: libxomp (the library), libxomp-dev (what links with it) and xomp (the command).
set(CPACK_PACKAGE_NAME xomp)
set(CPACK_PACKAGE_CONTACT "The xomp authors <xomp@packages.invalid>")
set(CPACK_PACKAGE_VENDOR xomp)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE "")
set(debian_version ${PROJECT_VERSION}-1)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libxomp)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "OpenMP runtime for programs whose tasks are small
Programs built by gcc, clang, Intel's compilers or their Fortran run on it as
they are, in place of libgomp, libomp and libiomp5. The library lies in a
folder of its own: nothing uses it unless it is asked to, by 'xomp run' of the
package xomp, by LD_LIBRARY_PATH, or by being linked with it (libxomp-dev).")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libxomp-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libxomp (= ${debian_version})")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "OpenMP runtime for small tasks, to link with
Headers, the CMake package and the pkg-config file, for programs that are
linked with xomp, or that call what it offers beyond OpenMP.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME xomp)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libxomp (= ${debian_version}), python3 (>= 3.10)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "python3-numpy, python3-matplotlib")
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA
  "${CMAKE_SOURCE_DIR}/cmake/debian/postinst;${CMAKE_SOURCE_DIR}/cmake/debian/prerm")
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "runs OpenMP programs on xomp, and says where their time goes
'xomp run' starts a program on the OpenMP runtime xomp instead of its own,
'xomp info' says what it would run on, and 'xomp profile' where its threads
lost their time, and why.")

# What Debian wants to find beside each package's files.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(files ${CMAKE_BINARY_DIR}/generated/debian)
set(made)
foreach(component runtime development tools)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  configure_file(cmake/debian/changelog.in ${files}/${package}.changelog @ONLY)
  add_custom_command(OUTPUT ${files}/${package}/changelog.gz ${files}/${package}/changelog.Debian.gz VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${files}/${package}
    COMMAND sh -c "gzip -9nc < '${CMAKE_SOURCE_DIR}/CHANGELOG.md' > '${files}/${package}/changelog.gz'"
    COMMAND sh -c "gzip -9nc < '${files}/${package}.changelog' > '${files}/${package}/changelog.Debian.gz'"
    DEPENDS CHANGELOG.md ${files}/${package}.changelog)
  list(APPEND made ${files}/${package}/changelog.gz ${files}/${package}/changelog.Debian.gz)
  install(FILES ${files}/${package}/changelog.gz ${files}/${package}/changelog.Debian.gz cmake/debian/copyright
    DESTINATION share/doc/${package} COMPONENT ${component})
  file(CONFIGURE OUTPUT ${files}/${package}.overrides CONTENT "# Not made for Debian's archive.\ninitial-upload-closes-no-bugs\n")
  install(FILES ${files}/${package}.overrides DESTINATION share/lintian/overrides RENAME ${package} COMPONENT ${component})
endforeach()
add_custom_target(debian_files DEPENDS ${made})

include(CPack)

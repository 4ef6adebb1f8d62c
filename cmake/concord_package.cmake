# SPDX-License-Identifier: Apache-2.0
# cpack --config build/release/CPackConfig.cmake: a Debian package of everything that is installed.

# The documents are written first, with links that lead to what is installed.
set(package_docs ${CMAKE_BINARY_DIR}/package_docs)
string(JOIN " " write_docs
       "\"${Python3_EXECUTABLE}\" -B \"${CMAKE_CURRENT_LIST_DIR}/package_docs.py\""
       "\"${CMAKE_SOURCE_DIR}\" \"${package_docs}\" \"${CMAKE_INSTALL_DOCDIR}\""
       "\"${CMAKE_INSTALL_INCLUDEDIR}\" \"${CMAKE_INSTALL_DATADIR}\"")
install(CODE "execute_process(COMMAND ${write_docs} COMMAND_ERROR_IS_FATAL ANY)")
install(DIRECTORY ${package_docs}/ DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME concord)
set(CPACK_PACKAGE_VENDOR "The Concord authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Conformance suite for convolution kernels")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Concord authors <maintainers@concord.invalid>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # what the programs and the plugins are linked with
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-jinja2, python3-jsonschema")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3-numpy, python3-onnx, nodejs, g++, make, libgtest-dev")
include(CPack)

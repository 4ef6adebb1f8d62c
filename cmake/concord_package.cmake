# SPDX-License-Identifier: Apache-2.0
# cpack --config build/release/CPackConfig.cmake: a Debian package of everything that is installed.
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        FILES_MATCHING PATTERN *.md PATTERN *.json PATTERN *.svg PATTERN *.html PATTERN *.yml)

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

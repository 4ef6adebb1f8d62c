# SPDX-License-Identifier: Apache-2.0
# Backends of libraries that need not be there: backends/optional.txt lists them with their packages.
include_guard()

option(CONCORD_OPTIONAL "Build the backends of backends/optional.txt whose packages are installed" ON)

# concord_packages_of(NAME variable): the packages that optional.txt lists for a backend.
function(concord_packages_of name variable)
  file(STRINGS ${CMAKE_SOURCE_DIR}/backends/optional.txt rows REGEX "^${name} ")
  string(REGEX MATCH "^[^ ]+ +(.*)$" row "${rows}")
  set(${variable} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# concord_optional_test(NAME command...): a test of a backend that may be missing, where it is skipped.
function(concord_optional_test name)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS conformance TIMEOUT 600 SKIP_RETURN_CODE 77)
endfunction()

# concord_optional_plugin(NAME NEEDS variable... SOURCES file... [DEPS target...] [CONFIGS text...])
# A plugin as of concord_plugin(), if every variable of NEEDS, filled by find_path() or
# find_library(), holds a path. The test optional_NAME judges it, also in the configurations given.
function(concord_optional_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS;SOURCES;DEPS;CONFIGS")
  concord_packages_of(${name} packages)
  set(found ${CONCORD_OPTIONAL})
  foreach(variable ${arg_NEEDS})
    if(NOT ${variable})
      set(found OFF)
    endif()
  endforeach()
  if(found)
    message(STATUS "Optional backend ${name}: built")
    concord_plugin(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  else()
    file(REMOVE ${CONCORD_PLUGIN_DIRECTORY}/${name}.so) # built before the library was removed
    message(STATUS "Optional backend ${name}: not built, needs ${packages}")
  endif()
  list(TRANSFORM arg_CONFIGS PREPEND ${name}:)
  concord_optional_test(optional_${name} Python3::Interpreter -B
                        ${CMAKE_SOURCE_DIR}/backends/optional_test.py $<TARGET_FILE:concord>
                        ${CMAKE_SOURCE_DIR} ${name} ${arg_CONFIGS})
endfunction()

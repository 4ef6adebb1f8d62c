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

# concord_python_module(NAME variable): true if the interpreter has a module of that name.
function(concord_python_module name variable)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c
            "import importlib.util, sys; sys.exit(not importlib.util.find_spec('${name}'))"
    RESULT_VARIABLE code)
  if(code EQUAL 0)
    set(${variable} ON PARENT_SCOPE)
  else()
    set(${variable} OFF PARENT_SCOPE)
  endif()
endfunction()

# concord_npm_packages(FOLDER variable): true if Node.js is there, and npm has installed what FOLDER's package-lock.json pins.
function(concord_npm_packages folder variable)
  find_program(CONCORD_NODE node)
  set(${variable} OFF PARENT_SCOPE)
  if(CONCORD_NODE AND EXISTS ${folder}/node_modules/.package-lock.json) # npm's own record of it
    set(${variable} ON PARENT_SCOPE)
  endif()
endfunction()

# Sets `found` in the caller's scope: every variable of the list holds something true, and no path that is no longer there. CMake's cache keeps
# the paths of packages that were removed; it sees that of a header if the variable is of find_file().
macro(concord_find_needs name needs)
  concord_packages_of(${name} packages)
  set(found ${CONCORD_OPTIONAL})
  foreach(variable ${needs})
    if(NOT ${variable} OR (IS_ABSOLUTE "${${variable}}" AND NOT EXISTS "${${variable}}"))
      set(found OFF)
    endif()
  endforeach()
  if(found)
    message(STATUS "Optional backend ${name}: built")
  else()
    message(STATUS "Optional backend ${name}: not built, needs ${packages}")
  endif()
endmacro()

# The test optional_NAME judges a backend, also in the configurations given, on such a part of smoke
# as --shard takes.
function(concord_judge_optional name shard)
  list(TRANSFORM ARGN PREPEND ${name}: OUTPUT_VARIABLE configured)
  concord_optional_test(optional_${name} Python3::Interpreter -B
                        ${CMAKE_SOURCE_DIR}/backends/optional_test.py $<TARGET_FILE:concord>
                        ${CMAKE_SOURCE_DIR} ${shard} ${name} ${configured})
endfunction()

# concord_optional_plugin(NAME NEEDS variable... SOURCES file... [DEPS target...] [CONFIGS text...])
# A plugin as of concord_plugin(), if every variable of NEEDS, filled by find_path() or
# find_library(), holds a path.
function(concord_optional_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "NEEDS;SOURCES;DEPS;CONFIGS")
  concord_find_needs(${name} "${arg_NEEDS}")
  if(found)
    concord_plugin(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS})
  else()
    file(REMOVE ${CONCORD_PLUGIN_DIRECTORY}/${name}.so) # built before the library was removed
  endif()
  concord_judge_optional(${name} 1/1 ${arg_CONFIGS})
endfunction()

# concord_optional_program(NAME FILE file NEEDS variable... [CONFIGS text...])
# A program that speaks the exec protocol, as the backend NAME: a link to it beside the plugins.
function(concord_optional_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE" "NEEDS;CONFIGS")
  concord_find_needs(${name} "${arg_NEEDS}")
  if(found)
    file(MAKE_DIRECTORY ${CONCORD_PLUGIN_DIRECTORY})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE} ${CONCORD_PLUGIN_DIRECTORY}/${name} SYMBOLIC)
    add_custom_target(plugin_${name}) # conform.sh builds what it judges
  else()
    file(REMOVE ${CONCORD_PLUGIN_DIRECTORY}/${name})
  endif()
  concord_judge_optional(${name} 1/12 ${arg_CONFIGS}) # they take minutes for a whole suite
endfunction()

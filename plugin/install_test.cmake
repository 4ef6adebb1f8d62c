# SPDX-License-Identifier: Apache-2.0
# Installs the header, builds the template from the installed files alone, by make and by CMake, and
# has a host in C try each of the two plugins; then tries the functions of the CMake package.
# Variables: BUILD, WORK, INCLUDE, DATA, BIN, CC, HOST.
cmake_minimum_required(VERSION 3.25)

# run(COMMAND word...): fails with what the command printed.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component plugin_header)

file(GLOB_RECURSE headers RELATIVE ${prefix}/${INCLUDE} ${prefix}/${INCLUDE}/*)
if(NOT headers STREQUAL "concord_plugin.h")
  message(FATAL_ERROR "installed headers: ${headers}; want concord_plugin.h alone")
endif()

set(by_make ${WORK}/by_make)
file(COPY ${prefix}/${DATA}/template/ DESTINATION ${by_make})
run(make -C ${by_make} CC=${CC} CONCORD_INCLUDE=${prefix}/${INCLUDE}
    "CFLAGS=-O2 -pedantic -Wall -Wextra -Werror")
run(${HOST} ${by_make}/template.so)

set(by_cmake ${WORK}/by_cmake)
file(COPY ${prefix}/${DATA}/template/ DESTINATION ${by_cmake})
run(${CMAKE_COMMAND} -S ${by_cmake} -B ${by_cmake}/build -D CMAKE_C_COMPILER=${CC}
    -D CMAKE_PREFIX_PATH=${prefix} -D "CMAKE_C_FLAGS=-pedantic -Wall -Wextra -Werror")
run(${CMAKE_COMMAND} --build ${by_cmake}/build)
run(${HOST} ${by_cmake}/build/template.so)

# The functions of the package, as far as CMake takes them: the program is an empty file.
foreach(file ${BIN}/concord ${DATA}/googletest/concord_googletest.cpp)
  file(WRITE ${prefix}/${file} "")
endforeach()

# configure(RESULT OUTPUT LINE): configures a project with the template and this line, and gives the
# exit code and what was printed, or what it gives ctest.
function(configure result_name output_name line)
  set(project ${WORK}/functions)
  file(REMOVE_RECURSE ${project})
  file(WRITE ${project}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.25)\nproject(functions C CXX)\nenable_testing()\n"
       "find_package(concord REQUIRED)\nadd_library(mine MODULE ${prefix}/${DATA}/template/template.c)\n"
       "target_link_libraries(mine concord::plugin_header)\n" "${line}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${project} -B ${project}/build -D CMAKE_C_COMPILER=${CC}
                          -D CMAKE_PREFIX_PATH=${prefix}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    file(READ ${project}/build/CTestTestfile.cmake output)
  else()
    string(REGEX REPLACE "[ \n]+" " " output "${output}")  # it wraps lines
  endif()
  set(${result_name} ${result} PARENT_SCOPE)
  set(${output_name} "${output}" PARENT_SCOPE)
endfunction()

# wants(LINE TEXT...): fails unless the line is taken and ctest is given each text.
function(wants line)
  configure(result output "${line}")
  cmake_parse_arguments(PARSE_ARGV 1 want "" "" "TEXTS")
  foreach(text IN LISTS want_TEXTS)
    string(FIND "${output}" "${text}" place)
    if(NOT result EQUAL 0 OR place EQUAL -1)
      message(FATAL_ERROR "${line}\nlacks ${text}:\n${output}")
    endif()
  endforeach()
endfunction()

# refuses(LINE TEXT): fails unless the line is refused with that text.
function(refuses line text)
  configure(result output "${line}")
  string(FIND "${output}" "${text}" place)
  if(result EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "${line}\nwas to be refused with ${text}:\n${output}")
  endif()
endfunction()

wants([[concord_add_conformance_test(conforms PLUGIN mine OPTIONS --filter "a;b" --dtype f32)]]
      TEXTS [["--filter" "a;b" "--dtype" "f32"]])
wants([[concord_add_googletest(cases PLUGIN mine OPTIONS --class "a;b" --lower)]]
      TEXTS [["--run=--class" "--run=a;b" "--run=--lower"]])
refuses([[concord_add_conformance_test(conforms PLUGIN nothing)]]
        "concord_add_conformance_test(conforms): PLUGIN 'nothing' is no target")
refuses([[concord_add_googletest(cases PLUGIN mine SHADRS 3)]]
        "concord_add_googletest(cases): unknown SHADRS")

# SPDX-License-Identifier: Apache-2.0
# Installs the header, builds the template from the installed files alone, by make and by CMake, and
# has a host in C try each of the two plugins. Variables: BUILD, WORK, INCLUDE, DATA, CC, HOST.
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

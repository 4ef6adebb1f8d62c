# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed: what one build has compiled, another takes from its
# cache, though it lies in another directory, as a clone of continuous integration does.
include_guard()

option(CONCORD_CCACHE "Compile through ccache where it is installed" ON)
find_program(CONCORD_CCACHE_PROGRAM ccache)
mark_as_advanced(CONCORD_CCACHE_PROGRAM)

if(CONCORD_CCACHE AND CONCORD_CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Tools that read compile_commands.json know a launcher by its name.
  set(launcher ${CMAKE_BINARY_DIR}/launcher/ccache)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/compiler_cache.sh.in ${launcher} @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# SPDX-License-Identifier: Apache-2.0
# Headers of other projects, which take a second to read, are read once for many sources. A source
# still includes what it uses: builds without precompiled headers, clang-tidy's too, tell if not.
include_guard()

# A launcher such as ccache keeps objects across builds, but not those made with precompiled headers.
set(default OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CROSSCOMPILING)
  set(default ON)
endif()
option(CONCORD_PRECOMPILE "Precompile the headers of other projects" ${default})

# concord_precompile(TARGET GROUP header...)
# The first target of a group says which headers; the others, of equal compiler options, share them.
function(concord_precompile target group)
  if(NOT CONCORD_PRECOMPILE)
    return()
  endif()
  set(base concord_headers_${group})
  if(NOT TARGET ${base})
    # A library of its own, so that none waits for the program of another.
    set(source ${CMAKE_BINARY_DIR}/precompiled/${group}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "")
    add_library(${base} OBJECT ${source})
    target_precompile_headers(${base} PRIVATE ${ARGN})
    foreach(property POSITION_INDEPENDENT_CODE CXX_VISIBILITY_PRESET CXX_EXTENSIONS COMPILE_OPTIONS)
      get_target_property(value ${target} ${property})
      if(NOT value STREQUAL "value-NOTFOUND")
        set_target_properties(${base} PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    get_target_property(libraries ${target} LINK_LIBRARIES)
    list(FILTER libraries INCLUDE REGEX "^concord_options$|::")
    target_link_libraries(${base} PRIVATE ${libraries})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${base})
endfunction()

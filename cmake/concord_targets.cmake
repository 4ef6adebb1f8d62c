# SPDX-License-Identifier: Apache-2.0
# The only place that sets compiler options. Every target of the project is created by
# one of the four functions below, so that a folder's own CMakeLists.txt stays a few lines long.
include_guard()
include(GNUInstallDirs)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CONCORD_PLUGIN_DIRECTORY ${CMAKE_BINARY_DIR}/plugins)

# Shared by all targets: the standard, the warnings, the root of the includes.
add_library(concord_options INTERFACE)
target_compile_features(concord_options INTERFACE cxx_std_20 c_std_99)
target_include_directories(concord_options INTERFACE ${CMAKE_SOURCE_DIR})
# No contraction: a*b+c rounds twice unless a kernel asks for std::fma or an intrinsic.
target_compile_options(
  concord_options
  INTERFACE -Wall -Wextra -Wpedantic -Wshadow -ffp-contract=off -fno-math-errno
            $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wsign-conversion -Wnon-virtual-dtor>
            # GCC 12 finds faults in its own std::string at -O3 (GCC bugs 105651, 105329).
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict -Wno-free-nonheap-object>
            $<$<BOOL:${CONCORD_WARNINGS_AS_ERRORS}>:-Werror>)
if(CONCORD_FUZZERS)
  # libFuzzer sees which branches its inputs reach, in the libraries, too.
  target_compile_options(concord_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()
if(CONCORD_SANITIZE)
  target_compile_options(concord_options INTERFACE -fsanitize=${CONCORD_SANITIZE}
                                                   -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # GCC loses sight of what is initialized behind them.
  target_compile_options(concord_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(concord_options INTERFACE -fsanitize=${CONCORD_SANITIZE})
endif()

# concord_sources(VARIABLE folder...)
# The C++ sources in these folders, which may be patterns, apart from tests.
function(concord_sources variable)
  list(TRANSFORM ARGN APPEND "/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# concord_library(NAME SOURCES file... [DEPS target...])
# A static library concord_NAME of one layer.
function(concord_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_library(concord_${name} STATIC ${arg_SOURCES})
  set_target_properties(concord_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                   CXX_VISIBILITY_PRESET hidden
                                                   CXX_EXTENSIONS OFF)
  target_link_libraries(concord_${name} PUBLIC concord_options ${arg_DEPS})
endfunction()

# concord_executable(NAME SOURCES file... [DEPS target...])
# A program in build/<preset>/bin.
function(concord_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE concord_options ${arg_DEPS})
endfunction()

# concord_plugin(NAME SOURCES file... [DEPS target...])
# A backend: build/<preset>/plugins/NAME.so, which exports what cmake/plugin_exports.map says.
function(concord_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS")
  add_library(plugin_${name} MODULE ${arg_SOURCES})
  set_target_properties(
    plugin_${name}
    PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${CONCORD_PLUGIN_DIRECTORY}
               C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN ON CXX_EXTENSIONS OFF C_EXTENSIONS OFF)
  target_link_libraries(plugin_${name} PRIVATE concord_options ${arg_DEPS})
  set(exports ${CMAKE_SOURCE_DIR}/cmake/plugin_exports.map)
  target_link_options(plugin_${name} PRIVATE -Wl,--version-script=${exports})
  set_property(TARGET plugin_${name} APPEND PROPERTY LINK_DEPENDS ${exports})
endfunction()

# concord_data(NAME folder [option of install(DIRECTORY)...])
# Files that the concord command reads, as share/concord/NAME: installed, and linked to in the build.
function(concord_data name folder)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/concord)
  file(CREATE_LINK ${folder} ${CMAKE_BINARY_DIR}/share/concord/${name} SYMBOLIC)
  install(DIRECTORY ${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/concord/${name} ${ARGN}
          PATTERN __pycache__ EXCLUDE)
endfunction()

# concord_test(NAME SOURCES file... [DEPS target...] [LABELS label...] [TIMEOUT seconds] [COST seconds])
# A GoogleTest program NAME_test, run by ctest as one test of that name. Tests that cost most begin
# first: at the end, a long one alone would leave all cores but one idle.
function(concord_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT;COST" "SOURCES;DEPS;LABELS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING OR CONCORD_SANITIZE)
    math(EXPR arg_TIMEOUT "10 * ${arg_TIMEOUT}") # an emulator takes its time, and so do checks
  endif()
  concord_executable(${name}_test SOURCES ${arg_SOURCES} DEPS ${arg_DEPS} GTest::gtest_main
                     GTest::gmock)
  set_target_properties(${name}_test PROPERTIES UNITY_BUILD OFF)
  # What a test computes with is in the libraries: its own code need not be fast, but compile soon.
  target_compile_options(${name}_test PRIVATE $<$<CONFIG:Release>:-O1>)
  add_test(NAME ${name} COMMAND ${name}_test --gtest_brief=1)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
endfunction()

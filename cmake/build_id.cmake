# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=folder -DOUTPUT=file.cpp -P build_id.cmake
# Writes the source file that names the commit of the build. An unchanged file is not
# touched, so that only a new commit, or other changes, relinks the program.
set(id unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD OUTPUT_VARIABLE commit
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  # Sources unpacked within another project's repository are of no commit of that one.
  if(top AND commit)
    file(REAL_PATH "${top}" top)
    if(top STREQUAL source)
      set(id ${commit})
      execute_process(COMMAND ${GIT} -C ${SOURCE} diff HEAD
                      COMMAND ${GIT} hash-object --stdin
                      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(NOT changes STREQUAL e69de29bb2d1d6434b8b29ae775ad8c2e48c5391) # of nothing
        string(SUBSTRING "${changes}" 0 8 changes)
        string(APPEND id "+${changes}")
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY
     CONTENT [[
// SPDX-License-Identifier: Apache-2.0
#include "conformance/command/build_id.h"

namespace concord::conformance {
const char* build_id() { return "@id@"; }
}  // namespace concord::conformance
]])

// SPDX-License-Identifier: Apache-2.0
// The Python programs that belong to the command: share/concord/reports/NAME.py.
#ifndef CONCORD_CONFORMANCE_COMMAND_PYTHON_PROGRAM_H_
#define CONCORD_CONFORMANCE_COMMAND_PYTHON_PROGRAM_H_

#include <string>
#include <vector>

namespace concord::conformance {

/// Makes this process the program, whose output and exit code are then the command's.
/// Errors  UsageError: it is missing or cannot start
[[noreturn]] void become_python(const std::string& name, const std::vector<std::string>& arguments);

/// What a program wrote to standard output, and its exit code, or -1 if a signal ended it. Its
/// standard error is ours.
struct PythonOutput {
  int exit_code = 0;
  std::string text{};
};

/// Runs the program to its end.
/// Errors  UsageError: it is missing or cannot start
PythonOutput run_python(const std::string& name, const std::vector<std::string>& arguments);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_PYTHON_PROGRAM_H_

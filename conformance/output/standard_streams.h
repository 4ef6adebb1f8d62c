// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error as they really are: any of them may be closed, full, or a pipe
// that nobody reads any more. None of this may end a run before its results are written.
#ifndef CONCORD_CONFORMANCE_OUTPUT_STANDARD_STREAMS_H_
#define CONCORD_CONFORMANCE_OUTPUT_STANDARD_STREAMS_H_

#include <optional>
#include <string>
#include <string_view>

namespace concord::conformance {

/// Opens a substitute for each of descriptors 0, 1 and 2 that is closed: otherwise the next file
/// opened would get its number, and output would be written into it. Writing there
/// fails.
void occupy_standard_descriptors();

/// Writes to standard error; a failure to write is ignored.
void tell(std::string_view text);

/// Reserves standard output for `--out -`: from then on, prints go to standard error.
class TakenStandardOutput {
 public:
  void take();
  bool taken() const { return descriptor_ >= 0; }
  /// Writes to what standard output was. Returns why that failed, if it did.
  std::optional<std::string> write(std::string_view text) const;

 private:
  int descriptor_ = -1;
};

/// As long as it lives, writing into a pipe that nobody reads, or beyond the largest size of a
/// file, is an error like any other and no signal.
class WriteErrorsAreNoSignals {
 public:
  WriteErrorsAreNoSignals();
  ~WriteErrorsAreNoSignals();
  WriteErrorsAreNoSignals(const WriteErrorsAreNoSignals&) = delete;
  WriteErrorsAreNoSignals& operator=(const WriteErrorsAreNoSignals&) = delete;

 private:
  using Handler = void (*)(int);
  const Handler on_pipe_, on_size_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_STANDARD_STREAMS_H_

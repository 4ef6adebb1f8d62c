// SPDX-License-Identifier: Apache-2.0
// Lines that each hold a record behind a checksum of it and of all records before: a line that was
// altered, left out, moved or repeated does not follow from the lines before it. Records that are
// missing at the end cannot be seen.
#ifndef CONCORD_CONFORMANCE_RUN_RECORD_CHAIN_H_
#define CONCORD_CONFORMANCE_RUN_RECORD_CHAIN_H_

#include <optional>
#include <string>
#include <string_view>

namespace concord::conformance {

class RecordChain {
 public:
  /// The line of the next record, without its end: 12 hexadecimal digits, a space, the record.
  std::string line_of(std::string_view record);

  /// The record of `line`, which is then the last of the chain; nothing, and the chain stays as it
  /// was, if the line does not follow.
  std::optional<std::string_view> record_of(std::string_view line);

 private:
  std::string last_;  ///< SHA-256 of the last record's text behind the one before; empty at first
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_RECORD_CHAIN_H_

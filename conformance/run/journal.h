// SPDX-License-Identifier: Apache-2.0
// The journal: a file of one JSON value per line, flushed before and after every case, so that an
// interrupted run can say what it was doing and continue from there.
#ifndef CONCORD_CONFORMANCE_RUN_JOURNAL_H_
#define CONCORD_CONFORMANCE_RUN_JOURNAL_H_

#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "conformance/record/case_result.h"
#include "conformance/worker/descriptor.h"
#include "spec/result.h"

namespace concord::conformance {

class Journal {
 public:
  /// The key of a case: the backend as the user wrote it, and the case id.
  using Key = std::pair<std::string, std::string>;
  using Known = std::map<Key, CaseResult>;

  /// A journal that writes nowhere.
  Journal() = default;

  /// Starts a journal, replacing what `path` held as a whole. `identity` says which run it belongs
  /// to.
  /// Errors  a sentence naming the path: it cannot be written, and then what it held is still
  ///         there, or another run is writing it
  std::optional<std::string> start(const std::string& path, const nlohmann::ordered_json& identity);

  /// Reads an earlier journal and appends to it. A last line that was cut
  /// off is ignored.
  /// Errors  kSyntax naming the path: unreadable, no journal, of another run, or being written by
  ///         one
  Result<Known> resume(const std::string& path, const nlohmann::ordered_json& identity);

  /// Safe to call from several threads.
  void begin(const Key& key);
  void end(const Key& key, const CaseResult& result);

  /// Why the journal does not hold all that it was given, such as a full disk, if it does not.
  std::optional<std::string> trouble();

 private:
  std::optional<std::string> lock(const std::string& path);
  void write(const nlohmann::ordered_json& line);

  std::mutex mutex_;
  std::string path_;
  std::optional<std::string> trouble_;
  Descriptor lock_;  ///< held as long as this run may write
  std::ofstream file_;
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_JOURNAL_H_

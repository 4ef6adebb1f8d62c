// SPDX-License-Identifier: Apache-2.0
// The journal: a file of one record per line, flushed before and after every case, so that an
// interrupted run can say what it was doing and continue from there. A record is a JSON value,
// behind its checksum (record_chain.h). After the head:
//   {"backend": TEXT}    the next backend, counted from 0
//   {"outcome": {...}}   what brief results have in common, counted from 0
//   [BACKEND, KEPT, MIDDLE, ENDING]   a case begins: the first KEPT characters of the id that began
//                        before it, MIDDLE, and the last ENDING characters of that id
//   [AGE, OUTCOME, elements, margin, resolution, milliseconds, products, SUMS]
//                        the brief result of the case that began last (AGE 1), of the one before
//                        (2) and so on; the last two only where it has sums of errors
//   {"end": AGE, "result": {...}}   its result in full
//   {"batch": {...}}     of a suite in batches, whose cases have no lines: a batch that ended
//   {"stopped": true}    the run ended by itself, or was asked to end: what has begun is not to
//                        blame
#ifndef CONCORD_CONFORMANCE_RUN_JOURNAL_H_
#define CONCORD_CONFORMANCE_RUN_JOURNAL_H_

#include <cstdint>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/record/case_result.h"
#include "conformance/run/record_chain.h"
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

  /// Reads an earlier journal and appends to it; an empty one is of a run that was killed before it
  /// wrote anything. A last line that was cut off is ignored. From the
  /// first damaged line on nothing is believed, and damage() says so.
  /// Errors  kSyntax naming the path: unreadable, no journal, a damaged head, of another run, or
  ///         being written by one
  Result<Known> resume(const std::string& path, const nlohmann::ordered_json& identity);

  /// A sentence that names the first damaged line of the journal that was resumed, if it has one.
  const std::optional<std::string>& damage() const { return damage_; }

  /// How often an earlier run ended while this case ran, and neither by itself nor because it was
  /// asked to: the case may have ended it. 0 for a case that has a result.
  int deaths_during(const Key& key) const;
  const std::map<Key, int>& deaths() const { return deaths_; }

  /// Notes that the run ends in order. Only after the last begin() and end().
  void stop();

  /// Safe to call from several threads.
  void begin(const Key& key);
  void end(const Key& key, const CaseResult& result);

  /// Of a suite in batches: what is to be known of one that ended.
  void end_batch(const nlohmann::ordered_json& batch);
  /// Those of the journal that was resumed, in their order.
  const std::vector<nlohmann::ordered_json>& batches() const { return batches_; }

  /// Why the journal does not hold all that it was given, such as a full disk, if it does not.
  std::optional<std::string> trouble();

 private:
  std::optional<std::string> lock(const std::string& path);
  Result<Known> begin_again(const std::string& path, const nlohmann::ordered_json& identity);
  void write(const nlohmann::ordered_json& line);  ///< under the lock, as are those below
  std::size_t number_of_begun(const Key& key);
  nlohmann::ordered_json brief_line(std::size_t age, const CaseResult& result);
  Known read(std::istream& lines, std::uintmax_t& whole);
  void read_begin(const nlohmann::ordered_json& json);
  bool read_record(const nlohmann::ordered_json& json, Known& known);
  std::optional<CaseResult> read_brief(const nlohmann::ordered_json& json) const;

  std::mutex mutex_;
  std::string path_;
  std::optional<std::string> trouble_, damage_;
  RecordChain chain_;
  Descriptor lock_;  ///< held as long as this run may write
  std::ofstream file_;
  std::map<std::string, std::size_t> backends_, outcomes_;  ///< their numbers
  std::vector<CaseResult> known_outcomes_;                  ///< those read, by number
  std::vector<nlohmann::ordered_json> batches_;             ///< those read
  std::vector<Key> begun_read_;                             ///< cases begun when it was read
  std::set<std::size_t> open_read_;  ///< those of them that have not ended, by number
  std::map<Key, int> deaths_;
  std::size_t begun_ = 0;            ///< how many cases have begun
  std::string begun_last_;           ///< the id of the last of them
  std::map<Key, std::size_t> open_;  ///< cases that have begun and not ended, their numbers
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RUN_JOURNAL_H_

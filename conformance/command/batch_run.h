// SPDX-License-Identifier: Apache-2.0
// A run of a suite with millions of cases, batch after batch: what passes is counted, not kept.
#ifndef CONCORD_CONFORMANCE_COMMAND_BATCH_RUN_H_
#define CONCORD_CONFORMANCE_COMMAND_BATCH_RUN_H_

#include <functional>
#include <vector>

#include "conformance/run/runner.h"

namespace concord::conformance {

/// A suite in batches of kBatch cases, of which a shard has every so many.
struct Batches {
  static constexpr std::size_t kBatch = 20'000;

  CaseList suite{};
  std::size_t shard = 1, shards = 1;  ///< counted from 1
  std::function<CaseList(const CaseList&)>
      narrow{};  ///< what the user chose of a batch; all if null

  std::size_t count() const { return (suite.size() + kBatch - 1) / kBatch; }
  /// Those of the shard.
  std::vector<std::size_t> numbers() const;
  /// Of batch `number`, as chosen.
  CaseList at(std::size_t number) const;
};

/// Runs the batches that the journal does not have. `cases` gets those that are listed one by one
/// (Listing); all others are in the tallies.
/// The outcome is complete if all batches were run.
RunOutcome run_batches(const Batches& batches, const std::vector<BackendSpec>& backends,
                       const RunOptions& options, Journal& journal, const std::atomic<bool>& stop,
                       const std::function<void(const Progress&)>& progress, CaseList& cases);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_BATCH_RUN_H_

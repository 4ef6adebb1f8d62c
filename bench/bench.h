// SPDX-License-Identifier: Apache-2.0
// Measures layers in one setting, the competitors interleaved, and compares them.
#ifndef CONCORD_BENCH_BENCH_H_
#define CONCORD_BENCH_BENCH_H_

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/competitor.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/summary.h"

namespace concord::bench {

/// How to measure, beyond what the setting says of the layers.
struct Method {
  std::vector<std::string> against = {"onednn", "xnnpack"};
  int rounds = 11;
  double milliseconds = 5;  ///< of each competitor's turn
  bool processor_time = false, first_call = false;
  bool by_family = false;  ///< the summary also says what each family's layers reach
};

class Bench {
 public:
  Bench(const Method& method, const Setting& setting, const optimized::Options& options);

  /// Measures one layer, prints its row and adds it to the report. False if results disagree.
  bool run(const Layer& layer);
  /// Measures the layers anew that were the worst, in three times as many rounds: one of many is
  /// the worst because something disturbed it.
  void run_worst_again(const std::vector<Layer>& layers);

  void print_header() const;
  void print_summary() const;
  nlohmann::json json() const;

 private:
  struct Entry {
    std::string name;
    Elements dst;
    std::function<std::unique_ptr<Competitor>(void* dst)> make{};
    std::unique_ptr<Competitor> competitor{};
  };

  Clock clock() const { return method_.processor_time ? Clock::kProcessor : Clock::kWall; }
  bool is_against(const char* name) const { return std::ranges::count(method_.against, name) > 0; }
  std::vector<Entry> competitors(const Operands& operands) const;
  /// What becomes of what was measured; false if results disagree.
  using Judge =
      std::function<bool(const Operands&, const std::vector<Entry>&, const Rounds& rounds)>;
  bool measure(const Layer& layer, int round_count, const Judge& judge);
  /// Adds what a competitor needs of memory to its part of the row and to the outcome, and says it.
  static std::string note_footprint(const Entry& entry, nlohmann::json* row, Outcome* outcome);
  bool report(const Layer& layer, const Operands& operands, const std::vector<Entry>& entries,
              const Rounds& rounds);

  Method method_;
  Setting setting_;
  optimized::Options options_;
  Peak peak_;
  double triad_bytes_;
  std::vector<double> peaks_{};                          // operations a second, a layer each
  std::map<std::string, std::vector<double>> limits_{};  // over ours if it were at the limit
  std::vector<Outcome> outcomes_{};
  nlohmann::json layers_ = nlohmann::json::array();
};

}  // namespace concord::bench

#endif  // CONCORD_BENCH_BENCH_H_

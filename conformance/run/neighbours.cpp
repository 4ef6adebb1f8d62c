// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/neighbours.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/run/pooled.h"

namespace concord::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Places = std::vector<std::size_t>;  // of cases

// From narrow to wide: the first that fits is told. A bilinear class comes last, since its bound is
// that of a whole tensor.
constexpr std::string_view kWords[] = {"flush=yes",
                                       "output_rounding=nearest_away",
                                       "bias=after_store",
                                       "zero_weights=skipped",
                                       "accumulator=f64",
                                       "accumulator=f32",
                                       "bias=in_sum",
                                       "output_rounding=zero",
                                       "output_rounding=nearest",
                                       "input=bf16x3",
                                       "input=tf32",
                                       "input=bf16",
                                       "accumulator_rounding=zero",
                                       "accumulator_rounding=faithful",
                                       "accumulator=f16",
                                       "accumulator=bf16",
                                       "algorithm=bilinear"};

std::string_view key_of(std::string_view word) { return word.substr(0, word.find('=')); }

// One word first, then two, but no other beside bilinear.
std::vector<std::string> changes() {
  std::vector<std::string> all(std::begin(kWords), std::end(kWords));
  const std::span<const std::string_view> paired(std::begin(kWords), std::end(kWords) - 1);
  for (std::size_t a = 0; a < paired.size(); ++a) {
    for (std::size_t b = a + 1; b < paired.size(); ++b) {
      if (key_of(paired[a]) != key_of(paired[b])) {
        all.push_back(std::string(paired[a]) + "," + std::string(paired[b]));
      }
    }
  }
  return all;
}

// `declared` with the words of `change` in the place of its own.
concord_arithmetic changed(const std::string& declared, const std::string& change) {
  std::set<std::string, std::less<>> replaced;
  std::string text = change;
  for (std::size_t begin = 0; begin < change.size();) {
    const std::size_t end = std::min(change.find(',', begin), change.size());
    replaced.emplace(key_of(std::string_view(change).substr(begin, end - begin)));
    begin = end + 1;
  }
  for (std::size_t begin = 0; declared != "strict" && begin < declared.size();) {
    const std::size_t end = std::min(declared.find(',', begin), declared.size());
    const std::string word = declared.substr(begin, end - begin);
    if (!replaced.contains(key_of(word))) text += "," + word;
    begin = end + 1;
  }
  return *parse_arithmetic(text);
}

bool has_wrong_values(const CaseResult& result) {
  return result.verdict == Verdict::kFail && is_of_values(result.tier) &&
         !result.arithmetic.empty();
}

// Tries a group of failures under one class after another.
class Search {
 public:
  Search(const CaseList& cases, const BackendRun& backend, const NeighbourOptions& options,
         const std::atomic<bool>& stop)
      : cases_(cases),
        backend_(backend),
        options_(options),
        stop_(stop),
        host_(backend.spec, options.host) {}

  /// `dtype` is that of all failures that count, or nothing.
  std::optional<Neighbour> find(std::optional<Dtype> dtype) {
    const Places failures = failures_of(dtype);
    if (failures.empty()) return std::nullopt;
    const Places sample = sample_of(failures);
    for (const std::string& change : changes()) {
      if (over()) return std::nullopt;
      if (!changes_something(change, failures) || !explains(change, failures)) continue;
      if (fits(change, sample)) {
        if (auto found = verify(change, failures, dtype)) return found;
      }
    }
    return std::nullopt;
  }

  Places failures_of(std::optional<Dtype> dtype) const {
    Places places;
    for (std::size_t i = 0; i < backend_.results.size(); ++i) {
      const auto& result = backend_.results[i];
      if (!result || !is_failure(result->verdict)) continue;
      if (dtype && cases_[i].problem.dtype != *dtype) continue;
      if (!has_wrong_values(*result)) return {};
      places.push_back(i);
    }
    return places;
  }

 private:
  bool over() const { return stop_ || lost_ || Clock::now() - begin_ > options_.budget; }

  // The quickest of each kind of failure, the quickest of all first.
  Places sample_of(const Places& failures) const {
    std::map<std::tuple<Dtype, Tier, Fill>, std::size_t> quickest;
    const auto time = [&](std::size_t i) { return backend_.results[i]->milliseconds; };
    for (const std::size_t i : failures) {
      const auto kind =
          std::tuple(cases_[i].problem.dtype, backend_.results[i]->tier, cases_[i].fill);
      const auto [known, is_new] = quickest.emplace(kind, i);
      if (!is_new && time(i) < time(known->second)) known->second = i;
    }
    Places sample;
    for (const auto& [kind, i] : quickest) sample.push_back(i);
    std::sort(sample.begin(), sample.end(),
              [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
    return sample;
  }

  bool changes_something(const std::string& change, const Places& failures) const {
    return std::all_of(failures.begin(), failures.end(), [&](std::size_t i) {
      const std::string& declared = backend_.results[i]->arithmetic;
      return print(changed(declared, change)) != declared;
    });
  }

  // A bilinear class lets what is not finite spread: it would excuse whatever is done to a NaN.
  bool explains(const std::string& change, const Places& failures) const {
    return change != "algorithm=bilinear" ||
           std::any_of(failures.begin(), failures.end(),
                       [&](std::size_t i) { return backend_.results[i]->tier != Tier::kSpecial; });
  }

  CaseResult try_again(std::size_t i, const std::string& change) {
    const Case source = cases_[i];
    PreparedCase prepared(source, 1, true);
    ExamineOptions examined = options_.examine;
    examined.arithmetic = changed(backend_.results[i]->arithmetic, change);
    CaseResult result = examine(prepared, host_, examined);
    // Each of these costs a process, or a deadline.
    lost_ = lost_ || result.tier == Tier::kProcess;
    return result;
  }

  bool fits(const std::string& change, const Places& sample) {
    return std::all_of(sample.begin(), sample.end(), [&](std::size_t i) {
      const Verdict verdict = try_again(i, change).verdict;
      return verdict == Verdict::kPass || verdict == Verdict::kVacuous;
    });
  }

  // Evenly over the suite, those whose verdict was reached by the same kind of data.
  Places others_like(std::optional<Dtype> dtype) const {
    Places places;
    for (std::size_t i = 0; i < backend_.results.size(); ++i) {
      const auto& result = backend_.results[i];
      if (!result || result->verdict != Verdict::kPass || result->arithmetic.empty()) continue;
      if (!dtype || cases_[i].problem.dtype == *dtype) places.push_back(i);
    }
    const std::size_t most = options_.most_others;
    if (places.size() <= most) return places;
    Places some;
    for (std::size_t k = 0; k < most; ++k) some.push_back(places[k * places.size() / most]);
    return some;
  }

  std::optional<Neighbour> verify(const std::string& change, const Places& failures,
                                  std::optional<Dtype> dtype) {
    Neighbour found{change, dtype, failures.size()};
    Sparse<CaseResult> results;
    results.resize(cases_.size());
    const auto count = [&](const Places& places, std::size_t most, std::size_t& tried,
                           std::size_t& passed) {
      for (const std::size_t i : places) {
        if (tried == most || over()) break;
        results[i] = try_again(i, change);
        const Verdict verdict = results[i]->verdict;
        if (verdict != Verdict::kPass && verdict != Verdict::kVacuous) return false;
        ++tried;
        passed += verdict == Verdict::kPass ? 1 : 0;
      }
      return true;
    };
    const bool right =
        count(failures, options_.most_failures, found.tried, found.passed) &&
        count(others_like(dtype), options_.most_others, found.others, found.others_passed);
    const auto pools = pool_errors(cases_, results);
    const bool pooled = std::all_of(pools.begin(), pools.end(),
                                    [](const Pool& pool) { return pool.finding.passed(); });
    // What is mostly vacuous shows nothing.
    if (!right || !pooled || 2 * found.passed <= found.tried) return std::nullopt;
    return found;
  }

  const CaseList& cases_;
  const BackendRun& backend_;
  const NeighbourOptions& options_;
  const std::atomic<bool>& stop_;
  Host host_;
  const Clock::time_point begin_ = Clock::now();
  bool lost_ = false;
};

}  // namespace

std::vector<Neighbour> find_neighbours(const CaseList& cases, const BackendRun& backend,
                                       const NeighbourOptions& options,
                                       const std::atomic<bool>& stop) {
  std::vector<Neighbour> found;
  std::set<Dtype> failing;
  for (std::size_t i = 0; i < backend.results.size(); ++i) {
    const auto& result = backend.results[i];
    if (result && is_failure(result->verdict)) failing.insert(cases[i].problem.dtype);
  }
  if (failing.empty()) return found;
  Search search(cases, backend, options, stop);
  if (auto all = search.find(std::nullopt)) {
    found.push_back(*std::move(all));
  } else if (failing.size() > 1) {
    for (const Dtype dtype : failing) {
      if (auto one = search.find(dtype)) found.push_back(*std::move(one));
    }
  }
  return found;
}

std::string describe(const Neighbour& n) {
  std::string text = n.dtype
                         ? fmt::format("would conform in {} as {}: ", to_string(*n.dtype), n.change)
                         : fmt::format("would conform as {}: ", n.change);
  text += n.tried == n.failures
              ? fmt::format("{} of {} failures pass under it", n.passed, n.failures)
              : fmt::format("{} of the {} tried, of {} failures, pass under it", n.passed, n.tried,
                            n.failures);
  if (n.passed < n.tried) text += fmt::format(", {} are vacuous", n.tried - n.passed);
  if (n.others == 0) return text;
  text += fmt::format("; so do {} of the {} other cases tried", n.others_passed, n.others);
  if (n.others_passed < n.others) {
    text += fmt::format(", {} are vacuous", n.others - n.others_passed);
  }
  return text;
}

}  // namespace concord::conformance

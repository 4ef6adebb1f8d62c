// SPDX-License-Identifier: Apache-2.0
// Every window of kernels_model() with a third of its channels, and the common ones in every form;
// everything else is drawn.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/seed.h"
#include "conformance/catalog/families.h"
#include "conformance/catalog/form_model.h"
#include "conformance/catalog/kernels_model.h"
#include "conformance/catalog/sweeps.h"
#include "conformance/catalog/window.h"
#include "conformance/catalog/window_kinds.h"

namespace concord::conformance {
namespace {

using namespace kernels;

using LevelsOf = std::vector<int> (*)(const FormModel& form, Index factor);

struct Sweep {
  std::vector<Index> swept;  ///< kChannels last
  std::vector<Index> drawn;  ///< first those that decide what a case costs
  LevelsOf levels_of;
  int one_in;  ///< of the channels of a window
};

std::vector<int> every_level(const FormModel& form, Index factor) {
  std::vector<int> levels(form.factors[factor].levels.size());
  std::iota(levels.begin(), levels.end(), 0);
  return levels;
}

// Of the windows that most layers of networks have, and of the channels one of each kind.
std::vector<int> common_levels(const FormModel& form, Index factor) {
  const auto named = [&](std::initializer_list<std::string_view> names) {
    std::vector<int> levels;
    const auto& all = form.factors[factor].levels;
    for (const std::string_view name : names) {
      levels.push_back(static_cast<int>(std::find(all.begin(), all.end(), name) - all.begin()));
    }
    return levels;
  };
  switch (factor) {
    case kKernel:
      return named({"1", "2", "3", "4", "5", "6", "7"});
    case kStride:
      return named({"1", "2"});
    case kDilation:
      return named({"1"});
    case kChannels:
      return named({"1-to-8", "3-to-16", "16-to-16", "16-to-64", "12-to-20", "depthwise-16",
                    "depthwise-12", "4-times-16-to-16"});
    default:
      return every_level(form, factor);
  }
}

const std::vector<Index> kWindowAndChannels = {kKernel, kStride, kDilation, kPadding, kChannels};
const std::vector<Index> kRest = {kOutputs,    kLeftOver,      kBatch, kDtype,
                                  kDataFormat, kWeightsFormat, kBias};

// Of all, which would otherwise take a fifth of the time of full.
const Sweep kEvery = {kWindowAndChannels, kRest, every_level, 3};
const Sweep kCommon = {kWindowAndChannels, kRest, common_levels, 1};
// A library has a kernel for a window of some channels in one form.
const Sweep kCommonInEveryForm = {
    {kKernel, kStride, kDilation, kDtype, kDataFormat, kWeightsFormat, kChannels},
    {kPadding, kOutputs, kLeftOver, kBatch, kBias},
    common_levels,
    1};

class Kernels {
 public:
  explicit Kernels(const Sweep& sweep) : form_(kernels_model()), sweep_(sweep) {
    add_rows(Row(kFactors, kOpen), 0);
  }

  std::size_t size() const { return rows_.size(); }

  Source at(std::string_view family, std::size_t number) const {
    const Row row = completed(rows_[number]);
    const auto word = [&](Index factor) {
      return form_.factors[factor].levels[static_cast<std::size_t>(row[factor])];
    };
    std::string name = fmt::format("{}-stride-{}-dilation-{}-{}-{}", word(kKernel), word(kStride),
                                   word(kDilation), word(kPadding), word(kChannels));
    const auto& swept = sweep_.swept;
    if (std::find(swept.begin(), swept.end(), kDataFormat) != swept.end()) {
      name += fmt::format("-{}-{}", word(kDataFormat), word(kWeightsFormat));
    }
    return {std::string(family), std::move(name), form_.problem_of(row),
            "windows that are the same on two axes", ""};
  }

 private:
  // Of a window, one in so many of the channels that have a complete row; which ones, by turns.
  void add_channels(Row row) {
    const int turn = std::accumulate(sweep_.swept.begin(), sweep_.swept.end() - 1, 0,
                                     [&](int sum, Index factor) { return sum + row[factor]; });
    int number = turn % sweep_.one_in;
    const std::size_t before = rows_.size();
    std::optional<Row> first;
    for (const int level : sweep_.levels_of(form_, kChannels)) {
      row[kChannels] = level;
      if (!form_.model.allowed(row)) continue;
      if (!first) first = row;
      if (number++ % sweep_.one_in == 0) rows_.push_back(row);
    }
    if (rows_.size() == before && first) rows_.push_back(*first);
  }

  // All rows of swept levels that have a complete row.
  void add_rows(Row row, std::size_t place) {
    if (!form_.model.allowed(row)) return;
    if (place + 1 == sweep_.swept.size()) {
      add_channels(row);
      return;
    }
    const Index factor = sweep_.swept[place];
    for (const int level : sweep_.levels_of(form_, factor)) {
      row[factor] = level;
      add_rows(row, place + 1);
    }
  }

  // The first levels from one drawn that are allowed: more outputs may be more than a case can
  // afford.
  Row completed(Row row) const {
    std::uint64_t seed = 0;
    for (const Index factor : sweep_.swept) {
      seed = seed * 64 + static_cast<std::uint64_t>(row[factor]);
    }
    Random draws(seed);
    for (const Index factor : sweep_.drawn) {
      const std::size_t levels = form_.factors[factor].levels.size(), first = draws.below(levels);
      for (std::size_t i = 0; i < levels; ++i) {
        row[factor] = static_cast<int>((first + i) % levels);
        if (form_.model.allowed(row)) break;
      }
    }
    return row;
  }

  FormModel form_;
  Sweep sweep_;
  std::vector<Row> rows_;
};

class KernelSweep : public CaseSource {
 public:
  explicit KernelSweep(std::uint64_t seed) : seed_(seed), kernels_(kEvery) {}

  std::size_t size() const override { return kernels_.size(); }

  Case at(std::size_t number) const override {
    Source source = kernels_.at("kernels_every", number);
    return swept_case(source.family, source.name, std::move(source.problem), fill_by_turns(number),
                      source.origin, seed_);
  }

 private:
  std::uint64_t seed_;
  Kernels kernels_;
};

}  // namespace

void add_common_kernels(Collector& collector, Suite suite) {
  const bool is_smoke = suite == Suite::kSmoke;
  const Kernels kernels(is_smoke ? kCommon : kCommonInEveryForm);
  for (std::size_t number = 0; number < kernels.size(); ++number) {
    collector.add(kernels.at(is_smoke ? "kernels_common" : "kernels_in_every_form", number),
                  Fill::kIntegers);
  }
}

std::shared_ptr<const CaseSource> kernel_sweep(std::uint64_t seed) {
  return std::make_shared<KernelSweep>(seed);
}

}  // namespace concord::conformance

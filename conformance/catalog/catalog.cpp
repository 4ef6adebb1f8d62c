// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "conformance/case/seed.h"
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/chosen.h"
#include "conformance/catalog/coverage.h"
#include "conformance/catalog/cut.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/form_model.h"
#include "conformance/catalog/listed.h"
#include "conformance/catalog/sweeps.h"
#include "conformance/fill/fill.h"
#include "reference/reference.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// Multiplications that a layer is cut to: smoke has several hundred of them.
constexpr Extent kLayerMacs = 3'000'000, kLargeLayerMacs = 30'000'000;
// Of the covering array in smoke. Chosen once; another one gives other pairs/ cases.
constexpr std::uint64_t kPairsSeed = 1;

/// What all cases of one problem have in common.
struct Source {
  std::string family{}, name{};
  Problem problem{};
  std::string origin{}, note{};
};

// Windows of several elements that move by one: what Winograd's algorithm is made for, whose
// classes no other fill judges so closely.
bool suits_bilinear(const Problem& problem) {
  const auto resolved = reference::resolve(problem);
  const auto* g = resolved ? std::get_if<reference::Geometry>(&resolved->form) : nullptr;
  if (g == nullptr || g->K[reference::kHeight] * g->K[reference::kWidth] < 9) return false;
  const auto is_one = [](Extent extent) { return extent == 1; };
  return std::all_of(g->S.begin(), g->S.end(), is_one) &&
         std::all_of(g->D.begin(), g->D.end(), is_one);
}

class Collector {
 public:
  explicit Collector(std::uint64_t seed) : seed_(seed) {}

  void add(const Source& source, Fill fill) {
    Case added;
    added.id = source.family + "/" + source.name + "/" +
               std::string(to_string(source.problem.dtype)) + "/" + std::string(to_string(fill));
    added.problem = source.problem;
    added.fill = fill;
    added.seed = case_seed(seed_, added.id);
    added.origin = source.origin;
    added.note = source.note;
    cases_.push_back(std::move(added));
    systematic_.push_back(is_systematic_);
  }

  /// From here on, cases are of smoke only where planted bugs have chosen them.
  void end_systematic_part() { is_systematic_ = false; }

  /// Integers, reals, impulse or ramp by turns, and by turns what is not finite or not normal.
  void add_usual_fills(const Source& source, std::size_t turn) {
    add_finite_fills(source, turn);
    const Fill extreme = kExtremes[turn % std::size(kExtremes)];
    const bool has_products = element_count(source.problem.weights.dims) != 0;
    add(source, extreme == Fill::kOverflow && !has_products ? Fill::kSpecial : extreme);
  }

  /// The same with all that is not finite or not normal.
  void add_all_usual_fills(const Source& source, std::size_t turn) {
    add_finite_fills(source, turn);
    const bool has_products = element_count(source.problem.weights.dims) != 0;
    for (const Fill extreme : kExtremes) {
      const bool has_it = extreme != Fill::kOverflow || has_products;
      if (has_it && !why_no_fill(extreme, source.problem)) add(source, extreme);
    }
  }

  std::vector<Case> take(Suite suite) {
    if (suite == Suite::kFull) return std::move(cases_);
    const auto chosen = chosen_cases();
    std::vector<Case> smoke;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (systematic_[i] || chosen.contains(cases_[i].id)) smoke.push_back(std::move(cases_[i]));
    }
    return smoke;
  }

 private:
  void add_finite_fills(const Source& source, std::size_t turn) {
    add(source, Fill::kIntegers);
    add(source, Fill::kUniform);
    // A single weight makes every output of an impulse the same.
    const bool has_one_weight = element_count(source.problem.weights.dims) == 1;
    add(source, turn % 2 == 0 && !has_one_weight ? Fill::kImpulse : Fill::kRamp);
    if (turn % kSparseEvery == 0 || suits_bilinear(source.problem)) add(source, Fill::kSparse);
  }

  static constexpr std::size_t kSparseEvery = 4;
  static constexpr Fill kExtremes[] = {Fill::kSpecial, Fill::kOverflow, Fill::kSubnormal};

  std::uint64_t seed_;
  bool is_systematic_ = true;
  std::vector<bool> systematic_{};
  std::vector<Case> cases_{};
};

// The problem with NXC for NCX, XIO for OIX and the other way round; nothing for AtrousConv2d.
std::optional<Problem> in_other_formats(Problem problem) {
  SpatialAttributes* a = spatial_attributes(problem);
  if (a == nullptr) return std::nullopt;
  const Shape shape = shape_of(problem);
  const auto flip = [](WeightsFormat& format) {
    format = format == WeightsFormat::kOIX ? WeightsFormat::kXIO : WeightsFormat::kOIX;
  };
  a->data_format = a->data_format == DataFormat::kNCX ? DataFormat::kNXC : DataFormat::kNCX;
  if (auto* c = std::get_if<Convolution1Attributes>(&problem.attributes)) flip(c->filter_format);
  if (auto* c = std::get_if<ConvolutionAttributes>(&problem.attributes)) flip(c->weights_format);
  set_shape(problem, shape);
  return problem;
}

std::string format_suffix(const Problem& problem) {
  return data_format_of(problem) == DataFormat::kNXC ? "-nxc" : "-ncx";
}

Source source_of_layer(const Network& network, const Listed& layer, Extent max_macs) {
  auto cut = cut_to_budget(layer.problem, max_macs);
  return {network.name, layer.name, std::move(cut.problem),
          "layer " + layer.name + " of " + network.name, std::move(cut.note)};
}

// Integers in the formats of the network's own framework, another fill in the other ones.
void add_layers(Collector& collector) {
  constexpr std::array kOtherFills = {Fill::kUniform, Fill::kImpulse, Fill::kUniform, Fill::kRamp,
                                      Fill::kWide};
  constexpr std::size_t kSparseEvery = 8;
  std::size_t turn = 0;
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      Source source = source_of_layer(network, layer, kLayerMacs);
      collector.add(source, Fill::kIntegers);
      if (turn % kSparseEvery == 0) collector.add(source, Fill::kSparse);
      if (auto other = in_other_formats(source.problem)) {
        source.problem = *std::move(other);
        source.name += format_suffix(source.problem);
      }
      collector.add(source, kOtherFills[turn++ % kOtherFills.size()]);
    }
  }
}

// The same layers less cut, and in the dtypes of 16 bits.
void add_more_layers(Collector& collector) {
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      Source source = source_of_layer(network, layer, kLayerMacs);
      for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
        source.problem.dtype = dtype;
        collector.add(source, Fill::kIntegers);
        collector.add(source, Fill::kUniform);
      }
      Source large = source_of_layer(network, layer, kLargeLayerMacs);
      if (large.note == source.note) continue;  // the small one was whole, or as large
      large.name += "-large";
      collector.add(large, Fill::kIntegers);
      collector.add(large, Fill::kUniform);
    }
  }
}

// One attribute at a time, the others as in the base row.
std::vector<Source> sweeps() {
  const FactorModel model = attribute_model();
  const auto& factors = attribute_factors();
  const Row base = base_row();
  std::vector<Source> sources = {{"sweep", "base", problem_of(base), describe(base), ""}};
  for (std::size_t f = 0; f < factors.size(); ++f) {
    for (int level = 0; level < model.levels[f]; ++level) {
      Row row = base;
      row[f] = level;
      if (row == base || !model.allowed(row)) continue;
      const std::string name = std::string(factors[f].name) + "-" +
                               std::string(factors[f].levels[static_cast<std::size_t>(level)]);
      sources.push_back({"sweep", name, problem_of(row), describe(row), ""});
    }
  }
  return sources;
}

std::vector<Source> sources_of(const std::string& family, const std::vector<Row>& rows) {
  std::vector<Source> sources;
  for (const Row& row : rows) {
    const std::string number = fmt::format("{:03}", sources.size() + 1);
    sources.push_back({family, number, problem_of(row), describe(row), ""});
  }
  return sources;
}

std::vector<Row> rows_of_pairs() { return covering_rows(attribute_model(), kPairsSeed); }

// With the rows of pairs they hold every triple of levels that goes together.
void add_triples(Collector& collector) {
  constexpr Fill kExactFills[] = {Fill::kIntegers, Fill::kImpulse, Fill::kSubnormal, Fill::kRamp};
  constexpr Fill kOtherFills[] = {Fill::kUniform, Fill::kSpecial, Fill::kUniform, Fill::kWide,
                                  Fill::kOverflow};
  std::size_t turn = 0;
  const auto rows = rows_for_missing_triples(attribute_model(), rows_of_pairs(), kPairsSeed);
  for (const Source& source : sources_of("triples", rows)) {
    collector.add(source, kExactFills[turn % std::size(kExactFills)]);
    collector.add(source, kOtherFills[turn % std::size(kOtherFills)]);
    ++turn;
  }
}

// What nearly every library serves: every triple of levels, in both pairs of formats, and in 16
// bits by turns.
class PlainRows {
 public:
  explicit PlainRows(Collector& collector) : collector_(collector) {}

  void add_all() {
    for (const Row& row : rows_for_missing_triples(plain_model(), {}, kPairsSeed)) add(row);
  }

 private:
  void add(const Row& row) {
    constexpr Fill kExactFills[] = {Fill::kIntegers, Fill::kRamp, Fill::kIntegers, Fill::kImpulse,
                                    Fill::kSparse};
    constexpr Fill kOtherFills[] = {Fill::kUniform, Fill::kSpecial, Fill::kUniform, Fill::kIntegers,
                                    Fill::kWide,    Fill::kUniform, Fill::kOverflow};
    const Row nxc = with_level(with_level(row, Attribute::kDataFormat, "NXC"),
                               Attribute::kWeightsFormat, "XIO");
    const Row halved =
        with_level(turn_ % 4 < 2 ? row : nxc, Attribute::kDtype, turn_ % 2 == 0 ? "f16" : "bf16");
    const std::string number = fmt::format("{:03}", turn_ + 1);
    add(number, row, kExactFills[turn_ % std::size(kExactFills)]);
    add(number + "-nxc", nxc, kOtherFills[turn_ % std::size(kOtherFills)]);
    add(number, halved, kExactFills[turn_ / 4 % std::size(kExactFills)]);
    ++turn_;
  }

  // An impulse that meets one row or column of taps tells little.
  void add(const std::string& name, const Row& row, Fill fill) {
    const bool is_narrow =
        level_of(row, Attribute::kKernelH) == "1" || level_of(row, Attribute::kKernelW) == "1";
    collector_.add({"plain", name, problem_of(row), describe(row), ""},
                   fill == Fill::kImpulse && is_narrow ? Fill::kRamp : fill);
  }

  Collector& collector_;
  std::size_t turn_ = 0;
};

void add_boundary(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sweeps()) collector.add_usual_fills(source, turn++);
  turn = 0;
  for (const Listed& line : listed("boundary")) {
    collector.add_all_usual_fills({"boundary", line.name, line.problem, "boundary.txt", ""},
                                  turn++);
  }
  turn = 0;
  for (const Source& source : sources_of("pairs", rows_of_pairs())) {
    collector.add_usual_fills(source, turn++);
  }
}

void add_more_boundary(Collector& collector) {
  for (const Source& source : sweeps()) collector.add(source, Fill::kWide);
  for (const Source& source : sources_of("pairs", rows_of_pairs())) {
    collector.add(source, Fill::kWide);
  }
  add_triples(collector);
}

// The gradient by theta is exact for no data: docs/numerics.md#composed-operations.
bool has_exact_data(const Problem& problem) {
  return problem.operation() != Operation::kContinuousBackwardWeights;
}

bool sums_inputs_by_weights(Operation operation) {
  return has_weights(operation) && !is_continuous(operation);
}

// Of a handful of weights, the few that `sparse` keeps may meet no input.
bool suits_sparse(const Problem& problem) {
  return sums_inputs_by_weights(problem.operation()) &&
         element_count(problem.weights.dims).value_or(0) >= 32;
}

std::vector<Source> sources_of_forms() {
  std::vector<Source> sources;
  for (const char* family : {"blocks", "cntk", "continuous"}) {
    for (const Listed& line : listed(family)) {
      sources.push_back({family, line.name, line.problem, std::string(family) + ".txt", ""});
    }
  }
  return sources;
}

// The operations that are not discrete convolutions: integers, reals, and impulse or ramp by turns.
void add_forms(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_forms()) {
    collector.add(source, Fill::kUniform);
    if (!has_exact_data(source.problem)) continue;
    collector.add(source, Fill::kIntegers);
    collector.add(source, turn++ % 2 == 0 ? Fill::kImpulse : Fill::kRamp);
    if (sums_inputs_by_weights(source.problem.operation())) collector.add(source, Fill::kSparse);
  }
}

Source source_of(const FormCase& row) {
  return {row.family, row.name, row.problem, row.origin, ""};
}

// Integers judge each output by all its products.
Fill telling_fill(const Problem& problem) {
  return has_exact_data(problem) ? Fill::kIntegers : Fill::kUniform;
}

void add_form_pairs(Collector& collector) {
  for (const FormCase& row : form_pairs()) collector.add(source_of(row), telling_fill(row.problem));
}

void add_more_form_rows(Collector& collector) {
  constexpr Fill kMore[] = {Fill::kUniform, Fill::kImpulse, Fill::kSpecial,
                            Fill::kRamp,    Fill::kSparse,  Fill::kSubnormal};
  std::size_t turn = 0;
  const auto add_another = [&](const FormCase& row) {
    const Fill fill = kMore[turn++ % std::size(kMore)];
    const bool has_it = has_exact_data(row.problem) && !why_no_fill(fill, row.problem) &&
                        (fill != Fill::kSparse || suits_sparse(row.problem));
    if (has_it) collector.add(source_of(row), fill);
  };
  for (const FormCase& row : form_pairs()) add_another(row);
  for (const FormCase& row : form_triples()) {
    collector.add(source_of(row), telling_fill(row.problem));
    add_another(row);
  }
}

void add_more_forms(Collector& collector) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_forms()) {
    if (has_special_fill(source.problem)) collector.add(source, Fill::kSpecial);
    if (!has_exact_data(source.problem)) continue;
    collector.add(source, turn++ % 2 == 0 ? Fill::kRamp : Fill::kImpulse);
    // Where elements are only moved, any other data show as much.
    const bool computes = has_weights(source.problem.operation());
    if (computes && !why_no_fill(Fill::kSubnormal, source.problem)) {
      collector.add(source, Fill::kSubnormal);
    }
  }
}

std::vector<Source> sources_of_f64() {
  std::vector<Source> sources;
  for (const Listed& line : listed("f64")) {
    sources.push_back({"f64", line.name, line.problem, "f64.txt", ""});
  }
  return sources;
}

// Of the fills those that smoke has of a problem, by turns; full has all others.
bool is_of_smoke(Fill fill, const Problem& problem, std::size_t turn) {
  constexpr Fill kByTurns[] = {Fill::kImpulse, Fill::kIntegers, Fill::kSubnormal,
                               Fill::kSpecial, Fill::kRamp,     Fill::kWide};
  if (!has_weights(problem.operation())) return fill == Fill::kIntegers || fill == Fill::kSpecial;
  return fill == Fill::kUniform || fill == Fill::kSparse ||
         fill == kByTurns[turn % std::size(kByTurns)];
}

// Small problems: the oracle has no kernels for f64.
void add_f64(Collector& collector, Suite suite) {
  std::size_t turn = 0;
  for (const Source& source : sources_of_f64()) {
    for (const Fill fill : kFills) {
      const bool in_smoke = is_of_smoke(fill, source.problem, turn);
      if (why_no_fill(fill, source.problem) || in_smoke != (suite == Suite::kSmoke)) continue;
      collector.add(source, fill);
    }
    ++turn;
  }
}

// Every so many layers of the networks in f64.
void add_f64_layers(Collector& collector) {
  constexpr std::size_t kEvery = 8;
  std::size_t turn = 0;
  for (const Network& network : networks()) {
    for (const Listed& layer : network.layers) {
      if (turn++ % kEvery != 0) continue;
      Source source = source_of_layer(network, layer, kLayerMacs);
      source.problem.dtype = Dtype::kF64;
      collector.add(source, Fill::kUniform);
    }
  }
}

void add_invalid(Collector& collector) {
  for (const Listed& line : listed("invalid")) {
    const std::string fault = line.name.substr(0, line.name.find('-'));
    collector.add(
        {"invalid", line.name, line.problem, "invalid.txt", "refused with the fault " + fault},
        Fill::kIntegers);
  }
}

}  // namespace

std::string_view to_string(Suite suite) { return suite == Suite::kSmoke ? "smoke" : "full"; }

std::optional<Suite> parse_suite(std::string_view text) {
  for (const Suite suite : {Suite::kSmoke, Suite::kFull}) {
    if (text == to_string(suite)) return suite;
  }
  return std::nullopt;
}

CaseList make_catalog(Suite suite, std::uint64_t seed) {
  Collector collector(seed);
  add_layers(collector);
  add_boundary(collector);
  PlainRows(collector).add_all();
  add_forms(collector);
  add_form_pairs(collector);
  add_f64(collector, Suite::kSmoke);
  add_invalid(collector);
  collector.end_systematic_part();
  add_more_layers(collector);
  add_more_boundary(collector);
  add_more_forms(collector);
  add_more_form_rows(collector);
  add_f64(collector, Suite::kFull);
  add_f64_layers(collector);
  CaseList cases = collector.take(suite);
  if (suite == Suite::kFull) {
    cases.append(window_sweep(seed));
    cases.append(fast_window_sweep(seed));
    cases.append(refused_window_sweep(seed));
    cases.append(count_sweep(seed));
  }
  return cases;
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/prepared_case.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/fill/real_draw.h"
#include "conformance/oracle/fast_oracle.h"
#include "spec/interrupt.h"

namespace concord::conformance {
namespace {

OutputShape shape_of(const Problem& problem, const Result<reference::Resolution>& resolved) {
  if (!resolved) return {};
  const auto* discrete = std::get_if<reference::Geometry>(&resolved->form);
  return output_shape(dst_in_reading_order(problem, Tensor{resolved->dst.dims, {}}).dims,
                      discrete != nullptr ? discrete->G : 1);
}

// Bits, since a NaN is not equal to itself.
bool have_same_bits(const Inputs& a, const Inputs& b) {
  return std::all_of(std::begin(kInputs), std::end(kInputs), [&](Input input) {
    const auto &x = a.of(input), &y = b.of(input);
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  });
}

}  // namespace

PreparedCase::PreparedCase(const Case& source, int oracle_threads, bool only_to_judge)
    : source_(source),
      geometry_(reference::resolve(source.problem)),
      shape_(shape_of(source.problem, geometry_)),
      oracle_threads_(oracle_threads),
      only_to_judge_(only_to_judge) {}

const PreparedCase::Data& PreparedCase::data(const concord_arithmetic& arithmetic) {
  // Random reals leave room for sums in f16, and their factors have scales; nothing else of the
  // class matters to them.
  const bool half = arithmetic.accumulator == CONCORD_ACCUMULATE_F16;
  const int scale =
      exponent_between_factors(source_.fill, source_.seed, source_.problem.dtype, arithmetic);
  const std::string reals = half ? "f16" : std::to_string(scale);
  const std::string key = has_random_signs(source_.fill) ? reals : print(arithmetic);
  if (const auto known = data_.find(key); known != data_.end()) return *known->second;
  return slot_of(data_, key, make_inputs(arithmetic), arithmetic);
}

const PreparedCase::Data& PreparedCase::slot_of(DataOfClasses& known, const std::string& key,
                                                Inputs inputs,
                                                const concord_arithmetic& arithmetic) {
  const bool magnitudes = needs_magnitudes(arithmetic);
  for (const auto& [other, data] : known) {
    const bool has_all = !magnitudes || data->oracle.magnitude.size() == data->oracle.value.size();
    if (has_all && have_same_bits(data->inputs, inputs)) return *(known[key] = data);
  }
  auto oracle = evaluate(inputs, magnitudes);
  return *(known[key] = std::make_shared<Data>(Data{std::move(inputs), std::move(oracle)}));
}

Inputs PreparedCase::make_inputs(const concord_arithmetic& arithmetic) const {
  if (const Recorded* recorded = source_.recorded.get()) {
    return {recorded->src, recorded->weights, recorded->bias, recorded->diff_dst};
  }
  Inputs inputs = fill_inputs(source_.fill, source_.seed, source_.problem, *geometry_, arithmetic);
  if (interrupted()) throw Interrupted();
  return inputs;
}

bool PreparedCase::needs_magnitudes(const concord_arithmetic& arithmetic) const {
  return !only_to_judge_ || source_.recorded != nullptr ||
         source_.fill == Fill::kSparse ||  // by which judge_lone() knows what cancels
         !is_exact(source_.fill, *geometry_, arithmetic);
}

reference::Oracle PreparedCase::evaluate(const Inputs& inputs, bool magnitudes) {
  ++evaluations_;
  const Problem& problem = source_.problem;
  const auto* discrete = std::get_if<reference::Geometry>(&geometry_->form);
  auto oracle =
      discrete != nullptr
          ? evaluate_fast(problem, *discrete, inputs.src, inputs.weights, inputs.bias,
                          oracle_threads_, magnitudes)
          : reference::evaluate(problem, *geometry_,
                                {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  if (interrupted()) throw Interrupted();
  if (source_.recorded != nullptr) {
    oracle.value = source_.recorded->dst;
    oracle.low = {};
  }
  return oracle;
}

bool PreparedCase::is_telling() const {
  return source_.fill == Fill::kIntegers ||
         (source_.fill == Fill::kUniform && geometry_ && !geometry_->has_exact_data);
}

Sequence PreparedCase::sequence() const {
  constexpr Sequence kSequences[] = {Sequence::kSecondHandle, Sequence::kOtherInputs,
                                     Sequence::kNothing, Sequence::kOtherInputs};
  return is_telling() ? kSequences[source_.seed % 4] : Sequence::kNothing;
}

bool PreparedCase::hides_weights() const {
  if (is_telling()) return sequence() == Sequence::kOtherInputs;
  // By another bit than kPlainConduct has.
  return source_.fill != Fill::kRecorded && source_.seed / 32 % 2 == 1;
}

int PreparedCase::executions() const {
  constexpr int kMany = 6;
  constexpr Extent kFewElements = 4096;
  if (!is_telling() || source_.seed / 4 % 4 != 0 || !geometry_) return 2;
  return element_count(geometry_->dst.dims).value_or(0) <= kFewElements ? kMany : 2;
}

bool PreparedCase::on_another_thread() const {
  return is_telling() && source_.seed / 16'384 % 4 == 0;
}

// By lot, and where memory for a tensor ends where a page does: there allocators err.
bool PreparedCase::many_rounds() const {
  constexpr Extent kFewElements = 16'384, kPage = 4096;
  const Problem& problem = source_.problem;
  if (!is_telling() || !geometry_) return false;
  const auto is_of_all = [&](const auto& property) {
    return property(element_count(problem.src.dims).value_or(0)) &&
           property(element_count(problem.weights.dims).value_or(0)) &&
           property(element_count(geometry_->dst.dims).value_or(0));
  };
  const auto is_small = [](Extent elements) { return elements <= kFewElements; };
  const auto is_whole_pages = [&](Extent elements) {
    return elements > 0 && elements * static_cast<Extent>(size_of(problem.dtype)) % kPage == 0;
  };
  const bool is_drawn = source_.seed / 256 % 64 == 0;
  return is_of_all(is_small) && (is_drawn || is_of_all(is_whole_pages));
}

int PreparedCase::other_threads(int threads, bool promises_same_bits) const {
  if (is_telling()) {
    // Rarely many: those of some libraries spin, on a few cores for milliseconds a case.
    constexpr int kUsual[] = {1, 3, 4, 7}, kRare[] = {5, 8, 16, kMostOtherThreads};
    constexpr std::uint64_t kRareOneIn = 32;
    // By other bits of the seed than sequence(), executions() and on_another_thread().
    const std::uint64_t lot = source_.seed / 16;
    if (lot % 2 != 0) return 0;
    const bool is_rare = source_.seed / 65'536 % kRareOneIn == 1;
    const int other = (is_rare ? kRare : kUsual)[lot / 2 % std::size(kUsual)];
    return other == threads ? threads + 1 : other;
  }
  const bool may_tell = has_random_signs(source_.fill) || source_.fill == Fill::kRecorded;
  if (!promises_same_bits || !may_tell) return 0;
  // By other bits of the seed than sequence(). One case in three, so that a run takes no
  // longer for it; given data, whose seeds are small, always.
  const std::uint64_t lot = source_.seed / 2;
  if (lot % 3 != 0) return 0;
  // One thread, or a count that divides into other tiles.
  const int other = lot / 3 % 2 == 0 ? 1 : threads + 1;
  return other == threads ? threads + 2 : other;
}

const PreparedCase::Data& PreparedCase::later_data(const concord_arithmetic& arithmetic) {
  const Inputs& first = data(arithmetic).inputs;
  const std::string key = print(arithmetic);
  if (const auto known = later_data_.find(key); known != later_data_.end()) return *known->second;
  Inputs inputs =
      fill_inputs(source_.fill, source_.seed + 1, source_.problem, *geometry_, arithmetic);
  if (interrupted()) throw Interrupted();
  // Half of the times the first channels keep their weights: a cache that knows weights by where
  // they begin takes them for the same.
  const auto* discrete = std::get_if<reference::Geometry>(&geometry_->form);
  if (discrete != nullptr && source_.seed / 16 % 2 == 0) {
    const Extent kept = discrete->OC / 2 * discrete->products();
    std::copy_n(first.weights.begin(), kept, inputs.weights.begin());
  }
  return slot_of(later_data_, key, std::move(inputs), arithmetic);
}

Expectation PreparedCase::expectation(const concord_arithmetic& arithmetic,
                                      const Data& data) const {
  return {source_.fill, source_.problem.dtype,  arithmetic,      *geometry_, shape_, data.inputs,
          data.oracle,  source_.recorded.get(), &source_.problem};
}

const Trust& PreparedCase::trust(const concord_arithmetic& arithmetic) {
  auto& slot = trust_[print(arithmetic)];
  if (slot == nullptr) {
    slot = std::make_unique<Trust>(assess_data(expectation(arithmetic, data(arithmetic))));
    if (interrupted()) throw Interrupted();
  }
  return *slot;
}

}  // namespace concord::conformance

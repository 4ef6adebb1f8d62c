// SPDX-License-Identifier: Apache-2.0
#include "fuzz/generators.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "fuzz/picks.h"
#include "fuzz/spoiler.h"
#include "spec/check.h"
#include "spec/walk_attributes.h"

namespace concord {

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << print(problem);
}

}  // namespace concord

namespace concord::fuzz {
namespace {

Tensor pick_tensor(const Extents& channels_first, const std::vector<std::size_t>& axes) {
  Tensor tensor{unpermute({channels_first, {}}, axes).dims, {}};
  if (one_in(4)) tensor.strides = pick_strides(tensor.dims);
  return tensor;
}

// An input extent with which the padded input holds the kernel; now and then one with which the
// output is empty.
Extent pick_input(Extent dilated_kernel, Extent padding, Extent stride, Extent beyond = 5) {
  const Extent least = dilated_kernel - padding;
  if (one_in(16)) return std::max<Extent>(least - pick(1, stride), 0);
  return std::max<Extent>(least, 1) + pick(0, beyond);
}

// `largest` bounds the kernel: of many axes each is short.
void pick_axis(AutoPad auto_pad, Extent largest, SpatialAttributes& a, Extents& src,
               Extents& weights) {
  const Extent kernel = pick(1, largest), stride = pick(1, 3), dilation = pick(1, 3);
  a.strides.push_back(stride);
  a.dilations.push_back(dilation);
  a.pads_begin.push_back(pick(0, largest - 1));
  a.pads_end.push_back(pick(0, largest - 1));
  const Extent dilated_kernel = dilation * (kernel - 1) + 1;
  Extent padding = auto_pad == AutoPad::kNone ? a.pads_begin.back() + a.pads_end.back() : 0;
  if (auto_pad == AutoPad::kSameUpper || auto_pad == AutoPad::kSameLower) padding = dilated_kernel;
  src.push_back(pick_input(dilated_kernel, padding, stride, 2 * largest - 3));
  weights.push_back(kernel);
}

// Draws what is no list: a number of the first three that the row allows, any word of a choice.
struct PickAttributes {
  void operator()(const AttributeFacts& facts, Extent& value, Extent) const {
    value = pick(facts.least, facts.least + 2);
  }
  template <class Value>
  void operator()(const AttributeFacts&, Value& value, const Value&) const {
    if constexpr (std::is_enum_v<Value>) {
      value = static_cast<Value>(pick(0, std::ssize(kWords<Value>) - 1));
    }
  }
  void pair(std::string_view, Rational&, Rational&) const {}
  void padding(std::string_view, TfPadding& padding, std::string&) const {
    padding = pick_of({TfPadding::kValid, TfPadding::kSame});
  }
};

template <class A>
A pick_attributes() {
  A a;
  const PickAttributes picks;
  walk_attributes(a, 0, picks);
  return a;
}

template <class A>
void pick_convolution(Problem& problem) {
  A a = pick_attributes<A>();
  const Extent ICG = pick(1, 3), OC = a.groups * pick(1, 3);
  Extents src{one_in(16) ? 0 : pick(1, 2), a.groups * ICG}, weights{OC, ICG};
  constexpr bool is_bounded = std::is_same_v<A, ConvolutionAttributes>;
  const Extent spatial_rank = pick(1, is_bounded ? 3 : Extent{reference::kSpatialRank});
  for (Extent axis = 0; axis < spatial_rank; ++axis) {
    pick_axis(a.auto_pad, spatial_rank > 3 ? 2 : 4, a, src, weights);
  }
  problem.attributes = std::move(a);
  problem.src = pick_tensor(src, channels_first_axes(data_format_of(problem), src.size()));
  problem.weights =
      pick_tensor(weights, channels_first_axes(weights_format_of(problem), weights.size()));
  if (one_in(2)) problem.bias = pick_tensor({OC}, {0});
}

void pick_atrous(Problem& problem) {
  const auto a = pick_attributes<AtrousConv2dAttributes>();
  const Extent channels = pick(1, 3);
  Extents src{one_in(16) ? 0 : pick(1, 2), channels}, weights{pick(1, 3), channels};
  for (int axis = 0; axis < 2; ++axis) {
    const Extent filter = pick(1, 3), upsampled = a.rate * (filter - 1) + 1;
    src.push_back(pick_input(upsampled, a.padding == TfPadding::kSame ? upsampled : 0, 1));
    weights.push_back(filter);
  }
  problem.src = pick_tensor(src, channels_first_axes(DataFormat::kNXC, 4));
  problem.weights = pick_tensor(weights, channels_first_axes(WeightsFormat::kXIO, 4));
  problem.attributes = a;
}

Problem pick_small_problem() {
  Problem problem;
  problem.dtype = pick_of(kCommonDtypes);
  problem.reading = pick_of({Reading::kImplemented, Reading::kDocumented});
  const Extent operation = pick(0, 2);
  if (operation == 0) pick_convolution<ConvolutionAttributes>(problem);
  if (operation == 1) pick_convolution<Convolution1Attributes>(problem);
  if (operation == 2) {
    pick_atrous(problem);
    // VALID as documented is no convolution with padding, and has a generator of its own.
    if (std::get<AtrousConv2dAttributes>(problem.attributes).padding == TfPadding::kValid) {
      problem.reading = Reading::kImplemented;
    }
  }
  if (one_in(4)) {
    const auto geometry = reference::resolve_discrete(problem);
    CONCORD_CHECK(static_cast<bool>(geometry)) << print(problem);
    problem.dst = Tensor{geometry->dst.dims, pick_strides(geometry->dst.dims)};
  }
  return problem;
}

// Small, around the limits of 64 bits, or anything.
Extent pick_number() {
  constexpr Extent kLargest = INT64_MAX, kSmallest = INT64_MIN, k32 = Extent{1} << 32;
  switch (pick(0, 5)) {
    case 0:
    case 1:
    case 2:
      return pick(-2, 5);
    case 3:
      return pick_of({kLargest, kSmallest, kLargest - 1, kLargest / 2, kLargest / 4, k32, k32 / 2});
    default:
      return *rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<Extent>());
  }
}

Extents pick_numbers(std::size_t size) {
  Extents numbers(size);
  for (Extent& number : numbers) number = pick_number();
  return numbers;
}

Extents pick_list() { return pick_numbers(static_cast<std::size_t>(pick(0, 4))); }

Tensor pick_any_tensor() {
  Tensor tensor{pick_numbers(static_cast<std::size_t>(pick(0, kMaxRank))), {}};
  if (one_in(3)) tensor.strides = pick_numbers(tensor.rank());
  return tensor;
}

// Any numbers, and now and then a padding that is not spelt as the document has it; the C structs
// do not carry the text.
struct PickAnything {
  void operator()(const AttributeFacts&, Extents& values, const Extents&) const {
    values = pick_list();
  }
  void operator()(const AttributeFacts&, Extent& value, Extent) const { value = pick_number(); }
  template <class Value>
  void operator()(const AttributeFacts&, Value&, const Value&) const {}
  void pair(std::string_view, Rational&, Rational&) const {}
  void padding(std::string_view, TfPadding& padding, std::string& other) const {
    if (one_in(4)) misspell(padding, other);
  }
};

void spoil(Tensor& tensor) { spoil_tensor(tensor, pick_number); }

}  // namespace

rc::Gen<Problem> small_problem() { return rc::gen::exec(pick_small_problem); }

rc::Gen<Problem> documented_valid_problem() {
  return rc::gen::exec([] {
    Problem problem;
    problem.dtype = pick_of(kCommonDtypes);
    problem.reading = Reading::kDocumented;
    AtrousConv2dAttributes a;
    a.rate = pick(1, 4);
    a.padding = TfPadding::kValid;
    problem.attributes = a;
    const Extent channels = pick(1, 3), height = pick(1, 3), width = pick(1, 3);
    const Extents src{pick(0, 2), channels, 2 * (width - 1) + pick(0, 6),
                      2 * (height - 1) + pick(0, 6)};
    problem.src = pick_tensor(src, channels_first_axes(DataFormat::kNXC, 4));
    problem.weights = pick_tensor({pick(1, 3), channels, height, width},
                                  channels_first_axes(WeightsFormat::kXIO, 4));
    return problem;
  });
}

rc::Gen<Problem> any_problem() {
  return rc::gen::exec([] {
    Problem problem = pick_small_problem();
    problem.src = pick_any_tensor();
    problem.weights = pick_any_tensor();
    if (problem.bias) problem.bias = pick_any_tensor();
    if (problem.dst) problem.dst = pick_any_tensor();
    const PickAnything picks;
    std::visit([&](auto& a) { walk_attributes(a, 0, picks); }, problem.attributes);
    return problem;
  });
}

rc::Gen<Problem> spoiled_problem() {
  return rc::gen::exec([] {
    Problem problem = pick_small_problem();
    const Extent faults = pick(1, 3);
    for (Extent i = 0; i < faults; ++i) {
      switch (pick(0, 5)) {
        case 0:
          spoil(problem.src);
          break;
        case 1:
          spoil(problem.weights);
          break;
        case 2:
          if (!problem.bias) problem.bias = Tensor{{3}, {}};
          spoil(*problem.bias);
          break;
        case 3:
          if (!problem.dst) problem.dst = Tensor{problem.src.dims, {}};
          spoil(*problem.dst);
          break;
        default:
          spoil_attribute(problem, pick_number);
      }
    }
    return problem;
  });
}

}  // namespace concord::fuzz

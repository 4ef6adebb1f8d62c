// SPDX-License-Identifier: Apache-2.0
// From a row of levels to the problem that it stands for.
#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/attribute_numbers.h"
#include "conformance/catalog/extents.h"
#include "conformance/catalog/memory.h"
#include "reference/discrete.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

Attributes attributes_of(const Row& row) {
  const auto operation = level_of(row, Attribute::kOperation);
  if (operation == "AtrousConv2d") return AtrousConv2dAttributes{};
  if (operation == "Convolution1") return Convolution1Attributes{};
  return ConvolutionAttributes{};
}

struct SetAttributes {
  const Row& row;
  const AttributeNumbers& n;

  void operator()(AtrousConv2dAttributes& a) const {
    a.rate = n.D[0];
    a.padding = n.auto_pad == AutoPad::kValid ? TfPadding::kValid : TfPadding::kSame;
  }
  void operator()(Convolution1Attributes& a) const { set_spatial(a, a.filter_format); }
  void operator()(ConvolutionAttributes& a) const { set_spatial(a, a.weights_format); }
  // The covering arrays are those of the discrete operations.
  template <class Other>
  void operator()(Other&) const {
    CONCORD_CHECK(false) << "no discrete operation";
  }

 private:
  void set_spatial(SpatialAttributes& a, WeightsFormat& weights_format) const {
    a.strides = n.S;
    a.dilations = n.D;
    a.pads_begin = n.P_begin;
    a.pads_end = n.P_end;
    a.auto_pad = n.auto_pad;
    a.data_format =
        level_of(row, Attribute::kDataFormat) == "NCX" ? DataFormat::kNCX : DataFormat::kNXC;
    weights_format = level_of(row, Attribute::kWeightsFormat) == "OIX" ? WeightsFormat::kOIX
                                                                       : WeightsFormat::kXIO;
  }
};

void set_memory(std::string_view memory, bool between_elements, Problem& problem) {
  if (memory == "dense") return;
  const auto geometry = reference::resolve_discrete(problem);
  CONCORD_CHECK(geometry) << print(problem) << ": " << geometry.why().detail;
  const Tensor dst{geometry->dst.dims, {}};
  const auto gaps = between_elements ? with_element_gaps : with_row_gaps;
  const bool all = memory == "all_gaps";
  if (all || memory == "src_gaps") problem.src = gaps(problem.src.dims);
  if (all || memory == "weights_gaps") problem.weights = gaps(problem.weights.dims);
  if (all && problem.bias) problem.bias = with_element_gaps(problem.bias->dims);
  if (all || memory == "dst_gaps") problem.dst = gaps(dst.dims);
  if (memory == "reordered") {
    problem.src = reversed_order(problem.src.dims);
    problem.dst = reversed_order(dst.dims);
  }
}

}  // namespace

Problem problem_of(const Row& row) {
  const AttributeNumbers n = numbers_of(row);
  const Shape shape = shape_of_row(row, n);

  Problem problem;
  problem.dtype = *parse_dtype(level_of(row, Attribute::kDtype));
  if (level_of(row, Attribute::kReading) == "documented") problem.reading = Reading::kDocumented;
  problem.attributes = attributes_of(row);
  std::visit(SetAttributes{row, n}, problem.attributes);
  if (level_of(row, Attribute::kBias) == "yes") problem.bias.emplace();
  set_shape(problem, shape);
  // Gaps between elements or between rows, by turns of something that does not matter here.
  set_memory(level_of(row, Attribute::kMemory), shape.ICG % 2 == 0, problem);
  return problem;
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
// Not slips but other choices, where docs/spec.md chose between readings of a document: choices.txt
// lists them by the row of its tables.
#include <algorithm>
#include <cmath>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

Reading other(Reading reading) {
  return reading == Reading::kDocumented ? Reading::kImplemented : Reading::kDocumented;
}

// Kernels that lack axes, all others, or any.
enum class Kernels { kLackAxes, kWhole, kAny };

bool is_of(const Problem& problem, Kernels kernels) {
  const auto* a = std::get_if<CntkConvolutionAttributes>(&problem.attributes);
  if (a == nullptr) return false;
  const bool lacks_axes = a->kernel.size() + 1 < problem.src.rank();
  return kernels == Kernels::kAny || lacks_axes == (kernels == Kernels::kLackAxes);
}

// Takes CNTK's problem by the other reading where one of the two refuses it for `kFault`.
template <Reading kAsked, Fault kFault, Kernels kKernels = Kernels::kAny>
void read_otherwise(Problem& problem) {
  if (problem.reading != kAsked || !is_of(problem, kKernels)) return;
  Problem otherwise = problem;
  otherwise.reading = other(kAsked);
  const auto mine = reference::resolve(problem), theirs = reference::resolve(otherwise);
  const auto& refused = mine ? theirs : mine;
  if (static_cast<bool>(mine) == static_cast<bool>(theirs)) return;
  if (refused.why().fault == kFault) problem = std::move(otherwise);
}

template <Reading kAsked, TfPadding kPadding>
void read_atrous_otherwise(Problem& problem) {
  const auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
  if (a == nullptr || a->padding != kPadding || problem.reading != kAsked) return;
  problem.reading = other(kAsked);
}

void drop_remainder(Problem& problem) {
  const SpatialAttributes* a = asked_attributes(problem);
  if (a == nullptr || a->groups < 1 || problem.src.rank() < 3) return;
  const std::size_t axis = a->data_format == DataFormat::kNCX ? 1 : problem.src.rank() - 1;
  Extent& channels = problem.src.dims[axis];
  if (channels % a->groups == 0) return;
  channels -= channels % a->groups;
  problem.src.strides.clear();
}

constexpr Reading kImplemented = Reading::kImplemented, kDocumented = Reading::kDocumented;

const Bug kBugs[] = {
    {"four_axes_refused",
     "choice",
     "Refuses more than three spatial axes, which Convolution-1 as documented does not.",
     "oneDNN: its graph's shapes",
     {.query = [](const Problem& problem) -> std::optional<Refused> {
       if (problem.src.rank() > 5) return invalid("more than three spatial axes");
       return std::nullopt;
     }}},
    {"groups_remainder_dropped",
     "choice",
     "Divides channels by groups and drops the remainder.",
     "oneDNN: its graph's shape inference",
     {.problem = drop_remainder}},
    {"dilation_zero_is_dense",
     "choice",
     "Takes a dilation below 1 for dense.",
     "oneDNN: its graph's backend",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a == nullptr) return;
            for (Extent& dilation : a->dilations) dilation = std::max<Extent>(dilation, 1);
          }}},
    {"empty_pads_are_zeros",
     "choice",
     "Takes pads that are too few for zeros.",
     "oneDNN: its graph's shape inference",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a == nullptr || problem.src.rank() < 3) return;
            for (Extents* pads : {&a->pads_begin, &a->pads_end}) {
              if (pads->size() + 2 < problem.src.rank()) pads->resize(problem.src.rank() - 2, 0);
            }
          }}},
    {"absent_lists_are_ones",
     "choice",
     "Takes strides and dilations that are not given, which the documents require, for ones.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a == nullptr || problem.src.rank() < 3) return;
            for (Extents* list : {&a->strides, &a->dilations}) {
              if (list->empty()) list->assign(problem.src.rank() - 2, 1);
            }
          }}},
    {"atrous_large_filter_accepted",
     "choice",
     "Gives atrous_conv2d an empty output where the filter is larger than the value.",
     "tensorflow/tensorflow",
     {.problem =
          [](Problem& problem) {
            const auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
            if (a == nullptr || a->padding != TfPadding::kValid) return;
            if (problem.src.rank() != 4 || problem.weights.rank() != 4) return;
            const Extents before = problem.src.dims;
            for (const std::size_t axis : {1U, 2U}) {
              const Extent covered = (problem.weights.dims[axis - 1] - 1) * a->rate;
              problem.src.dims[axis] = std::max(problem.src.dims[axis], covered);
            }
            if (problem.src.dims != before) problem.src.strides.clear();
          }}},
    {"atrous_valid_as_printed",
     "choice",
     "Gives atrous_conv2d under VALID the shape that its document prints.",
     "tensorflow/tensorflow: its document",
     {.problem = read_atrous_otherwise<kImplemented, TfPadding::kValid>}},
    {"atrous_valid_as_computed",
     "choice",
     "Gives atrous_conv2d under VALID the system's shape where the document's is asked.",
     "tensorflow/tensorflow",
     {.problem = read_atrous_otherwise<kDocumented, TfPadding::kValid>}},
    {"atrous_same_as_printed",
     "choice",
     "Begins the windows of atrous_conv2d under SAME at the pixel itself, as its formula does.",
     "tensorflow/tensorflow: its document",
     {.problem = read_atrous_otherwise<kImplemented, TfPadding::kSame>}},
    {"atrous_same_centred",
     "choice",
     "Centres the windows of atrous_conv2d under SAME where the formula as printed is asked.",
     "tensorflow/tensorflow",
     {.problem = read_atrous_otherwise<kDocumented, TfPadding::kSame>}},
    {"graph_same_as_computed",
     "choice",
     "Pads the oneDNN Graph's SAME as its library where Convolution-1's text is asked.",
     "oneDNN",
     {.problem =
          [](Problem& problem) {
            if (problem.operation() == Operation::kConvolution) problem.reading = kImplemented;
          }}},
    {"atrous_groups_computed",
     "choice",
     "Takes filters whose channels only divide the value's for groups.",
     "tensorflow/tensorflow: recent versions",
     {.problem =
          [](Problem& problem) {
            const bool is_atrous =
                std::holds_alternative<AtrousConv2dAttributes>(problem.attributes);
            if (!is_atrous || problem.src.rank() != 4 || problem.weights.rank() != 4) return;
            const Extent channels = problem.weights.dims[2];
            if (channels > 0 && problem.src.dims[3] % channels == 0) {
              problem.src.dims[3] = channels;
              problem.src.strides.clear();
            }
          }}},
    {"atrous_padding_any_other_is_valid",
     "choice",
     "Takes any padding of atrous_conv2d that is not SAME for VALID, however it is spelt.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
            if (a != nullptr && a->padding == TfPadding::kOther) a->padding = TfPadding::kValid;
          }}},
    {"atrous_rate_below_one_is_one",
     "choice",
     "Takes a rate of atrous_conv2d below 1 for 1.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
            if (a != nullptr) a->rate = std::max<Extent>(a->rate, 1);
          }}},
    {"atrous_rate_cut_to_int32",
     "choice",
     "Takes the largest int32 for a rate of atrous_conv2d beyond it.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            auto* a = std::get_if<AtrousConv2dAttributes>(&problem.attributes);
            if (a != nullptr) a->rate = std::min<Extent>(a->rate, INT32_MAX);
          }}},
    {"groups_zero_is_one",
     "choice",
     "Takes groups of 0 for 1.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a != nullptr && a->groups == 0) a->groups = 1;
          }}},
    {"cntk_zero_stride_is_one", "cntk choice",
     "The 2-D form takes a stride of 0 for 1, which it is by default.", "a common slip",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
                 if (a == nullptr) return;
                 a->horizontal_stride += a->horizontal_stride == 0 ? 1 : 0;
                 a->vertical_stride += a->vertical_stride == 0 ? 1 : 0;
               }})},
    {"cntk_map_count_ignored_in_2d", "cntk choice",
     "The 2-D form takes the rows of the weights for the number of maps, whatever mapCount says.",
     "a common slip",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
                 if (a != nullptr) a->map_count = 0;
               }})},
    {"cntk_channel_padding_computed", "cntk choice",
     "Computes padding over the channels, which the system refuses.", "microsoft/CNTK",
     form({.problem = read_otherwise<kImplemented, Fault::kPadding>})},
    {"cntk_channel_padding_refused", "cntk choice",
     "Refuses padding over the channels, which the document does not.", "microsoft/CNTK",
     form({.problem = read_otherwise<kDocumented, Fault::kPadding>})},
    {"cntk_kernel_not_completed", "cntk choice",
     "Refuses a kernel with fewer axes than the input, which the system completes.",
     "microsoft/CNTK",
     form({.problem = read_otherwise<kImplemented, Fault::kKernel, Kernels::kLackAxes>})},
    {"cntk_kernel_completed", "cntk choice",
     "Completes a kernel with fewer axes than the input, of which the document knows nothing.",
     "microsoft/CNTK",
     form({.problem = read_otherwise<kDocumented, Fault::kKernel, Kernels::kLackAxes>})},
    {"cntk_large_kernel_computed", "cntk choice",
     "Computes a kernel larger than the input, which the system refuses.", "microsoft/CNTK",
     form({.problem = read_otherwise<kImplemented, Fault::kKernel, Kernels::kWhole>})},
    {"cntk_large_kernel_refused", "cntk choice",
     "Refuses a kernel larger than the input, which the document does not.", "microsoft/CNTK",
     form({.problem = read_otherwise<kDocumented, Fault::kKernel, Kernels::kWhole>})},
    {"cntk_unreached_cells_computed", "cntk choice",
     "Computes explicit padding after which no window reaches the input's end.", "microsoft/CNTK",
     form({.problem = read_otherwise<kImplemented, Fault::kPads>})},
    {"cntk_unreached_cells_refused", "cntk choice",
     "Refuses explicit padding after which no window reaches the input's end.", "microsoft/CNTK",
     form({.problem = read_otherwise<kDocumented, Fault::kPads>})},
    {"cntk_shape_of_weights_checked", "cntk choice",
     "Refuses weights that are no matrix of kernels by cells, of which the system only counts the "
     "elements.",
     "microsoft/CNTK", form({.problem = read_otherwise<kImplemented, Fault::kChannels>})},
    {"cntk_shape_of_weights_unchecked", "cntk choice",
     "Takes weights of any shape with enough elements, against the document.", "microsoft/CNTK",
     form({.problem = read_otherwise<kDocumented, Fault::kChannels>})},
    {"cntk_hwc_as_implemented", "cntk choice",
     "Reads and pads an HWC image as the system does where the document's way is asked.",
     "microsoft/CNTK: its document against its engine",
     form({.problem =
               [](Problem& problem) {
                 const auto* a = std::get_if<CntkConvolution2dAttributes>(&problem.attributes);
                 if (a != nullptr && a->image_layout == CntkLayout::kHwc) {
                   problem.reading = kImplemented;
                 }
               }})},
    {"cc_offset_of_nearest_pixel", "cc choice",
     "The efficient variant asks the net for the distance from the nearest pixel.",
     "the paper's words taken otherwise",
     continuous({.distances =
                     [](ContinuousRun& run) {
                       if (run.g.function != KernelFunction::kNetK) return;
                       for (double& d : run.distances) d -= std::floor(d + 0.5);
                     }})},
    {"cc_negative_scale_taken", "cc choice", "Takes a negative scale for its magnitude.",
     "a common slip",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<ContinuousAttributes>(&problem.attributes);
                 if (a == nullptr) return;
                 if (a->scale_h < Rational(0)) a->scale_h = -a->scale_h;
                 if (a->scale_w < Rational(0)) a->scale_w = -a->scale_w;
               }})},
    {"cc_empty_image_refused", "cc choice", "Refuses an empty image.", "a common slip",
     form({.problem =
               [](Problem& problem) {
                 auto* a = std::get_if<ContinuousAttributes>(&problem.attributes);
                 if (a == nullptr || problem.src.rank() != 4) return;
                 if (problem.src.dims[2] == 0 || problem.src.dims[3] == 0) a->scale_h = 0;
               }})},
};

}  // namespace

std::span<const Bug> choice_bugs() { return kBugs; }

}  // namespace concord::backends::faulty

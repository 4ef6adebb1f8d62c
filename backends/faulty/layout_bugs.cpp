// SPDX-License-Identifier: Apache-2.0
// Bugs of layouts and of the places of elements in memory.
#include <algorithm>

#include "backends/faulty/catalogue.h"
#include "spec/tensor_values.h"

namespace concord::backends::faulty {
namespace {

// The tensor channels first, as if it lay dense in memory in the given axis order.
template <class Format>
Tensor dense_in(const Tensor& channels_first, Format format) {
  const auto axes = channels_first_axes(format, channels_first.rank());
  const Tensor in_memory{unpermute(channels_first, axes).dims, {}};
  return permute(in_memory, axes);
}

// Puts `wrong` in the place of `right` if it stays within right's memory.
void mistake(Tensor& right, const Tensor& wrong) {
  const auto reach = element_span(wrong);
  if (reach && *reach <= *element_span(right)) right = wrong;
}

DataFormat other(DataFormat format) {
  return format == DataFormat::kNXC ? DataFormat::kNCX : DataFormat::kNXC;
}

// Where a counter that holds 1024 values ends; a real one has 2^15 or 2^31.
constexpr std::size_t kWrap = 1024;

const Bug kBugs[] = {
    {"src_format_confused",
     "layout",
     "Takes channels-last src for channels-first, and vice versa.",
     "a common slip",
     {.layout =
          [](const Problem& problem, Views& views) {
            mistake(views.src, dense_in(views.src, other(data_format_of(problem))));
          }}},
    {"dst_format_confused",
     "layout",
     "Writes dst channels-first where it is channels-last.",
     "a common slip",
     {.layout = [](const Problem&,
                   Views& views) { mistake(views.dst, dense_in(views.dst, DataFormat::kNCX)); }}},
    {"weights_format_confused",
     "layout",
     "Takes weights in XIO order for OIX, and vice versa.",
     "a common slip",
     {.layout =
          [](const Problem& problem, Views& views) {
            const bool oix = weights_format_of(problem) == WeightsFormat::kOIX;
            mistake(views.weights,
                    dense_in(views.weights, oix ? WeightsFormat::kXIO : WeightsFormat::kOIX));
          }}},
    {"weights_in_and_out_swapped",
     "layout",
     "Swaps input and output channels of the weights where they are as many.",
     "a common slip",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            if (nest.OC == nest.ICG()) std::swap(tap.w_oc, tap.w_ic);
          }}},
    {"src_strides_ignored",
     "layout",
     "Reads src as if it were dense.",
     "pytorch/pytorch#192212",
     {.layout =
          [](const Problem& problem, Views& views) {
            mistake(views.src, dense_in(views.src, data_format_of(problem)));
          }}},
    {"weights_strides_ignored",
     "layout",
     "Reads the weights as if they were dense.",
     "pytorch/pytorch#180984",
     {.layout =
          [](const Problem& problem, Views& views) {
            mistake(views.weights, dense_in(views.weights, weights_format_of(problem)));
          }}},
    {"dst_strides_ignored",
     "layout",
     "Writes dst as if it were dense.",
     "NVIDIA/cutlass#1323",
     {.layout =
          [](const Problem& problem, Views& views) {
            mistake(views.dst, dense_in(views.dst, data_format_of(problem)));
          }}},
    {"bias_stride_ignored",
     "layout",
     "Reads the bias as if it were dense.",
     "a common slip",
     {.layout =
          [](const Problem&, Views& views) {
            if (views.bias) views.bias->strides.clear();
          }}},
    {"one_channel_strides_ignored",
     "layout",
     "Takes a src of one channel for dense, whatever its strides.",
     "pytorch/pytorch#82060",
     {.layout =
          [](const Problem& problem, Views& views) {
            if (views.src.dims[1] == 1) {
              mistake(views.src, dense_in(views.src, data_format_of(problem)));
            }
          }}},
    {"zero_strides_of_single_elements_refused",
     "layout",
     "Refuses a stride of 0 although the axis has one element.",
     "a common slip",
     {.query = [](const Problem& problem) -> std::optional<Refused> {
       for (const Tensor* tensor : {&problem.src, &problem.weights}) {
         const auto& strides = tensor->strides;
         if (std::find(strides.begin(), strides.end(), 0) == strides.end()) continue;
         return invalid("a stride is 0");
       }
       return std::nullopt;
     }}},
    {"dtypes_unchecked",
     "dtypes",
     "Takes weights, bias and dst for tensors of the type of src without a look at theirs.",
     "oneapi-src/oneDNN: types are checked by the graph, not by the kernel",
     {.problem = [](Problem& problem) { problem.other_dtypes = {}; }}},
    {"read_index_wraps",
     "index",
     "Counts the elements of src in too few bits (scaled down: 10), and begins anew.",
     "ml-explore/mlx PR#3143",
     {.inputs =
          [](Run& run) {
            for (std::size_t i = kWrap; i < run.src.size(); ++i) run.src[i] = run.src[i - kWrap];
          }}},
    {"write_index_ends_early",
     "index",
     "Counts the elements of dst in too few bits (scaled down: 10), and writes no more than that.",
     "ROCm/rocm-libraries PR#4611",
     {.outputs =
          [](Run& run) {
            const auto before = read_tensor(run.problem.dtype, run.views.dst, run.buffers.dst.data);
            for (std::size_t i = kWrap; i < run.dst.size(); ++i) {
              run.dst[i] = static_cast<float>(before[i]);
            }
          }}},
    {"products_end_early",
     "index",
     "Counts the products of one output in too few bits (scaled down: 6), and stops there.",
     "pytorch/pytorch#117736",
     {.tap =
          [](const Nest& nest, Tap& tap) {
            const Extent taps = volume(nest.K);
            const auto place = static_cast<Extent>(place_in(nest.K, tap.k));
            if (tap.ic * taps + place >= 64) tap.counts = false;
          }}},
};

}  // namespace

std::span<const Bug> layout_bugs() { return kBugs; }

}  // namespace concord::backends::faulty

// SPDX-License-Identifier: Apache-2.0
// Bugs of a whole call: wrong answers to query, wrong statuses, death, and outputs that are not
// computed at all.
#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "backends/faulty/asked.h"
#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

// The next f32 number, for results that differ in their last bit.
void nudge(std::vector<float>& values) {
  if (values.empty()) return;
  values[0] = std::nextafterf(values[0], std::numeric_limits<float>::infinity());
}

// The same products in another order: each group's channels from the last to the first, in src and
// in weights alike.
void reverse_channels(Run& run) {
  const Nest& nest = run.nest;
  const auto reverse = [&](std::vector<float>& values, const Spatial& extents) {
    Extent plane = 1;
    for (const Extent extent : extents) plane *= extent;
    const Extent group = nest.ICG() * plane;
    if (group == 0) return;
    for (auto begin = values.begin(); begin != values.end(); begin += group) {
      for (Extent c = 0; c < nest.ICG() / 2; ++c) {
        const auto channel = begin + c * plane;
        std::swap_ranges(channel, channel + plane, begin + (nest.ICG() - 1 - c) * plane);
      }
    }
  };
  reverse(run.src, nest.I);
  reverse(run.weights, nest.K);
}

const Bug kBugs[] = {
    {"returns_zeros",
     "no computation",
     "Gives zeros.",
     "isl-org/Open3D-ML#646",
     {.outputs = [](Run& run) { std::fill(run.dst.begin(), run.dst.end(), 0.0F); }}},
    {"returns_bias",
     "no computation",
     "Gives the bias alone.",
     "a common slip",
     {.tap = [](const Nest&, Tap& tap) { tap.counts = false; }}},
    {"returns_first_element",
     "no computation",
     "Gives its first element everywhere.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (!run.dst.empty()) std::fill(run.dst.begin(), run.dst.end(), run.dst[0]);
          }}},
    {"returns_absolute_values",
     "values",
     "Loses the sign.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            for (float& value : run.dst) value = std::fabs(value);
          }}},
    {"shifted_by_one",
     "values",
     "Writes every element one place late.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.dst.empty()) return;
            std::rotate(run.dst.begin(), run.dst.end() - 1, run.dst.end());
          }}},
    {"crashes",
     "death",
     "Dies of a bad memory access in execute.",
     "a common slip",
     {.outputs = [](Run&) { raise(SIGSEGV); }}},
    {"crashes_in_prepare",
     "death",
     "Aborts in prepare if there are groups.",
     "a common slip",
     {.prepare = [](const Problem& problem) -> std::optional<Refused> {
       const SpatialAttributes* a = asked_attributes(problem);
       if (a != nullptr && a->groups > 1) std::abort();
       return std::nullopt;
     }}},
    {"divides_by_zero_channels",
     "death",
     "Divides by the number of output elements.",
     "pytorch/pytorch#91396",
     {.outputs =
          [](Run& run) {
            if (run.dst.empty()) raise(SIGFPE);
          }}},
    {"hangs",
     "death",
     "Waits for ever in execute.",
     "iree-org/iree#8530",
     {.outputs =
          [](Run&) {
            while (true) std::this_thread::sleep_for(std::chrono::hours(1));
          }}},
    {"exits",
     "death",
     "Ends the process from within execute.",
     "a common slip",
     {.outputs = [](Run&) { std::_Exit(0); }}},
    {"throws",
     "status",
     "Fails with an exception where the kernel is not square.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.nest.K[kHeight] != run.nest.K[kWidth]) {
              throw std::runtime_error("a planted exception");
            }
          }}},
    {"fails", "status", "Reports a fault of its own.", "a common slip", {.status = CONCORD_FAULT}},
    {"claims_then_declines",
     "status",
     "Claims to serve groups, and declines in prepare.",
     "a common slip",
     {.prepare = [](const Problem& problem) -> std::optional<Refused> {
       const SpatialAttributes* a = asked_attributes(problem);
       if (a != nullptr && a->groups > 1) return declines("no groups after all");
       return std::nullopt;
     }}},
    {"declines_in_execute",
     "status",
     "Claims to serve a problem, and declines in execute.",
     "a common slip",
     {.status = CONCORD_UNSUPPORTED}},
    {"refuses_dilated_strides",
     "status",
     "Calls a problem with stride and dilation invalid, which it is not.",
     "tensorflow/tensorflow#57128",
     {.query = [](const Problem& problem) -> std::optional<Refused> {
       const Nest nest = nest_of(*lower(problem));
       const Spatial ones = kOnes;
       if (nest.S != ones && nest.D != ones) return invalid("stride and dilation are both given");
       return std::nullopt;
     }}},
    {"zero_strides_accepted",
     "status",
     "Takes a stride of zero for one instead of refusing it.",
     "a common slip",
     {.problem =
          [](Problem& problem) {
            SpatialAttributes* a = asked_attributes(problem);
            if (a == nullptr) return;
            for (Extent& stride : a->strides) stride = std::max<Extent>(stride, 1);
          }}},
    {"bias_length_unchecked",
     "status",
     "Serves a bias of another length than the output channels.",
     "microsoft/onnxruntime PR#29464",
     {.problem =
          [](Problem& problem) {
            const auto axes = channels_first_axes(weights_format_of(problem),
                                                  std::max<std::size_t>(problem.weights.rank(), 2));
            if (problem.bias && problem.weights.rank() >= 2 && problem.bias->rank() == 1) {
              problem.bias->dims = {problem.weights.dims[axes[0]]};
            }
          }}},
    {"shape_height_and_width_swapped",
     "shape",
     "Infers dst with height and width swapped.",
     "openvinotoolkit/openvino PR#9518",
     {.answer =
          [](const Problem& problem, Answer& answer) {
            const std::size_t rank = answer.dst_dims.size();
            if (rank < 4) return;
            const std::size_t width =
                data_format_of(problem) == DataFormat::kNCX ? rank - 1 : rank - 2;
            std::swap(answer.dst_dims[width], answer.dst_dims[width - 1]);
          }}},
    {"shape_without_batch",
     "shape",
     "Infers a dst without its batch axis.",
     "a common slip",
     {.answer = [](const Problem&,
                   Answer& answer) { answer.dst_dims.erase(answer.dst_dims.begin()); }}},
    {"claims_f64",
     "declaration",
     "Declares sums in f64, but sums in f32.",
     "a common slip",
     {.answer = [](const Problem&,
                   Answer& answer) { answer.arithmetic.accumulator = CONCORD_ACCUMULATE_F64; }}},
    {"bits_vary_by_run",
     "declaration",
     "Gives other bits in the second run.",
     "pytorch/executorch#21938",
     {.outputs =
          [](Run& run) {
            if (run.executions_before % 2 == 1) nudge(run.dst);
          }}},
    {"bits_vary_by_threads",
     "declaration",
     "Declares the same bits for any number of threads, but gives others.",
     "a common slip",
     {.outputs =
          [](Run& run) {
            if (run.threads > 1) nudge(run.dst);
          }}},
    {"channels_summed_by_threads",
     "declaration",
     "Declares the same bits for any number of threads, but with more than one sums the channels "
     "from the last to the first.",
     "a common slip",
     {.inputs =
          [](Run& run) {
            if (run.threads > 1) reverse_channels(run);
          }}},
    {"leaves_rounding_mode",
     "declaration",
     "Leaves the processor rounding toward zero, for itself and for all that comes later.",
     "the crtfastmath.o of -ffast-math, which leaves subnormals off in the same way",
     {.afterwards = [](Run&) { std::fesetround(FE_TOWARDZERO); }}},
};

}  // namespace

std::span<const Bug> behaviour_bugs() { return kBugs; }

}  // namespace concord::backends::faulty

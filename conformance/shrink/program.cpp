// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/judge/acceptance.h"
#include "conformance/judge/judge_data.h"
#include "conformance/judge/judge_recorded.h"
#include "conformance/judge/judge_special.h"
#include "conformance/judge/judge_statistical.h"
#include "conformance/judge/skipped_zeros.h"
#include "conformance/record/failure_text.h"
#include "conformance/run/lowering.h"
#include "conformance/run/tensor_images.h"
#include "conformance/run/unknown_number.h"
#include "conformance/shrink/c_text.h"
#include "conformance/shrink/program_body.h"
#include "conformance/worker/dst_check.h"
#include "conformance/worker/poison.h"
#include "plugin_codec/plugin_problem.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kMostElements = 20000;

/// What is accepted of each element, in the order of dst's own axes.
struct Limits {
  std::vector<double> lowest, highest;
  std::vector<double> nan_too;  ///< 1 where a library that multiplies padding has NaN
};

// The offset, in the order of dst's own axes, of element `place` of the channels-first order.
std::size_t own_place(const Problem& problem, const Tensor& dst, std::size_t place) {
  const Extents index = own_index(problem, dst, place);
  Extent own = 0;
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    own = own * dst.dims[axis] + index[axis];
  }
  return static_cast<std::size_t>(own);
}

Limits limits_of(const Problem& problem, const Expectation& e) {
  const ErrorBound bound = e.recorded != nullptr                        ? recorded_bound(e)
                           : is_exact(e.fill, e.geometry, e.arithmetic) ? ErrorBound{}
                                                                        : error_bound(e);
  const Acceptance acceptance(e.dtype, e.arithmetic, bound);
  constexpr double kFar = std::numeric_limits<double>::max();
  const std::size_t count = e.oracle.value.size();
  Limits limits{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  const auto multiplied =
      has_special_results(e.fill) && std::holds_alternative<reference::Geometry>(e.geometry.form)
          ? with_padding_multiplied(e.geometry.discrete(), e.inputs.weights, e.oracle.value)
          : e.oracle.value;
  reference::Oracle wanted = e.oracle;
  if (has_special_results(e.fill) && may_skip_zero_weights(e.geometry, e.arithmetic)) {
    // Finite numbers, so that all that was skipped is.
    wanted = wanted_with(skip_zero_weights(problem, e.geometry, e.inputs), e.oracle,
                         std::vector<double>(count));
  }
  const ChannelBias bias = bias_of(e);
  const auto lone = lone_products(e);
  const auto radii =
      e.recorded == nullptr ? std::vector<double>{} : printed_radii(e.dtype, *e.recorded);
  std::vector<double> magnitude = error_magnitudes(e, wanted);
  if (is_bilinear(e.arithmetic)) magnitude = normwise(e.dtype, e.arithmetic, magnitude, bias);
  for (std::size_t i = 0; i < count; ++i) {
    const double want = wanted.value[i], S = magnitude[i], b = bias.of(i);
    const Wanted sum(want, wanted.low.empty() ? 0 : wanted.low[i], radii.empty() ? 0 : radii[i]);
    const std::size_t at = own_place(problem, e.geometry.dst, i);
    const bool finite = std::isfinite(want);
    limits.nan_too[at] = std::isnan(multiplied[i]) ? 1 : 0;
    limits.lowest[at] = finite ? acceptance.limit(-kFar, sum, S, b) : want;
    limits.highest[at] = finite ? acceptance.limit(kFar, sum, S, b) : want;
    if (!lone) continue;
    const WrongElement ends = lone->describe(i, want, sum, S);
    limits.lowest[at] = ends.lowest;
    limits.highest[at] = ends.highest;
  }
  return limits;
}

// Text within a comment: what a plugin says must not end it.
std::string within_comment(std::string text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool ends = at > 0 && ((text[at - 1] == '*' && text[at] == '/') ||
                                 (text[at - 1] == '/' && text[at] == '*'));
    if (ends || byte < 0x20 || byte > 0x7E || text[at] == '?') text[at] = '.';
  }
  return text;
}

std::string comment(const Shrunk& shrunk, const BackendSpec& backend) {
  std::string text = fmt::format(
      "/*\n * {} of {}, tier {}: {}\n *\n *   {}\n *\n", to_string(shrunk.result.verdict),
      within_comment(backend.text), to_string(shrunk.result.tier),
      within_comment(shrunk.result.reason), print(shrunk.smallest.problem));
  if (const auto& f = shrunk.result.failure) {
    text += fmt::format(" * {}\n", element_text(*f));
  }
  for (const std::string& line : shrunk.taps) text += fmt::format(" *   {}\n", line);
  return text +
         " *\n * Build  cc -std=c99 -I FOLDER_OF_concord_plugin.h THIS.c -ldl -lm\n"
         " * Run    ./a.out [PLUGIN.so [CONFIG]]\n"
         " * Exit code: 0 the plugin is right, 1 it is wrong, 2 it could not be tried.\n */\n";
}

std::string images_text(const char* prefix, const Problem& problem, const Inputs& inputs) {
  const InputImages images = images_of(problem, inputs);
  std::string text;
  std::array<std::string, 3> names{"0", "0", "0"};
  for (const Input input : kInputs) {
    const auto place = place_of(problem, input);
    if (!place) continue;
    names.at(*place) = fmt::format("{}{}", prefix, to_string(input));
    text += c_words(names.at(*place), images.of(input), size_of(problem.dtype));
  }
  return text + fmt::format("static const void *const {}images[] = {{{}}};\n", prefix,
                            fmt::join(names, ", "));
}

// How many bytes each input has, and which of them `prepare` is shown: weights and bias.
std::string image_sizes(const Problem& problem, const InputImages& images) {
  std::array<std::size_t, 3> bytes{};
  std::array<int, 3> shown{};
  for (const Input input : kInputs) {
    const auto place = place_of(problem, input);
    if (!place) continue;
    bytes.at(*place) = images.of(input).size();
    shown.at(*place) = input == Input::kWeights || input == Input::kBias ? 1 : 0;
  }
  return fmt::format(
      "static const size_t image_bytes[] = {{{}}};\nstatic const int is_constant[] = {{{}}};\n",
      fmt::join(bytes, ", "), fmt::join(shown, ", "));
}

// Values in the order of dst's own axes.
std::vector<double> in_own_order(const Problem& problem, const Tensor& dst,
                                 std::span<const double> values) {
  std::vector<double> ordered(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ordered[own_place(problem, dst, i)] = values[i];
  return ordered;
}

constexpr const char* kNoStatistics =
    "#define STATISTICAL 0\n#define MEAN_ZERO 0\n#define MEAN_SQUARE_LIMIT 0.0\n"
    "#define INDEPENDENT_LIMIT 0.0\n#define SHARED 0.0\n#define TAKES_LARGER 0\n"
    "#define GROWTH_SHRINKING 0.0\n#define HAS_CHANNELS 0\n#define CHANNELS 1\n"
    "#define CHANNELS_LIMIT 0.0\n"
    "static const double wanted[] = {0}, scales[] = {0}, channels[] = {0};\n";

std::string statistics_text(const Problem& problem, const Expectation& e, bool used) {
  if (!used) return kNoStatistics;
  const ErrorModel model = error_model(e);
  const std::vector<double> scales = error_scales(model, e.oracle.value, e.oracle.magnitude);
  std::vector<double> channels(scales.size());
  for (std::size_t i = 0; i < channels.size() && model.channels > 0; ++i) {
    channels[i] = static_cast<double>(i / model.plane % model.channels);
  }
  const ErrorSums none = sum_errors(model, e.oracle.value, e.oracle.value, e.oracle.magnitude);
  const StatisticalFinding limits = judge_statistical(e.dtype, e.arithmetic, none);
  const BiasLimit bias = bias_limit(e.dtype, e.arithmetic);
  return fmt::format(
             "#define STATISTICAL 1\n#define MEAN_ZERO {}\n#define MEAN_SQUARE_LIMIT {:#}\n"
             "#define INDEPENDENT_LIMIT {:#}\n#define SHARED {:#}\n#define TAKES_LARGER {:d}\n"
             "#define GROWTH_SHRINKING {:#}\n#define HAS_CHANNELS {:d}\n#define CHANNELS {}\n"
             "#define CHANNELS_LIMIT {:#}\n",
             has_mean_zero(e.dtype, e.arithmetic) ? 1 : 0, limits.mean_square_limit,
             bias.independent, none.shared, bias.takes_larger, bias.shrinking, model.channels > 0,
             std::max<std::size_t>(model.channels, 1), limits.channels_limit) +
         c_doubles("wanted", in_own_order(problem, e.geometry.dst, e.oracle.value)) +
         c_doubles("scales", in_own_order(problem, e.geometry.dst, scales)) +
         c_doubles("channels", in_own_order(problem, e.geometry.dst, channels));
}

constexpr const char* kNothingBefore = "static const void *const other_images[] = {0, 0, 0};\n";
constexpr const char* kNothingLater =
    "static const void *const later_images[] = {0, 0, 0};\n"
    "static const double later_lowest[] = {0}, later_highest[] = {0}, later_nan_too[] = {0};\n";
constexpr const char* kNoData =
    "#define DST_BYTES 0\nstatic const size_t elements = 0;\n"
    "static const void *const images[] = {0, 0, 0};\n"
    "static const size_t image_bytes[] = {0, 0, 0};\n"
    "static const int is_constant[] = {0, 0, 0};\n"
    "static const double lowest[] = {0}, highest[] = {0}, nan_too[] = {0};\n";

std::string limits_text(const char* prefix, const Problem& problem, const Expectation& e) {
  const Limits limits = limits_of(problem, e);
  return c_doubles(fmt::format("{}lowest", prefix), limits.lowest) +
         c_doubles(fmt::format("{}highest", prefix), limits.highest) +
         c_doubles(fmt::format("{}nan_too", prefix), limits.nan_too);
}

// The data of a valid problem.
Result<std::string> data_of(const Shrunk& shrunk, const concord_arithmetic& arithmetic) {
  const Problem& problem = shrunk.smallest.problem;
  PreparedCase prepared(shrunk.smallest);
  const reference::Resolution& geometry = *prepared.geometry();
  const PreparedCase::Data& data = prepared.data(arithmetic);
  const Inputs& inputs = data.inputs;
  const std::size_t count =
      inputs.src.size() + inputs.weights.size() + inputs.diff_dst.size() + data.oracle.value.size();
  if (count > kMostElements) {
    return Refusal{Fault::kSize, fmt::format("{} elements are too many to write out", count)};
  }
  const Expectation expected = prepared.expectation(arithmetic, data);
  std::string text = fmt::format("#define DST_BYTES {}\nstatic const size_t elements = {};\n",
                                 bytes_of(problem.dtype, geometry.dst), data.oracle.value.size());
  text += image_sizes(problem, images_of(problem, inputs)) + images_text("", problem, inputs) +
          limits_text("", problem, expected);
  text += statistics_text(problem, expected, shrunk.result.tier == Tier::kStatistical);
  if (prepared.sequence() != Sequence::kNothing) {
    const PreparedCase::Data& later = prepared.later_data(arithmetic);
    text += images_text("later_", problem, later.inputs) +
            limits_text("later_", problem, prepared.expectation(arithmetic, later));
  } else {
    text += kNothingLater;
  }
  if (!shrunk.setup.warmed) return text + kNothingBefore;
  const Case other = warm_up_of(shrunk.smallest);
  return text + images_text("other_", problem, PreparedCase(other).data(arithmetic).inputs);
}

std::string head_of(const Shrunk& shrunk, const TrialOptions& options) {
  std::string text = comment(shrunk, options.backend) + "#define _DEFAULT_SOURCE\n";
  for (const char* header : {"dirent.h", "dlfcn.h", "locale.h", "malloc.h", "math.h", "pthread.h",
                             "signal.h", "stdio.h", "stdlib.h", "string.h", "sys/mman.h",
                             "sys/resource.h", "sys/stat.h", "sys/wait.h", "unistd.h"}) {
    text += fmt::format("#include <{}>\n", header);
  }
  text += "\n#include \"concord_plugin.h\"\n\n";
  text += fmt::format("#define PLUGIN {}\n#define CONFIG {}\n", c_string(options.backend.path),
                      c_string(options.backend.config));
  const PreparedCase smallest(shrunk.smallest);
  const int always = smallest.other_threads(options.examine.threads, false);
  const auto patience = std::chrono::ceil<std::chrono::seconds>(options.host.deadline);
  return text + fmt::format(
                    "#define THREADS {}\n#define OTHER_THREADS {}\n"
                    "#define ALSO_IF_BITS_DIFFER {}\n#define WARMED {}\n"
                    "#define ATTEMPTS {}\n#define SECONDS {}\n",
                    options.examine.threads, smallest.other_threads(options.examine.threads, true),
                    always > 0 ? 1 : 0, shrunk.setup.warmed ? 1 : 0, kAttempts, patience.count());
}

// `asked` is the problem as query sees it, `complete` as prepare does.
std::string problem_text(const concord_problem& asked, const concord_problem& complete,
                         const PreparedCase* valid) {
  const Format& format = format_of(static_cast<Dtype>(complete.outputs[0].dtype - 1));
  return fmt::format(
             "#define OPERATION {}\n#define READING {}\n#define NUM_INPUTS {}\n"
             "#define IS_VALID {}\n#define SEQUENCE {}\n#define HIDES_WEIGHTS {}\n"
             "#define EXECUTIONS {}\n#define MANY_ROUNDS {}\n#define ON_ANOTHER_THREAD {}\n"
             "#define ELEMENT_BYTES {}\n#define FRACTION_BITS {}\n#define SMALLEST {}\n",
             asked.operation, asked.reading, asked.num_inputs, valid != nullptr ? 1 : 0,
             valid != nullptr ? static_cast<int>(valid->sequence()) : 0,
             valid != nullptr && valid->hides_weights() ? 1 : 0,
             valid != nullptr ? valid->executions() : 0,
             valid != nullptr && valid->many_rounds() ? 1 : 0,
             valid != nullptr && valid->on_another_thread() ? 1 : 0, format.bytes,
             format.significand_bits - 1, format.smallest()) +
         c_tensors("inputs", {asked.inputs, static_cast<std::size_t>(asked.num_inputs)}) +
         c_tensors("outputs", {complete.outputs, 1}) +
         c_tensors("asked_outputs", {asked.outputs, 1}) +
         "#define output outputs[0]\n#define asked_output asked_outputs[0]\n" + c_attributes(asked);
}

// Which question comes last, if one does.
std::string unknown_text(const std::optional<UnknownNumber>& unknown, PluginProblem& structs,
                         const Problem& problem) {
  std::string place = "problem.reading";  // which the program does not touch
  for (const Enumerator& each : enumerators_of(structs, problem)) {
    if (unknown && each.name == unknown->name) place = each.place;
  }
  return fmt::format("#define ASKS_UNKNOWN {:d}\n#define UNKNOWN {}\n#define UNKNOWN_NUMBER {}\n",
                     unknown.has_value(), place, unknown ? unknown->number : 0);
}

}  // namespace

Result<std::string> program_of(const Shrunk& shrunk, const TrialOptions& options) {
  const Problem& problem = shrunk.smallest.problem;
  if (options.backend.path.empty()) {
    return Refusal{Fault::kSyntax, options.backend.text + " is not a plugin that C can load"};
  }
  Problem stated = problem, complete = problem;
  const auto geometry = reference::resolve(problem);
  if (geometry) complete.dst = geometry->dst;
  if (!shrunk.result.lowered.empty()) {
    if (!is_discrete(problem.operation())) {
      return Refusal{Fault::kSyntax, fmt::format("the axes of a lowered {} have another order",
                                                 to_string(problem.operation()))};
    }
    const Lowered lowered = lower(problem, *geometry).value();
    stated = lowered.problem;
    complete = lowered.complete();
  }
  const auto asked = PluginProblem::make(stated), filled = PluginProblem::make(complete);
  if (!asked || !filled) return (!asked ? asked : filled).why();
  const PreparedCase prepared(shrunk.smallest);
  const bool is_lowered = !shrunk.result.lowered.empty();
  const auto unknown = is_lowered ? std::nullopt : unknown_number_of(prepared);
  const std::string text =
      head_of(shrunk, options) +
      fmt::format("#define HEAP {}\n", heap_perturbation(print(complete))) +
      problem_text(*(*asked)->get(), *(*filled)->get(), geometry ? &prepared : nullptr) +
      unknown_text(unknown, **asked, stated);
  if (!geometry) {
    return text + kNoData + kNoStatistics + kNothingLater + kNothingBefore + kProgramMemory +
           kProgramConduct + kProgramConversation;
  }
  const std::string& judged_by = shrunk.result.arithmetic;
  const auto arithmetic = parse_arithmetic(judged_by.empty() ? "strict" : judged_by);
  const auto data = data_of(shrunk, *arithmetic);
  if (!data) return data.why();
  return text + *data + kProgramMemory + kProgramConduct + kProgramConversation;
}

}  // namespace concord::conformance

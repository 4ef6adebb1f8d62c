// SPDX-License-Identifier: Apache-2.0
// `concord spec --errata`: where a document and the system that carries its name part, each with a
// smallest problem on which they do and what both make of it.
#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <vector>

#include "conformance/command/command.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

struct Erratum {
  const char* document;
  const char* text;    ///< what the document says
  const char* system;  ///< what the system that carries its name does
  const char* line;    ///< a smallest problem that tells them apart
};

// docs/spec.md has these and the errata that no problem can show, such as undefined symbols.
constexpr Erratum kErrata[] = {
    {"Convolution-1", "auto_pad same_upper: d(k-1) elements of padding, whatever the stride",
     "as many as the last window needs: max((ceil(i/s)-1)s + EK - i, 0)",
     "Convolution1 f32 src=1x1x4 weights=1x1x3 strides=2 auto_pad=same_upper data_format=NCX "
     "filter_format=OIX"},
    {"Convolution-1", "auto_pad same_lower: the same total, the odd element at the beginning",
     "the stride-aware total, the odd element at the beginning",
     "Convolution1 f32 src=1x1x2 weights=1x1x2 strides=2 auto_pad=same_lower data_format=NCX "
     "filter_format=OIX"},
    {"oneDNN Graph Convolution", "same_upper, as in Convolution-1's text: whatever the stride",
     "the overhang of the last window",
     "Convolution f32 src=1x1x4 weights=1x1x3 strides=2 auto_pad=same_upper data_format=NCX "
     "weights_format=OIX"},
    {"atrous_conv2d", "SAME: the formula's windows begin at the output's own pixel",
     "they are centred on it", "AtrousConv2d f32 src=1x1x5x1 weights=1x3x1x1 rate=2 padding=SAME"},
    {"atrous_conv2d", "VALID: [height - 2 (filter_width - 1), width - 2 (filter_height - 1)]",
     "[height - rate (filter_height - 1), width - rate (filter_width - 1)]",
     "AtrousConv2d f32 src=1x3x4x1 weights=2x1x1x1 rate=1 padding=VALID"},
    {"CNTK Convolution, 2-D", "imageLayout HWC: an image is stored as [channel, width, height]",
     "its engine reads [channel, height, width], and the kernel likewise",
     "CntkConvolution2d f32 src=1x3x2x1 weights=1x2 kernelWidth=2 kernelHeight=1 imageLayout=HWC"},
    {"CNTK Convolution, 2-D", "zeroPadding has one meaning for both layouts",
     "HWC: floor(kernel/2) cells before the first window, and ceil(i/s) outputs",
     "CntkConvolution2d f32 src=1x4x3x1 weights=1x2 kernelWidth=2 kernelHeight=1 zeroPadding=true "
     "imageLayout=HWC"},
    {"CNTK Convolution", "the default stride of 1 and autoPadding of true hold for channels, too",
     "padding over the last axis at a stride below its extent is refused",
     "CntkConvolution f32 src=3x1 weights=1x3 kernel=3"},
    {"CNTK Convolution", "kernel has one extent per axis",
     "a kernel that lacks axes is completed by the input's extents",
     "CntkConvolution f32 src=3x2x1 weights=1x4 kernel=2"},
    {"CNTK Convolution", "nothing forbids a kernel larger than the input", "it is refused",
     "CntkConvolution f32 src=2x1x1 weights=1x3 kernel=3,1"},
    {"CNTK Convolution", "explicit padding may leave the end of the input under no window",
     "it is refused",
     "CntkConvolution f32 src=5x1 weights=1x2 kernel=2 stride=3 autoPadding=false lowerPad=1"},
    {"CNTK Convolution", "weights are [mapCount, kernelDimensionsProduct]",
     "any shape of as many elements",
     "CntkConvolution f32 src=3x1x1 weights=2x1 kernel=2,1 autoPadding=false mapCount=1"},
};

// 1, 2, 3, .. in every input: each product can be told from the others.
std::vector<double> counting(const Tensor* tensor) {
  std::vector<double> values;
  if (tensor == nullptr) return values;
  values.resize(static_cast<std::size_t>(element_count(tensor->dims).value()));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::string result_of(Problem problem, Reading reading) {
  problem.reading = reading;
  const auto resolved = reference::resolve(problem);
  if (!resolved) {
    return fmt::format("refused: {} ({})", resolved.why().detail, to_string(resolved.why().fault));
  }
  const auto src = counting(&problem.src), weights = counting(&problem.weights);
  const auto oracle = reference::evaluate(problem, *resolved, {src, weights, {}, {}});
  return fmt::format("{} = {}", to_string(Tensor{resolved->dst.dims, {}}),
                     fmt::join(oracle.value, " "));
}

int print_errata() {
  int number = 0;
  for (const Erratum& erratum : kErrata) {
    const auto problem = parse(erratum.line);
    if (!problem) throw UsageError(problem.why().detail);
    const std::string documented = result_of(*problem, Reading::kDocumented);
    const std::string implemented = result_of(*problem, Reading::kImplemented);
    fmt::print(
        "{}. {}\n   the text:    {}\n   the system:  {}\n   problem:     {}\n"
        "   documented:  {}\n   implemented: {}\n\n",
        ++number, erratum.document, erratum.text, erratum.system, print(*problem), documented,
        implemented);
  }
  fmt::print(
      "The elements of each input are 1, 2, 3, ... docs/spec.md also lists the errata that no "
      "problem can show.\n");
  return 0;
}

}  // namespace

void add_spec_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("spec", "Show where the specifications contradict themselves");
  sub->footer("Example:\n  concord spec --errata");
  auto errata = std::make_shared<bool>(false);
  sub->add_flag("--errata", *errata,
                "list each contradiction that a problem can show, with both results")
      ->required();
  sub->callback([&surroundings] { surroundings.exit_code = print_errata(); });
}

}  // namespace concord::conformance

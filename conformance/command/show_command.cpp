// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "conformance/command/command.h"
#include "reference/reference.h"

namespace concord::conformance {
namespace {

// The output size of one axis, with the formula's numbers filled in.
std::string axis_line(char name, const reference::Geometry& g, std::size_t axis) {
  return fmt::format(
      "  {0}: O = floor((I + P_begin + P_end - (D*(K-1) + 1)) / S) + 1"
      " = floor(({1} + {2} + {3} - ({4}*({5}-1) + 1)) / {6}) + 1 = {7}\n",
      name, g.I[axis], g.P_begin[axis], g.P_end[axis], g.D[axis], g.K[axis], g.S[axis], g.O[axis]);
}

std::string geometry_text(const Problem& problem) {
  const auto geometry = reference::resolve(problem);
  if (!geometry) {
    return fmt::format("  refused: {} ({})\n", geometry.why().detail,
                       to_string(geometry.why().fault));
  }
  const reference::Geometry& g = *geometry;
  std::string text;
  for (std::size_t axis = 3 - g.spatial_rank; axis < 3; ++axis) {
    text += axis_line("DHW"[axis], g, axis);
  }
  const double macs = static_cast<double>(g.N) * static_cast<double>(g.OC) *
                      static_cast<double>(g.O[0] * g.O[1] * g.O[2]) *
                      static_cast<double>(g.products());
  return text + fmt::format("  dst {}, {} products an element, {:.3g} in all\n",
                            to_string(Tensor{g.dst.dims, {}}), g.products(), macs);
}

int show(const std::string& line) {
  const auto parsed = parse(line);
  if (!parsed) throw UsageError("problem line: " + parsed.why().detail);
  Problem problem = *parsed;
  fmt::print("{}\n", print(problem));
  problem.reading = Reading::kImplemented;
  const std::string implemented = geometry_text(problem);
  problem.reading = Reading::kDocumented;
  const std::string documented = geometry_text(problem);
  if (implemented == documented) {
    fmt::print("as documented and as implemented:\n{}", implemented);
  } else {
    fmt::print("as implemented:\n{}as documented (the readings differ):\n{}", implemented,
               documented);
  }
  return 0;
}

}  // namespace

void add_show_command(CLI::App& app, Surroundings& surroundings) {
  auto* sub = app.add_subcommand("show", "Show the resolved geometry of a problem line");
  sub->footer(
      "Example:\n"
      "  concord show 'Convolution1 f32 src=1x5x5x1 weights=3x3x1x8 strides=2,2 "
      "auto_pad=same_upper'");
  auto line = std::make_shared<std::string>();
  sub->add_option("problem", *line, "the problem line")->required();
  sub->callback([line, &surroundings] { surroundings.exit_code = show(*line); });
}

}  // namespace concord::conformance

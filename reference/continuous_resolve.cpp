// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "reference/checks.h"
#include "reference/continuous.h"

namespace concord::reference {
namespace {

// "H,W" for messages.
std::string text_of(const Extents& list) {
  std::string text;
  for (const Extent value : list) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text.empty() ? "()" : text;
}

bool all_at_least(Extent least, const Extents& list) {
  return std::all_of(list.begin(), list.end(), [&](Extent value) { return value >= least; });
}

void check_lists(const Extents& src, const ContinuousAttributes& a, Findings& findings) {
  if (!all_at_least(0, src)) {
    findings.add(Fault::kSize, "src=" + text_of(src) + ": an extent is negative");
  }
  if (a.channels < 0) {
    findings.add(Fault::kSize, "channels must not be negative, is " + std::to_string(a.channels));
  }
  if (!a.size.empty() && (a.size.size() != 2 || !all_at_least(0, a.size))) {
    findings.add(Fault::kSize, "size must be empty or two extents, is " + text_of(a.size));
  }
  if (a.kernel.size() != 2) {
    findings.add(Fault::kKernel, "kernel must be two extents, is " + text_of(a.kernel));
  }
  if (a.widths.size() != 2 || !all_at_least(1, a.widths)) {
    findings.add(Fault::kWidths, "widths must be two positive numbers, is " + text_of(a.widths));
  }
}

ContinuousAxis axis_of(std::size_t axis, Extent in, const Rational& scale,
                       const ContinuousAttributes& a, Findings& findings) {
  const auto resolved = resolve_continuous_axis({.in = in,
                                                 .out = a.size.empty() ? -1 : a.size[axis],
                                                 .scale = scale,
                                                 .K = a.kernel[axis],
                                                 .ties = a.ties,
                                                 .boundary = a.boundary});
  if (resolved) return *resolved;
  findings.add(resolved.why().fault,
               std::string("axis ") + "HW"[axis] + ": " + resolved.why().detail);
  return {};
}

void check_counts(const Extents& src, const ContinuousGeometry& g, Findings& findings) {
  const bool countable =
      element_count(src) && element_count(g.dst()) &&
      element_count({g.Cout, g.Cin, g.slots(), g.vertical.out, g.horizontal.out}) &&
      element_count({g.inputs(), 2, g.vertical.out, g.horizontal.out});
  if (!countable) findings.add(Fault::kSize, "a tensor has more elements than 64 bits count");
}

// The net of the layer's kernel; nothing if it has too many outputs to count.
std::optional<InternalNet> net_of(Extent Cin, const ContinuousAttributes& a) {
  Extents outputs{a.channels, Cin};
  if (predicts_all(a.function)) {
    for (const Extent K : a.kernel) outputs.push_back(a.ties == Ties::kClosed ? K + 1 : K);
  }
  const auto C_final = element_count(outputs);
  if (!C_final) return std::nullopt;
  return InternalNet{
      .w1 = a.widths[0], .w2 = a.widths[1], .C_final = *C_final, .slope = a.slope.to_double()};
}

}  // namespace

std::optional<Extent> parameters_of(Extent Cin, const ContinuousAttributes& a) {
  if (a.function == KernelFunction::kKeys) return 0;
  const auto net = net_of(Cin, a);
  return net ? parameter_count(*net) : std::nullopt;
}

Result<ContinuousGeometry> resolve_continuous(const Extents& src, Extent parameters,
                                              const ContinuousAttributes& a) {
  if (src.size() != 4) {
    return Refusal{Fault::kRank, "src must have 4 dimensions, has " + std::to_string(src.size())};
  }
  Findings findings;
  check_lists(src, a, findings);
  if (findings.any()) return findings.first();

  ContinuousGeometry g{.N = src[0], .Cin = src[1], .Cout = a.channels, .function = a.function};
  g.vertical = axis_of(0, src[2], a.scale_h, a, findings);
  g.horizontal = axis_of(1, src[3], a.scale_w, a, findings);
  if (findings.any()) return findings.first();

  check_counts(src, g, findings);
  g.net = net_of(g.Cin, a).value_or(InternalNet{});
  const std::optional<Extent> needed = parameters_of(g.Cin, a);
  if (!needed) {
    findings.add(Fault::kSize, "theta has more parameters than 64 bits count");
  } else if (*needed != parameters) {
    findings.add(Fault::kTheta, "theta must have " + std::to_string(*needed) + " parameters, has " +
                                    std::to_string(parameters));
  }
  if (findings.any()) return findings.first();
  g.parameters = parameters;
  return g;
}

}  // namespace concord::reference

// SPDX-License-Identifier: Apache-2.0
#include "conformance/run/work.h"

#include <fmt/format.h>

#include <algorithm>

namespace concord::conformance {
namespace {

// What an element of an input or an output takes to be drawn, stored, compared and judged.
constexpr double kWorkOfElement = 32;
// Terms of a sum in whose time the continuous layer finds a neighbour and its distance, in
// fractions.
constexpr double kTermsOfDistance = 50;

// In floating point: products of extents that no machine has must not overflow.
double product(std::initializer_list<Extent> factors) {
  double result = 1;
  for (const Extent factor : factors) result *= static_cast<double>(factor);
  return result;
}

double elements_of(const Extents& dims) {
  double count = 1;
  for (const Extent extent : dims) count *= static_cast<double>(extent);
  return count;
}

struct Terms {
  const reference::Resolution& resolution;

  double operator()(const reference::Geometry& g) const {
    return elements_of(resolution.dst.dims) * static_cast<double>(g.products());
  }
  double operator()(const reference::Rearrangement&) const {
    return kLiteralWork * elements_of(resolution.dst.dims);
  }
  // The kernel once for each output and place of a neighbour, which each of its layers takes part
  // in, and each pair of channels there; the gradients as much again, twice.
  double operator()(const reference::ContinuousGeometry& g) const {
    const double places = product({g.vertical.out, g.horizontal.out, g.slots()});
    const double channels = product({g.Cin, g.Cout});
    const bool has_net = g.function != KernelFunction::kKeys;
    const double net = has_net ? product({g.net.w1, g.net.w2}) + product({g.net.w2}) * channels : 0;
    return 3 * kLiteralWork * places *
           (static_cast<double>(g.N) * channels + kTermsOfDistance + net);
  }
  double operator()(const reference::ContinuousChainGeometry& chain) const {
    double all = 0;
    for (const reference::ContinuousGeometry& layer : chain.layers) all += (*this)(layer);
    return all;
  }
  // As printed every element of the phases is computed, also their padding.
  double operator()(const reference::ChainGeometry& g) const {
    const auto whole = [&](Extent extent) { return (extent + g.rate - 1) / g.rate * g.rate; };
    const Extent rows = g.as_printed ? whole(g.height) : g.height;
    const Extent columns = g.as_printed ? whole(g.width) : g.width;
    return kLiteralWork * product({g.batch, rows, columns, g.channels, g.layers}) *
           static_cast<double>(std::max<Extent>(g.products(), 1));
  }
  double operator()(const reference::CntkGeometry&) const { return cntk(); }
  double operator()(const reference::Cntk2dGeometry&) const { return cntk(); }
  double operator()(const reference::CntkGradient& g) const {
    return kLiteralWork * elements_of(g.forward.dst) * static_cast<double>(g.forward.kernel_size);
  }

 private:
  double cntk() const {
    return kLiteralWork * elements_of(resolution.dst.dims) *
           static_cast<double>(resolution.products);
  }
};

}  // namespace

double predicted_work(const Problem& problem, const reference::Resolution& resolution) {
  double elements = elements_of(resolution.dst.dims);
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) elements += elements_of(tensor->dims);
  }
  return std::visit(Terms{resolution}, resolution.form) + kWorkOfElement * elements;
}

double predicted_cost(const Problem& problem) {
  const auto resolution = reference::resolve(problem);
  return kWorkOfCase + (resolution ? predicted_work(problem, *resolution) : 0);
}

std::optional<std::string> exceeds_work(const Problem& problem,
                                        const reference::Resolution& resolution, double most) {
  const double work = predicted_work(problem, resolution);
  if (work <= most) return std::nullopt;
  return fmt::format(
      "judging the case needs some {:.2g} multiply-adds of the reference; the limit is {:.2g} "
      "(--max-work)",
      work, most);
}

}  // namespace concord::conformance

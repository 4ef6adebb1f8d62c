// SPDX-License-Identifier: Apache-2.0
// Where a continuous operation's element lies, which pixels are its neighbours, at which distances,
// and with which weights: the layer and its gradients are linear in the pixels, so that one pixel
// of 1 among zeros shows its weight.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/record/failure_text.h"
#include "conformance/shrink/element.h"
#include "spec/grid.h"

namespace concord::conformance {
namespace {

using reference::ContinuousAxis;
using reference::ContinuousGeometry;

// The row and column of element `place` of a tensor [.., .., rows, columns].
std::array<Extent, 2> pixel_of(const Extents& dims, std::size_t place) {
  const auto rest = static_cast<Extent>(place);
  return {rest / dims[3] % dims[2], rest % dims[3]};
}

// The distances at which output n has pixel m for its neighbour.
std::vector<std::string> distances(const ContinuousAxis& axis, Extent n, Extent m) {
  std::vector<std::string> found;
  for (const auto& neighbour : reference::neighbours(axis, n)) {
    if (neighbour.source == m) found.push_back(to_string(neighbour.distance));
  }
  return found;
}

std::string distances_text(const ContinuousGeometry& g, const std::array<Extent, 2>& output,
                           const std::array<Extent, 2>& pixel) {
  const auto tall = distances(g.vertical, output[0], pixel[0]);
  const auto broad = distances(g.horizontal, output[1], pixel[1]);
  if (tall.empty() || broad.empty()) return "no neighbour";
  return fmt::format("at distance ({}; {})", fmt::join(tall, " and "), fmt::join(broad, " and "));
}

// "A2[1,3]": parameter `place` of theta.
std::string parameter_name(const reference::InternalNet& net, std::size_t place) {
  auto rest = static_cast<Extent>(place);
  struct Part {
    const char* name;
    Extent rows, columns;
  };
  for (const Part& part :
       {Part{"A1", net.w1, 2}, Part{"b1", net.w1, 0}, Part{"A2", net.w2, net.w1},
        Part{"b2", net.w2, 0}, Part{"A3", net.C_final, net.w2}, Part{"b3", net.C_final, 0}}) {
    const Extent count = part.rows * std::max<Extent>(part.columns, 1);
    if (rest < count && part.columns == 0) return fmt::format("{}[{}]", part.name, rest);
    if (rest < count) {
      return fmt::format("{}[{},{}]", part.name, rest / part.columns, rest % part.columns);
    }
    rest -= count;
  }
  return "theta";
}

class ContinuousExplanation {
 public:
  ContinuousExplanation(Element& element, const Inputs& inputs)
      : element_(element),
        inputs_(inputs),
        operation_(element.problem().operation()),
        g_(std::get<ContinuousGeometry>(element.geometry().form)) {}

  std::vector<std::string> run() {
    lines_.push_back(where());
    const Input linear =
        operation_ == Operation::kContinuousConvolution ? Input::kSrc : Input::kDiffDst;
    bool differs = false;
    for (std::size_t i = 0; i < inputs_.of(linear).size(); ++i) {
      Inputs probe = inputs_;
      std::fill(probe.of(linear).begin(), probe.of(linear).end(), 0.0);
      probe.of(linear)[i] = 1;
      const Element::Answers answers = element_.ask(probe);
      if (answers.wanted == 0 && answers.got == 0) continue;
      differs |= !answers.agree;
      lines_.push_back(line(linear, i, answers));
    }
    if (!differs) lines_.push_back("every pixel by itself has the expected weight");
    return std::move(lines_);
  }

 private:
  std::array<Extent, 2> element_pixel() const {
    return pixel_of(element_.geometry().dst.dims, element_.place());
  }

  // The element's index in a result of so many axes.
  template <std::size_t kRank>
  std::array<Extent, kRank> index() const {
    const Extents& dims = element_.geometry().dst.dims;
    std::array<Extent, kRank> index{};
    auto rest = static_cast<Extent>(element_.place());
    for (std::size_t axis = kRank; axis-- > 0; rest /= dims[axis]) index[axis] = rest % dims[axis];
    return index;
  }

  std::string where() const {
    if (operation_ == Operation::kContinuousBackwardWeights) {
      return "it is the gradient by " + parameter_name(g_.net, element_.place());
    }
    if (operation_ == Operation::kContinuousBackwardGrid) {
      const auto [axis, row, column] = index<3>();
      return fmt::format("it is the gradient by the {} coordinate of output ({}, {})",
                         axis == 0 ? "vertical" : "horizontal", row, column);
    }
    if (operation_ == Operation::kContinuousBackwardKernel) {
      const auto [one, co, ci, k, row, column] = index<6>();
      return fmt::format(
          "it is the gradient by the weight of output ({}, {}) from channel {} to {} "
          "at place {}, row {} and column {} of its neighbours",
          row, column, ci, co, k, k / g_.horizontal.slots(), k % g_.horizontal.slots());
    }
    const auto [row, column] = element_pixel();
    if (operation_ == Operation::kContinuousBackwardData) {
      return fmt::format("it is the gradient by pixel ({}, {})", row, column);
    }
    return fmt::format("the output is at ({}; {}) of the image",
                       to_string(reference::grid_point(g_.vertical, row)),
                       to_string(reference::grid_point(g_.horizontal, column)));
  }

  std::string line(Input input, std::size_t place, const Element::Answers& answers) const {
    const Problem& problem = element_.problem();
    std::string text = fmt::format("{} = {}", name_of(problem, input, place),
                                   value_text(inputs_.of(input)[place]));
    const auto pixel = pixel_of(input_of(problem, input)->dims, place);
    if (operation_ == Operation::kContinuousConvolution) {
      text += ", " + distances_text(g_, element_pixel(), pixel);
    } else if (operation_ == Operation::kContinuousBackwardData) {
      text += ", " + distances_text(g_, pixel, element_pixel());
    }
    text += ", x " + value_text(answers.wanted);
    return answers.agree ? text : text + "; the backend: x " + value_text(answers.got);
  }

  Element& element_;
  const Inputs& inputs_;
  Operation operation_;
  const ContinuousGeometry& g_;
  std::vector<std::string> lines_{};
};

}  // namespace

std::vector<std::string> explain_continuous(Element& element, const Inputs& inputs) {
  return ContinuousExplanation(element, inputs).run();
}

}  // namespace concord::conformance

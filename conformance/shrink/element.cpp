// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/element.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "conformance/judge/acceptance.h"
#include "conformance/run/tensor_images.h"
#include "conformance/worker/dst_check.h"

namespace concord::conformance {

Element::Element(const Problem& problem, Problem asked, const reference::Resolution& geometry,
                 const concord_arithmetic& arithmetic, std::size_t place,
                 const TrialOptions& options)
    : problem_(problem),
      asked_(std::move(asked)),
      geometry_(geometry),
      arithmetic_(arithmetic),
      place_(place),
      options_(options),
      host_(options.backend, options.host) {}

double Element::expected(const Inputs& inputs) const {
  return reference::evaluate(problem_, geometry_,
                             {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst})
      .value[place_];
}

void Element::ask_as(Sequence sequence, bool hides_weights, const Inputs* first) {
  sequence_ = sequence;
  hides_weights_ = hides_weights;
  first_ = first;
}

double Element::computed(const Inputs& inputs) {
  const bool stopped = options_.stop != nullptr && *options_.stop;
  lost_ |= stopped || std::chrono::steady_clock::now() - begin_ > options_.time_limit;
  if (lost_) return std::nan("");
  const InputImages asked = images_of(problem_, inputs);
  const InputImages before = first_ == nullptr ? InputImages{} : images_of(problem_, *first_);
  const auto trial = [&](const InputImages& images) {
    return Trial{.problem = asked_,
                 .src = images.src,
                 .weights = images.weights,
                 .bias = images.bias,
                 .diff_dst = images.diff_dst,
                 .threads = options_.examine.threads,
                 .constant_weights = !hides_weights_,
                 .executions = 2};
  };
  Trial first = trial(first_ == nullptr ? asked : before);
  const Trial later = trial(asked);
  if (first_ != nullptr) {
    first.sequence = sequence_;
    first.later = &later;
  }
  const auto tried = host_.execute(first);
  const auto* reply = tried ? &*tried : nullptr;
  lost_ = reply == nullptr || reply->prepare_status != CONCORD_OK ||
          reply->execute_status != CONCORD_OK;
  if (lost_) return std::nan("");
  const auto& dst = first_ == nullptr ? reply->dst : reply->later_dst;
  lost_ = dst.size() != bytes_of(problem_.dtype, geometry_.dst);
  if (lost_) return std::nan("");
  return values_of(problem_, geometry_.dst, dst)[place_];
}

Element::Answers Element::ask(const Inputs& inputs) {
  const auto oracle = reference::evaluate(
      problem_, geometry_, {inputs.src, inputs.weights, inputs.bias, inputs.diff_dst});
  Answers answers{oracle.value[place_], computed(inputs), true};
  const auto* discrete = std::get_if<reference::Geometry>(&geometry_.form);
  const Extent plane = discrete != nullptr ? reference::volume(discrete->O) : 1;
  const double bias = ChannelBias{inputs.bias, static_cast<std::size_t>(plane)}.of(place_);
  const ErrorBound bound = error_bound(problem_.dtype, arithmetic_, geometry_.products);
  answers.agree = Acceptance(problem_.dtype, arithmetic_, bound)
                      .accepts(answers.got, answers.wanted, oracle.magnitude[place_], bias);
  return answers;
}

std::string name_of(const Problem& problem, Input input, std::size_t place) {
  return fmt::format("{}[{}]", to_string(input), fmt::join(own_index(problem, input, place), ","));
}

}  // namespace concord::conformance

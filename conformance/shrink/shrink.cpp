// SPDX-License-Identifier: Apache-2.0
#include "conformance/shrink/shrink.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/arithmetic/same_value.h"
#include "conformance/run/given_data.h"
#include "conformance/shrink/explain.h"
#include "conformance/shrink/moves.h"

namespace concord::conformance {
namespace {

class Search {
 public:
  Search(const Case& source, const CaseResult& result, const TrialOptions& options)
      : current_(source), original_(result), result_(result), trials_(options) {}

  Shrunk run() {
    Shrunk shrunk;
    shrunk.fails_again = trials_.settle(current_, result_);
    shrunk.trials = trials_.count();
    shrunk.setup = trials_.setup();
    shrunk.tried = trials_.tried();
    shrunk.limit = trials_.limit();
    if (!shrunk.fails_again) return shrunk;
    const Case source = current_;
    search();
    if (found_smaller_ && shrunk.setup.attempts == 1 && !fails_anew()) {
      // What was tried before it made it fail: from the beginning, each in a process of its own.
      trials_.always_anew();
      restart(source);
      search();
    }
    shrunk.smallest = current_;
    shrunk.has_given_data = has_given_data_;
    shrunk.result = result_;
    TrialOptions rest = trials_.options();
    rest.time_limit = trials_.time_left();
    shrunk.taps = explain(current_, result_, rest);
    shrunk.trials = trials_.count();
    shrunk.limit = trials_.limit();
    return shrunk;
  }

 private:
  void search() {
    const auto geometry = reference::resolve(current_.problem);
    is_valid_ = static_cast<bool>(geometry);
    if (is_valid_) source_elements_ = element_count(geometry->dst.dims).value_or(0);
    try_fill(Fill::kIntegers);
    if (current_.recorded != nullptr) try_fill(Fill::kUniform);
    simplify_problem();
    if (try_fill(Fill::kIntegers)) simplify_problem();
    if (is_valid_) simplify_data();
  }

  bool fails_anew() {
    const auto result = trials_.fails_anew(current_);
    if (result) result_ = *result;
    return result.has_value();
  }

  void restart(const Case& source) {
    current_ = source;
    has_given_data_ = false;
    if (!fails_anew()) result_ = original_;
  }

  bool accept(Case candidate) {
    auto result = trials_.fails(candidate);
    if (!result) return false;
    current_ = std::move(candidate);
    result_ = *std::move(result);
    found_smaller_ = true;
    return true;
  }

  // Integers say more of a failure than reals; and data that follow from a seed can be made for any
  // problem, while data that came from elsewhere cannot.
  bool try_fill(Fill fill) {
    if (current_.fill == fill) return false;
    const auto geometry = reference::resolve(current_.problem);
    if (fill == Fill::kIntegers && geometry && !geometry->has_exact_data) return false;
    Case candidate = current_;
    candidate.fill = fill;
    candidate.recorded.reset();
    return accept(std::move(candidate));
  }

  // A plainer attribute is not worth a far larger output: a stride of 1 in place of 2^23, beside
  // pads of 2^24. Nobody looks at it, and each trial of it takes seconds.
  bool is_worth_trying(const reference::Resolution& candidate) const {
    constexpr Extent kFew = 4096, kMostGrowth = 4;
    const auto elements = element_count(candidate.dst.dims);
    return elements && (*elements <= kFew || *elements / kMostGrowth <= source_elements_);
  }

  bool accept_problem(Problem problem) {
    const auto geometry = reference::resolve(problem);
    if (static_cast<bool>(geometry) != is_valid_) return false;
    if (geometry && !is_worth_trying(*geometry)) return false;
    Case candidate = current_;
    candidate.problem = std::move(problem);
    return accept(std::move(candidate));
  }

  bool apply(const Move& move) {
    for (Problem& simpler : move(current_.problem)) {
      if (accept_problem(std::move(simpler))) return true;
    }
    return false;
  }

  void simplify_problem() {
    if (current_.recorded != nullptr) return;
    bool changed = true;
    while (changed && !trials_.exhausted()) {
      changed = false;
      for (const Move& move : moves_for(current_.problem)) {
        while (apply(move)) changed = true;
      }
    }
  }

  bool accept_inputs(const Inputs& inputs) {
    Case candidate = with_data(current_.problem, inputs);
    candidate.id = current_.id;
    if (!accept(std::move(candidate))) return false;
    inputs_ = inputs;
    has_given_data_ = true;
    return true;
  }

  // Sets elements to zero: all of a tensor, halves of it, ever smaller parts.
  void clear(std::vector<double> Inputs::*tensor) {
    const std::size_t size = (inputs_.*tensor).size();
    for (std::size_t part = size; part > 0; part = part / 2) {
      for (std::size_t begin = 0; begin < size && !trials_.exhausted(); begin += part) {
        Inputs candidate = inputs_;
        for (std::size_t i = begin; i < std::min(begin + part, size); ++i) {
          (candidate.*tensor)[i] = 0;
        }
        if (!are_same_values(candidate.*tensor, inputs_.*tensor)) accept_inputs(candidate);
      }
    }
  }

  // Sets what is not zero to plainer values, all of a tensor at once or else one by one.
  void plain(std::vector<double> Inputs::*tensor) {
    const auto replace = [&](auto plainer, std::size_t begin, std::size_t end) {
      Inputs candidate = inputs_;
      for (std::size_t i = begin; i < end; ++i) {
        double& value = (candidate.*tensor)[i];
        if (value != 0) value = plainer(value);
      }
      return are_same_values(candidate.*tensor, inputs_.*tensor) || accept_inputs(candidate);
    };
    const auto one = [](double) { return 1.0; };
    const auto rounded = [](double value) {
      return std::copysign(std::ceil(std::fabs(value)), value);
    };
    const std::size_t size = (inputs_.*tensor).size();
    if (replace(one, 0, size)) return;
    for (std::size_t i = 0; i < size && !trials_.exhausted(); ++i) {
      if (!replace(one, i, i + 1)) replace(rounded, i, i + 1);
    }
  }

  void simplify_data() {
    const auto arithmetic = parse_arithmetic(result_.arithmetic);
    if (!arithmetic || result_.tier == Tier::kStatistical) return;
    if (!accept_inputs(PreparedCase(current_).data(*arithmetic).inputs)) return;
    std::vector<std::vector<double> Inputs::*> tensors = {&Inputs::bias, &Inputs::src,
                                                          &Inputs::diff_dst};
    // A gradient through the net has a bound only where no sum of it is near the kink of its
    // LeakyReLU, and a chain where no stored result is too small: theta of the fills sees to both.
    const Operation operation = current_.problem.operation();
    const bool is_delicate = operation == Operation::kContinuousBackwardWeights ||
                             operation == Operation::kContinuousBackwardGrid ||
                             operation == Operation::kContinuousChain;
    if (!is_delicate) tensors.push_back(&Inputs::weights);
    for (const auto tensor : tensors) clear(tensor);
    for (const auto tensor : tensors) clear(tensor);  // what the others have made needless
    for (const auto tensor : tensors) plain(tensor);
  }

  Case current_;
  const CaseResult original_;
  CaseResult result_;
  Trials trials_;
  bool is_valid_ = true, found_smaller_ = false;
  Extent source_elements_ = 0;  ///< of dst
  Inputs inputs_{};
  bool has_given_data_ = false;
};

}  // namespace

Shrunk shrink(const Case& source, const CaseResult& result, const TrialOptions& options) {
  return Search(source, result, options).run();
}

}  // namespace concord::conformance

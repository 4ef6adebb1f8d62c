// SPDX-License-Identifier: Apache-2.0
// Our own engine, as a plugin like everyone's. Configuration: nothing, or, with commas between
// them, isa=NAME to have the kernels of one instruction set, target=NAME to have the plans for one
// family of processors, winograd=2 or winograd=4 to have F(2x2, 3x3) or F(4x4, 3x3) where it
// applies, and tune=MILLISECONDS to measure plans when a problem is prepared, with wisdom=PATH to
// keep what they chose and sums=any to let them add in any order.
#include <charconv>
#include <sstream>
#include <utility>

#include "backends/adapter/adapter.h"
#include "optimized/engine.h"
#include "optimized/tuning/wisdom.h"

namespace concord::backends {
namespace {

using optimized::EnginePlan;
using optimized::Options;

// kLimit and kSyntax, which is about an option, are about us; all else is about the problem.
Refused to_refused(const Refusal& refusal) {
  if (refusal.fault == Fault::kLimit) return declines(refusal.detail);
  const concord_status status = refusal.fault == Fault::kSyntax ? CONCORD_FAULT : CONCORD_INVALID;
  return {status, refusal.detail};
}

// What a host gives at most: docs/plugin.md.
constexpr std::size_t kMostWorkspace = std::size_t{1} << 30;

// Whether weights and bias are known before the first call.
bool is_constant(const PrepareOptions& options, bool has_bias) {
  return options.weights != nullptr && (!has_bias || options.bias != nullptr);
}

class OptimizedPrepared : public Prepared {
 public:
  OptimizedPrepared(EnginePlan plan, const PrepareOptions& options, bool has_bias)
      : plan_(std::move(plan)) {
    const bool packs = is_constant(options, has_bias) && plan_.packs;
    if (packs) packed_ = optimized::pack(plan_, options.weights, options.bias);
    workspace_bytes = packs ? plan_.workspace_bytes : plan_.one_shot_workspace_bytes;
  }

  std::optional<Refused> execute(const Buffers& buffers) override {
    optimized::execute(plan_, packed_,
                       {.src = buffers.src.data,
                        .weights = buffers.weights.data,
                        .bias = buffers.bias.data,
                        .diff_dst = buffers.diff_dst.data},
                       buffers.dst.data, buffers.workspace);
    return std::nullopt;
  }

 private:
  EnginePlan plan_;
  optimized::PackedWeights packed_{};
};

class OptimizedBackend : public Backend {
 public:
  explicit OptimizedBackend(const Options& options) : options_(options) {}

  Or<Answer> query(const Problem& problem) override {
    const auto plan = optimized::plan_problem(problem, untuned(options_));
    if (!plan) return to_refused(plan.why());
    if (plan->one_shot_workspace_bytes > kMostWorkspace) {
      return declines("a workspace of " + std::to_string(plan->one_shot_workspace_bytes) +
                      " bytes, more than a host gives");
    }
    Answer answer;
    answer.dst_dims = plan->dst_dims;
    answer.arithmetic.flushes_subnormals = plan->flushes_subnormals ? 1 : 0;
    if (plan->is_bilinear) answer.arithmetic.algorithm = CONCORD_BILINEAR;
    // Which of several orders is the fastest may depend on threads.
    answer.same_bits_any_threads = !options_.tuning || !options_.tuning->any_sums;
    answer.implementation = optimized::implementation(*plan);
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& options) override {
    Options chosen = on(options.threads);
    if (chosen.tuning) {
      chosen.tuning->packed = is_constant(options, problem.bias.has_value());
    }
    auto plan = optimized::plan_problem(problem, chosen);
    // That of the planners is no larger: query() has seen it.
    if (plan && plan->one_shot_workspace_bytes > kMostWorkspace) {
      plan = optimized::plan_problem(problem, untuned(chosen));
    }
    if (!plan) return to_refused(plan.why());
    return std::unique_ptr<Prepared>(
        std::make_unique<OptimizedPrepared>(*std::move(plan), options, problem.bias.has_value()));
  }

  Or<std::string> describe_plan(const Problem& problem, int threads) override {
    const auto plan = optimized::plan_problem(problem, on(threads));
    if (!plan) return to_refused(plan.why());
    return optimized::describe(*plan);
  }

 private:
  Options on(int threads) const {
    Options options = options_;
    options.threads = threads;
    return options;
  }

  Options options_;
};

// What the words of the configuration say.
struct Configuration {
  Options options{};
  optimized::Tuning tuning{};
  std::string wisdom{};  // a path
  bool tunes = false;
};

bool read_milliseconds(const std::string& value, double* milliseconds) {
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, *milliseconds);
  return error == std::errc() && at == end && *milliseconds > 0 && *milliseconds < 1e9;
}

// Adds one word of the configuration; false for a word that is none.
bool read_word(const std::string& word, Configuration* to) {
  const auto equals = word.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  Options& options = to->options;
  if (key == "isa") {
    options.isa = optimized::parse_isa(value);
    return options.isa.has_value();
  }
  if (key == "target") {
    options.target = optimized::find_target(value);
    return options.target != nullptr;
  }
  if (key == "tune") {
    to->tunes = true;
    return read_milliseconds(value, &to->tuning.milliseconds);
  }
  if (key == "sums") {
    to->tuning.any_sums = true;
    return value == "any";
  }
  if (key == "wisdom") {
    to->wisdom = value;
    return !value.empty();
  }
  if (key != "winograd" || (value != "2" && value != "4")) return false;
  options.winograd = value == "2" ? 2 : 4;
  return true;
}

Or<std::unique_ptr<Backend>> open_optimized(const std::string& config) {
  Configuration read;
  std::istringstream words(config);
  for (std::string word; std::getline(words, word, ',');) {
    if (read_word(word, &read)) continue;
    return invalid("'" + word + "' is none of winograd=2, winograd=4, isa=NAME with one of " +
                   optimized::isa_names() + ", target=NAME with one of " +
                   optimized::target_names() + ", tune=MILLISECONDS, wisdom=PATH, sums=any");
  }
  if (!read.tunes && (read.tuning.any_sums || !read.wisdom.empty())) {
    return invalid("wisdom= and sums= mean nothing without tune=MILLISECONDS");
  }
  if (!read.wisdom.empty()) {
    auto wisdom = optimized::Wisdom::open(read.wisdom);
    if (!wisdom) return invalid(wisdom.why().detail);
    read.tuning.wisdom = *wisdom;
  }
  Options& options = read.options;
  if (read.tunes) options.tuning = read.tuning;
  const auto chosen = optimized::choose_isa(options.isa);
  if (!chosen) return invalid(chosen.why().detail);
  return std::unique_ptr<Backend>(std::make_unique<OptimizedBackend>(options));
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("optimized", CONCORD_VERSION, concord::backends::open_optimized)

// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/host.h"

#include "conformance/worker/host_process.h"
#include "conformance/worker/huge_trial.h"
#include "conformance/worker/visible.h"
#include "spec/check.h"

namespace concord::conformance {

std::string_view to_string(Stage stage) {
  constexpr std::string_view kNames[] = {
      "start",    "load",    "open",    "query",   "query of an unknown enumerator",
      "describe", "prepare", "execute", "release", "repeat",
      "close"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string describe(const WorkerFailure& failure) {
  constexpr std::size_t kLongest = 200;
  constexpr std::string_view kBlank = " \t\r\n";
  std::string text =
      std::string("in ") + std::string(to_string(failure.stage)) + ": " + failure.detail;
  const std::size_t last = failure.output.find_last_not_of(kBlank);
  if (last == std::string::npos) return visible(text);
  const std::size_t before = failure.output.find_last_of("\r\n", last);
  std::string line =
      failure.output.substr(before == std::string::npos ? 0 : before + 1,
                            last - (before == std::string::npos ? 0 : before + 1) + 1);
  if (line.size() > kLongest) line = line.substr(0, kLongest) + "...";
  return visible(text + ": printed '" + line + "'");
}

std::string describe(const HostFailure& failure) {
  if (const auto* not_loaded = std::get_if<LoadFailure>(&failure)) return not_loaded->detail;
  return describe(std::get<WorkerFailure>(failure));
}

Host::Host(BackendSpec spec, HostOptions options)
    : spec_(std::move(spec)), options_(std::move(options)) {}

Host::~Host() { stop(); }

Result<BackendIdentity, HostFailure> Host::start() {
  if (process_ == nullptr) {
    auto started = Process::start(spec_, options_);
    if (!started) return std::move(started).why();
    process_ = *std::move(started);
  }
  return process_->identity();
}

template <class Reply>
Result<Reply, HostFailure> Host::ask(
    const std::function<Result<Reply, WorkerFailure>(Process&)>& request) {
  if (auto started = start(); !started) return std::move(started).why();
  auto reply = request(*process_);
  if (reply) return *std::move(reply);
  process_.reset();
  return HostFailure(std::move(reply).why());
}

Result<QueryReply, HostFailure> Host::query(const Problem& problem) {
  return ask<QueryReply>([&](Process& process) { return process.query(problem); });
}

Result<TwoReplies, HostFailure> Host::query_twice(const Problem& problem) {
  return ask<TwoReplies>([&](Process& process) { return process.query_twice(problem); });
}

Result<UnknownReply, HostFailure> Host::query_unknown(const Problem& problem,
                                                      const UnknownNumber& unknown) {
  CONCORD_CHECK(!is_command()) << unknown.name;
  return ask<UnknownReply>(
      [&](Process& process) { return process.query_unknown(problem, unknown); });
}

Result<PlanReply, HostFailure> Host::describe_plan(const Problem& problem, int threads) {
  return ask<PlanReply>([&](Process& process) { return process.describe_plan(problem, threads); });
}

Result<TrialReply, HostFailure> Host::execute(const Trial& trial) {
  const Problem& problem = trial.problem;
  CONCORD_CHECK(problem.dst.has_value()) << print(problem);
  CONCORD_CHECK((trial.sequence == Sequence::kNothing) == (trial.later == nullptr) &&
                (trial.sequence != Sequence::kOtherInputs || !trial.constant_weights))
      << print(problem);
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    const std::size_t bytes = tensor == nullptr ? 0 : bytes_of(problem.dtype, *tensor);
    CONCORD_CHECK(trial.of(input).size() == bytes &&
                  (trial.later == nullptr || trial.later->of(input).size() == bytes))
        << print(problem) << " with " << trial.of(input).size() << " bytes of " << to_string(input);
  }
  return ask<TrialReply>([&](Process& process) { return process.execute(trial); });
}

std::set<std::string> Host::mapped_files() const {
  return process_ == nullptr ? std::set<std::string>() : process_->mapped_files();
}

Result<TrialReply, HostFailure> Host::execute(const HugeTrial& trial) {
  CONCORD_CHECK(trial.problem.dst.has_value() && !spec_.is_command()) << print(trial.problem);
  if (!options_.for_huge_tensors) {
    if (auto failure = stop()) return HostFailure(std::move(*failure));
    options_.for_huge_tensors = true;
  }
  return ask<TrialReply>([&](Process& process) { return process.execute(trial); });
}

std::optional<WorkerFailure> Host::stop() {
  if (process_ == nullptr) return std::nullopt;
  auto failure = process_->stop();
  process_.reset();
  return failure;
}

}  // namespace concord::conformance

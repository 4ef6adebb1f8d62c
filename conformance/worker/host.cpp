// SPDX-License-Identifier: Apache-2.0
#include "conformance/host.h"

#include <cstring>

#include "conformance/worker/conversation.h"
#include "conformance/worker/dst_check.h"
#include "spec/check.h"

namespace concord::conformance {
namespace {

// The place of the arena's descriptor in the worker, see Conversation::begin().
constexpr int kArenaInWorker = 4;

std::size_t bytes_of(Dtype dtype, const Tensor& tensor) {
  const auto span = element_span(tensor);
  CONCORD_CHECK(span.has_value()) << to_string(tensor) << " has no span";
  return static_cast<std::size_t>(*span) * size_of(dtype);
}

// What is wrong with the workspace that prepare asks for; empty if it can have it.
std::string fault_of_workspace(std::size_t bytes, std::size_t alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) +
           ", which is not a power of two";
  }
  if (alignment > kLargestAlignment) {
    return "prepare asks for a workspace_alignment of " + std::to_string(alignment) + "; at most " +
           std::to_string(kLargestAlignment) + " is given";
  }
  if (bytes > kLargestWorkspace) {
    return "prepare asks for a workspace of " + std::to_string(bytes) + " bytes; at most " +
           std::to_string(kLargestWorkspace) + " are given";
  }
  return "";
}

}  // namespace

std::string_view to_string(Stage stage) {
  constexpr std::string_view kNames[] = {"load",    "open",    "query", "prepare",
                                         "execute", "release", "close"};
  return kNames[static_cast<std::size_t>(stage)];
}

/// A running worker whose plugin is open.
class Host::Process {
 public:
  Process(std::unique_ptr<Conversation> conversation, BackendIdentity identity)
      : conversation_(std::move(conversation)), identity_(std::move(identity)) {}

  static std::variant<std::unique_ptr<Process>, LoadFailure, Casualty> start(
      const BackendSpec& spec, const HostOptions& options);

  const BackendIdentity& identity() const { return identity_; }
  std::variant<QueryReply, Casualty> query(const Problem& problem);
  std::variant<TrialReply, Casualty> execute(const Trial& trial);
  std::optional<Casualty> stop();

 private:
  std::optional<Casualty> prepare(const Trial& trial, TrialReply& reply);
  std::optional<Casualty> execute_once(const ElementMask& mask, Poison garbage, TrialReply& reply);
  void put(Slot slot, std::span<const std::byte> tensor);
  void poison(Slot slot, const Place& place, Poison poison);

  std::unique_ptr<Conversation> conversation_;
  BackendIdentity identity_;
  Place dst_{}, workspace_{};
};

namespace {

// Asks and reads the answer by `read`. What becomes a Casualty here: a call that let an exception
// out, a request that the worker could not serve, and an answer whose fields `read` complains of.
template <class Read>
std::optional<Casualty> ask(Conversation& conversation, Stage stage, Json request, Read read) {
  auto answer = conversation.ask(stage, std::move(request));
  if (auto* casualty = std::get_if<Casualty>(&answer)) return std::move(*casualty);
  const Json& message = std::get<Json>(answer);
  try {
    if (message.contains("thrown")) {
      return conversation.end(stage,
                              "an exception came out: " + message.at("thrown").get<std::string>());
    }
    if (message.contains("failure") && stage != Stage::kLoad) {
      return conversation.end(stage, message.at("failure").get<std::string>());
    }
    read(message);
  } catch (const Json::exception& error) {
    return conversation.refuse_answer(stage, error.what());
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::unique_ptr<Host::Process>, LoadFailure, Casualty> Host::Process::start(
    const BackendSpec& spec, const HostOptions& options) {
  auto begun = Conversation::begin(options);
  if (auto* reason = std::get_if<std::string>(&begun)) return LoadFailure{std::move(*reason)};
  auto conversation = std::get<std::unique_ptr<Conversation>>(std::move(begun));

  BackendIdentity identity;
  std::string failure;
  const Json load = {
      {"path", spec.path}, {"arena", kArenaInWorker}, {"memory_limit", options.memory_limit}};
  auto casualty = ask(*conversation, Stage::kLoad, load, [&](const Json& answer) {
    failure = answer.value("failure", "");
    if (!failure.empty()) return;
    identity = {answer.at("name").get<std::string>(), answer.at("version").get<std::string>()};
  });
  if (casualty) return std::move(*casualty);
  if (!failure.empty()) return LoadFailure{failure};

  casualty = ask(*conversation, Stage::kOpen, {{"config", spec.config}}, [&](const Json& answer) {
    const int status = answer.at("status").get<int>();
    if (status == CONCORD_OK) return;
    failure = "'" + spec.path + "' does not open with the configuration '" + spec.config +
              "': status " + std::to_string(status) + ", " +
              answer.value("reason", std::string("without a reason"));
  });
  if (casualty) return std::move(*casualty);
  if (!failure.empty()) return LoadFailure{failure};
  return std::make_unique<Process>(std::move(conversation), std::move(identity));
}

std::variant<QueryReply, Casualty> Host::Process::query(const Problem& problem) {
  QueryReply reply{};
  auto casualty = ask(*conversation_, Stage::kQuery, {{"problem", print(problem)}},
                      [&](const Json& answer) { reply = query_reply_from(answer); });
  if (casualty) return std::move(*casualty);
  return reply;
}

void Host::Process::put(Slot slot, std::span<const std::byte> tensor) {
  conversation_->arena().put(slot, tensor);
  conversation_->note(slot, tensor_place(tensor.size()));
}

void Host::Process::poison(Slot slot, const Place& place, Poison poison) {
  conversation_->arena().poison(slot, place, poison);
  conversation_->note(slot, place);
}

std::optional<Casualty> Host::Process::prepare(const Trial& trial, TrialReply& reply) {
  const Json request = {{"problem", print(trial.problem)},
                        {"threads", trial.threads},
                        {"constant_weights", trial.constant_weights}};
  return ask(*conversation_, Stage::kPrepare, request, [&](const Json& answer) {
    reply.prepare_status = answer.at("status").get<int>();
    reply.reason = answer.value("reason", "");
    if (reply.prepare_status != CONCORD_OK) return;
    const auto bytes = answer.at("workspace_bytes").get<std::size_t>();
    const auto alignment = answer.at("workspace_alignment").get<std::size_t>();
    const std::string fault = fault_of_workspace(bytes, alignment);
    if (fault.empty()) {
      workspace_ = workspace_place(bytes, alignment == 0 ? 64 : alignment);
      return;
    }
    reply.prepare_status = CONCORD_FAULT;
    reply.reason = fault;
  });
}

std::optional<Casualty> Host::Process::execute_once(const ElementMask& mask, Poison garbage,
                                                    TrialReply& reply) {
  poison(Slot::kDst, dst_, garbage);
  poison(Slot::kWorkspace, workspace_, garbage);
  double seconds = 0;
  auto casualty = ask(*conversation_, Stage::kExecute, Json::object(), [&](const Json& answer) {
    reply.execute_status = answer.at("status").get<int>();
    reply.reason = answer.value("reason", "");
    seconds = answer.at("seconds").get<double>();
  });
  if (casualty) return casualty;
  const Arena& arena = conversation_->arena();
  const auto dst = arena.bytes_of(Slot::kDst, dst_);
  reply.bytes_written_outside += mask.gap_bytes_written(dst, garbage) +
                                 arena.bytes_written_around(Slot::kDst, dst_, garbage) +
                                 arena.bytes_written_around(Slot::kWorkspace, workspace_, garbage);
  if (garbage == Poison::kFirst) {
    reply.dst.assign(dst.begin(), dst.end());
    reply.execute_seconds = seconds;
  } else {
    reply.same_bits_again = reply.same_bits_again && mask.same_elements(reply.dst, dst);
  }
  return std::nullopt;
}

std::variant<TrialReply, Casualty> Host::Process::execute(const Trial& trial) {
  const Problem& problem = trial.problem;
  dst_ = tensor_place(bytes_of(problem.dtype, *problem.dst));
  for (const std::size_t bytes :
       {trial.src.size(), trial.weights.size(), trial.bias.size(), dst_.bytes}) {
    if (bytes <= kSlotBytes) continue;
    return conversation_->end(Stage::kPrepare, "a tensor of " + std::to_string(bytes) +
                                                   " bytes; at most " + std::to_string(kSlotBytes) +
                                                   " can be passed");
  }
  put(Slot::kSrc, trial.src);
  put(Slot::kWeights, trial.weights);
  put(Slot::kBias, trial.bias);
  conversation_->note(Slot::kDst, dst_);
  conversation_->note(Slot::kWorkspace, {});

  TrialReply reply;
  workspace_ = {};
  if (auto casualty = prepare(trial, reply)) return std::move(*casualty);
  if (reply.prepare_status != CONCORD_OK) return reply;
  const ElementMask mask(problem.dtype, *problem.dst);
  for (int i = 0; i < trial.executions && reply.execute_status == CONCORD_OK; ++i) {
    const Poison garbage = i == 0 ? Poison::kFirst : Poison::kAgain;
    if (auto casualty = execute_once(mask, garbage, reply)) return std::move(*casualty);
  }
  auto casualty = ask(*conversation_, Stage::kRelease, Json::object(), [](const Json&) {});
  if (casualty) return std::move(*casualty);
  for (const Slot slot : kSlots) conversation_->trim(slot);
  return reply;
}

std::optional<Casualty> Host::Process::stop() {
  auto casualty = ask(*conversation_, Stage::kClose, Json::object(), [](const Json&) {});
  return casualty ? casualty : conversation_->await_end();
}

Host::Host(BackendSpec spec, HostOptions options)
    : spec_(std::move(spec)), options_(std::move(options)) {}

Host::~Host() { stop(); }

std::variant<BackendIdentity, LoadFailure, Casualty> Host::start() {
  if (process_ == nullptr) {
    auto started = Process::start(spec_, options_);
    if (auto* failure = std::get_if<LoadFailure>(&started)) return std::move(*failure);
    if (auto* casualty = std::get_if<Casualty>(&started)) return std::move(*casualty);
    process_ = std::get<std::unique_ptr<Process>>(std::move(started));
  }
  return process_->identity();
}

std::variant<QueryReply, LoadFailure, Casualty> Host::query(const Problem& problem) {
  auto started = start();
  if (auto* failure = std::get_if<LoadFailure>(&started)) return std::move(*failure);
  if (auto* casualty = std::get_if<Casualty>(&started)) return std::move(*casualty);
  auto answered = process_->query(problem);
  if (auto* reply = std::get_if<QueryReply>(&answered)) return std::move(*reply);
  process_.reset();
  return std::get<Casualty>(std::move(answered));
}

std::variant<TrialReply, LoadFailure, Casualty> Host::execute(const Trial& trial) {
  const Problem& problem = trial.problem;
  CONCORD_CHECK(problem.dst.has_value() &&
                trial.src.size() == bytes_of(problem.dtype, problem.src) &&
                trial.weights.size() == bytes_of(problem.dtype, problem.weights) &&
                trial.bias.size() == bytes_of(problem.dtype, problem.bias.value_or(Tensor{{0}})))
      << print(problem) << " with " << trial.src.size() << ", " << trial.weights.size() << " and "
      << trial.bias.size() << " bytes";
  auto started = start();
  if (auto* failure = std::get_if<LoadFailure>(&started)) return std::move(*failure);
  if (auto* casualty = std::get_if<Casualty>(&started)) return std::move(*casualty);
  auto answered = process_->execute(trial);
  if (auto* reply = std::get_if<TrialReply>(&answered)) return std::move(*reply);
  process_.reset();
  return std::get<Casualty>(std::move(answered));
}

std::optional<Casualty> Host::stop() {
  if (process_ == nullptr) return std::nullopt;
  auto casualty = process_->stop();
  process_.reset();
  return casualty;
}

}  // namespace concord::conformance

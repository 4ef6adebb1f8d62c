// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/worker/arguments.h"
#include "conformance/worker/channel.h"
#include "conformance/worker/command_process.h"
#include "conformance/worker/dst_check.h"
#include "conformance/worker/float_environment.h"
#include "conformance/worker/footprint.h"
#include "conformance/worker/host.h"
#include "conformance/worker/host_watch.h"
#include "conformance/worker/lack.h"
#include "conformance/worker/limits.h"
#include "conformance/worker/messages.h"
#include "conformance/worker/plugin_file.h"
#include "conformance/worker/poison.h"
#include "conformance/worker/process_state.h"
#include "conformance/worker/tensor_view.h"
#include "plugin_codec/plugin_problem.h"

namespace concord::conformance {
namespace {

// A request that cannot be served for a reason that is not the plugin's.
Json failure(const std::string& reason) { return {{"failure", reason}}; }

// The same, for lack of what this machine has not: no plugin has been entered.
Json our_failure(const std::string& reason) { return {{"failure", reason}, {"ours", true}}; }

// The answer to a request that comes after one that has failed.
Json nothing_to_do() { return Json::object(); }

/// Serves one request after another; each is one call into the plugin.
class Worker {
 public:
  explicit Worker(Confinement confinement) : confinement_(std::move(confinement)) {}
  Json serve(const Json& request) {
    if (view_) ++view_->control().requests;
    Json answer = answer_to(request);
    arguments_.forget();
    return answer;
  }
  bool closed() const { return closed_; }

 private:
  Json answer_to(const Json& request) {
    const std::string name = request.at("request").get<std::string>();
    if (name == to_string(Stage::kStart)) return start(request);
    if (name == to_string(Stage::kLoad)) return load(request);
    if (name == to_string(Stage::kOpen)) return open(request);
    if (name == to_string(Stage::kQuery)) return query(request);
    if (name == to_string(Stage::kUnknown)) return query_unknown(request);
    if (name == to_string(Stage::kDescribe)) return describe(request);
    if (name == to_string(Stage::kPrepare)) return prepare(request);
    if (name == to_string(Stage::kExecute)) return execute(request);
    if (name == to_string(Stage::kRelease)) return release(request);
    if (name == to_string(Stage::kRepeat)) return repeat(request);
    if (name == to_string(Stage::kClose)) return close();
    return failure("unknown request '" + name + "'");
  }
  Json start(const Json& request);
  Json load(const Json& request);
  Json open(const Json& request);
  Json ask_plugin(bool again = false);
  Json query(const Json& request);
  Json query_unknown(const Json& request);
  Json describe(const Json& request);
  Json prepare(const Json& request);
  Json execute(const Json& request);
  Json release(const Json& request);
  std::optional<Json> go_some_rounds(const Json& request, std::size_t window,
                                     std::chrono::milliseconds enough,
                                     std::vector<Footprint>& footprints);
  Json go_rounds(const Json& request);
  Json repeat(const Json& request);
  /// What prepare() made, if it did.
  struct Handle {
    concord_prepared prepared{};
    bool is_prepared = false;
    bool has_failed = false;  ///< the last execution
  };
  Handle& handle_of(const Json& request);
  Json close();
  /// Reads the request's problem, if it is not the one before's.
  std::optional<std::string> read_problem(const Json& request);
  void open_tensors(const Json& request, Side side);

  static constexpr std::size_t kWindows = 4;
  static constexpr std::size_t kUsualAlignment = 64;

  Confinement confinement_;
  const concord_plugin* plugin_ = nullptr;
  void* backend_ = nullptr;
  bool opened_ = false, closed_ = false;
  std::optional<ProcessState> state_{};  ///< after open
  std::optional<TensorView> view_{};
  Arguments arguments_{};
  std::optional<std::string> text_{};  ///< that problem_ was read from
  Problem problem_{};
  std::unique_ptr<PluginProblem> structs_{};
  std::array<Handle, 2> handles_{};
  std::array<concord_buffer, 3> inputs_{};
  concord_buffer output_{};
};

// All that may fail for lack of what this machine has not, before there is code of the plugin's.
Json Worker::start(const Json& request) {
  auto view = TensorView::map(request.at("arena").get<int>());
  if (!view) return our_failure(concord::conformance::describe(view.why()));
  view_ = *view;
  auto arguments = Arguments::map();
  if (!arguments) return our_failure(concord::conformance::describe(arguments.why()));
  arguments_ = *arguments;
  view_->control().arguments = arguments_.base();
  limit_descriptors(request.at("descriptor_limit").get<rlim_t>());
  limit_memory(request.at("memory_limit").get<std::size_t>());
  record_faults(view_->control().fault);
  return to_message(confinement_);
}

Json Worker::load(const Json& request) {
  const auto plugin = load_plugin(request.at("path").get<std::string>());
  if (!plugin) {
    const std::string& reason = plugin.why().detail;
    const int lack = lack_in(reason);  // the dynamic loader's, so before any code of the plugin's
    if (lack != 0) return our_failure(reason + "; " + explain_error(lack));
    return failure(reason);
  }
  plugin_ = *plugin;
  return {{"name", text_of(plugin_->name)}, {"version", text_of(plugin_->version)}};
}

// What a call answers; `reason`, which put_reason() gave out, is a text if the call has failed.
Json status_and_reason(concord_status status, const std::string& name, const char* reason) {
  if (status == CONCORD_OK) return {{"status", status}};
  if (auto fault = fault_of_text(name, reason)) return fault_message(*fault);
  Json message = {{"status", status}};
  add(message, "reason", reason_in(reason));
  return message;
}

// Memory that malloc() gives and free() takes is filled, so that a plugin that reads what it has
// not written, or has given back, is seldom right by chance. Not before `open`, where a library may
// reserve more than it will touch.
void fill_heap(std::string_view problem) { mallopt(M_PERTURB, heap_perturbation(problem)); }

// The same of the stack that the next call of this thread begins on: what malloc() would give, or
// `other` than that.
[[gnu::noinline]] void fill_stack(std::string_view problem, bool other = false) {
  constexpr std::size_t kWords = 4096;
  const auto byte = static_cast<std::uint8_t>(~heap_perturbation(problem, other));
  volatile std::uint64_t stack[kWords];
  for (auto& word : stack) word = byte * 0x0101010101010101U;
}

Json Worker::open(const Json& request) {
  const auto config = request.at("config").get<std::string>();
  char* const reason = arguments_.put_reason();
  const concord_status status = plugin_->open(arguments_.put_config(config), &backend_, reason);
  opened_ = status == CONCORD_OK;
  state_.emplace();
  fill_heap("");
  return status_and_reason(status, "open's reason", reason);
}

std::optional<std::string> Worker::read_problem(const Json& request) {
  const auto& text = request.at("problem").get_ref<const std::string&>();
  if (text_ != text) {
    auto problem = parse(text);
    if (!problem) return problem.why().detail;
    problem_ = *std::move(problem);
    text_ = text;
    fill_heap(text);
  }
  auto structs = PluginProblem::make(problem_);  // anew, since a plugin may have changed them
  if (!structs) return structs.why().detail;
  structs_ = *std::move(structs);
  return std::nullopt;
}

// About structs_, as they are; `again` with another stack, which must not change the answer.
Json Worker::ask_plugin(bool again) {
  concord_answer empty{};
  empty.struct_size = sizeof empty;
  concord_answer& answer = *arguments_.put(Argument::kAnswer, empty);
  fill_stack(*text_, again);
  const concord_status status = plugin_->query(backend_, arguments_.put(*structs_->get()), &answer);
  return to_message(status, answer);
}

Json Worker::query(const Json& request) {
  if (const auto reason = read_problem(request)) return failure(*reason);
  Json message = ask_plugin();
  if (request.value("twice", false)) {
    if (const auto reason = read_problem(request)) return failure(*reason);
    Json second = ask_plugin(/*again=*/true);
    message["second"] = second == message ? Json(kTheSame) : std::move(second);
  }
  return message;
}

// The same problem with a number in it that no version of the plugin ABI lists.
Json Worker::query_unknown(const Json& request) {
  if (const auto reason = read_problem(request)) return failure(*reason);
  const auto all = enumerators_of(*structs_, problem_);
  const auto named = std::find_if(all.begin(), all.end(), [&](const Enumerator& each) {
    return each.name == request.at("name");
  });
  CONCORD_CHECK(named != all.end()) << request.at("name").get<std::string>();
  *named->number = request.at("number").get<std::int32_t>();
  return ask_plugin();
}

Json Worker::describe(const Json& request) {
  constexpr std::size_t kPlanBytes = 16 << 10;  // some hundred lines
  if (const auto reason = read_problem(request)) return failure(*reason);
  const bool is_there = plugin_->struct_size >=
                        offsetof(concord_plugin, describe_plan) + sizeof plugin_->describe_plan;
  if (!is_there || plugin_->describe_plan == nullptr) return {{"status", CONCORD_UNSUPPORTED}};
  concord_prepare_options options{};
  options.struct_size = sizeof options;
  options.threads = request.at("threads").get<int>();
  std::string text(kPlanBytes, '\0');
  const concord_status status =
      plugin_->describe_plan(backend_, arguments_.put(*structs_->get()),
                             arguments_.put(Argument::kOptions, options), text.data(), text.size());
  text.resize(strnlen(text.data(), text.size()));
  return {{"status", status}, {"text", text}};
}

// What a request says of huge inputs: the pages of the slot that are not zeros.
std::vector<Range> taken_pages(const Json& pages) {
  std::vector<Range> ranges;
  for (const Json& page : pages) {
    ranges.push_back({page.at(0).get<std::size_t>(), page.at(1).get<std::size_t>()});
  }
  return ranges;
}

void Worker::open_tensors(const Json& request, Side side) {
  const auto buffer = [&](Slot slot, const Tensor& tensor) {
    const std::size_t bytes = bytes_of(problem_.dtype, tensor);
    const Place place = tensor_place(bytes, side, size_of(problem_.dtype));
    const bool is_huge = request.contains("taken") && slot != Slot::kDst;
    const auto taken = is_huge ? taken_pages(request.at("taken").at(std::string(to_string(slot))))
                               : std::vector<Range>{};
    void* data = is_huge ? view_->open_zeros(slot, place, taken) : view_->open(slot, place);
    CONCORD_CHECK(data != nullptr) << "cannot open " << bytes << " bytes of " << to_string(slot);
    return concord_buffer{data, bytes};
  };
  inputs_ = {};
  for (const Input input : kInputs) {
    const auto place = place_of(problem_, input);
    if (place) inputs_.at(*place) = buffer(slot_of(input), *input_of(problem_, input));
  }
  output_ = buffer(Slot::kDst, problem_.dst.value_or(Tensor{}));
}

Json Worker::prepare(const Json& request) {
  if (const auto reason = read_problem(request)) return failure(*reason);
  open_tensors(request, Side::kEnd);
  concord_prepare_options options{};
  options.struct_size = sizeof options;
  options.threads = request.at("threads").get<int>();
  if (request.at("constant_weights").get<bool>()) {
    for (const Input input : {Input::kWeights, Input::kBias}) {
      const auto place = place_of(problem_, input);
      if (place) options.data[*place] = inputs_.at(*place).data;
    }
  }
  Handle& handle = handle_of(request);
  if (&handle == handles_.data()) view_->control().workspace = {};
  handle = {};
  handle.prepared.struct_size = sizeof handle.prepared;
  concord_prepared* const filled_in = arguments_.put(Argument::kPrepared, handle.prepared);
  fill_stack(*text_);
  concord_status status = plugin_->prepare(backend_, arguments_.put(*structs_->get()),
                                           arguments_.put(Argument::kOptions, options), filled_in);
  concord_prepared& prepared = handle.prepared = *filled_in;
  std::string reason = text_of(prepared.reason);
  if (auto fault = fault_of_text("prepare's reason", prepared.reason)) {
    status = CONCORD_FAULT, reason = *std::move(fault);
  } else if (status == CONCORD_OK) {
    if (prepared.workspace_alignment == 0) prepared.workspace_alignment = kUsualAlignment;
    fault = fault_of_workspace(prepared.workspace_bytes, prepared.workspace_alignment);
    if (fault) status = CONCORD_FAULT, reason = *std::move(fault);
  }
  handle.is_prepared = status == CONCORD_OK;
  Json answer = {{"status", status},
                 {"workspace_bytes", prepared.workspace_bytes},
                 {"workspace_alignment", prepared.workspace_alignment}};
  add(answer, "reason", std::move(reason));
  // Nothing will be released, after which it is looked at otherwise.
  if (status != CONCORD_OK) add(answer, "process_state", state_->restore());
  return answer;
}

Json Worker::execute(const Json& request) {
  Handle& handle = handle_of(request);
  if (!handle.is_prepared) return nothing_to_do();
  const Side side = request.value("at_beginning", false) ? Side::kBeginning : Side::kEnd;
  open_tensors(request, side);
  const Place place =
      aligned_place(handle.prepared.workspace_bytes, handle.prepared.workspace_alignment, side);
  view_->control().workspace = place;
  void* workspace = view_->open(Slot::kWorkspace, place);
  CONCORD_CHECK(workspace != nullptr) << "cannot open a workspace of " << place.bytes << " bytes";
  // The worker poisons it, since the host learns its size only after the execution. Thousands of
  // rounds go without.
  if (request.at("request") != to_string(Stage::kRepeat)) {
    view_->poison(Slot::kWorkspace, place,
                  Poison::workspace(problem_.dtype, side == Side::kBeginning));
  }
  const auto inputs = static_cast<std::size_t>(structs_->get()->num_inputs);
  concord_execution execution{};
  execution.struct_size = sizeof execution;
  execution.inputs = arguments_.put(Argument::kInputBuffers,
                                    std::span<const concord_buffer>(inputs_).first(inputs));
  execution.outputs = arguments_.put(Argument::kOutputBuffers, output_);
  execution.workspace = place.bytes == 0 ? nullptr : workspace;
  execution.workspace_bytes = place.bytes;
  execution.reason = arguments_.put_reason();
  const char* const reason = execution.reason;  // the plugin could change the struct
  const concord_execution* const passed = arguments_.put(Argument::kExecution, execution);
  Json answer;
  const auto call = [&] {
    fill_stack(*text_);
    const auto begin = std::chrono::steady_clock::now();
    const concord_status status = plugin_->execute(backend_, handle.prepared.handle, passed);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    handle.has_failed = status != CONCORD_OK;
    answer = status_and_reason(status, "execute's reason", reason);
    answer["seconds"] = taken.count();
    add(answer, "float_environment", changed_float_environment());
  };
  if (request.value("on_another_thread", false)) {
    std::async(std::launch::async, call).get();
  } else {
    call();
  }
  return answer;
}

// Of two problems that are prepared at once, the one that is meant.
Worker::Handle& Worker::handle_of(const Json& request) {
  return handles_.at(request.value("handle", std::size_t{0}));
}

Json Worker::release(const Json& request) {
  Handle& handle = handle_of(request);
  if (!handle.is_prepared) return nothing_to_do();
  plugin_->release(backend_, handle.prepared.handle);
  handle.is_prepared = false;
  Json answer = Json::object();
  if (request.value("is_last", false) || handle.has_failed) {
    add(answer, "process_state", state_->restore());
  }
  return answer;
}

// Prepares, executes and releases; after every so many rounds adds what the process holds. In a
// slow backend there are fewer footprints than asked for. Returns an answer that is not CONCORD_OK.
std::optional<Json> Worker::go_some_rounds(const Json& request, std::size_t window,
                                           std::chrono::milliseconds enough,
                                           std::vector<Footprint>& footprints) {
  const auto begin = std::chrono::steady_clock::now();
  while (footprints.size() < kWindows && std::chrono::steady_clock::now() - begin < enough) {
    for (std::size_t round = 0; round < window; ++round) {
      if (Json prepared = prepare(request); status_of(prepared) != CONCORD_OK) return prepared;
      Json executed = execute(request);
      plugin_->release(backend_, handle_of(request).prepared.handle);
      handle_of(request).is_prepared = false;
      if (status_of(executed) != CONCORD_OK) return executed;
    }
    footprints.push_back(Footprint::now());
  }
  return std::nullopt;
}

Json Worker::repeat(const Json& request) {
  Json answer = go_rounds(request);
  add(answer, "process_state", state_->restore());
  return answer;
}

// Allocators and caches hold more for a while, so that memory must grow through many rounds.
Json Worker::go_rounds(const Json& request) {
  constexpr std::size_t kFew = 16, kMany = 1024;
  constexpr std::chrono::milliseconds kSoon{500}, kLater{4000};
  std::vector<Footprint> few, many;
  if (auto failed = go_some_rounds(request, kFew, kSoon, few)) return *std::move(failed);
  const auto growth = [](const std::vector<Footprint>& footprints, std::size_t window, Held held) {
    return footprints.size() == kWindows ? describe_growth(footprints, window, held) : "";
  };
  std::string grown = growth(few, kFew, Held::kHandles);
  if (grown.empty() && !growth(few, kFew, Held::kMemory).empty()) {
    if (auto failed = go_some_rounds(request, kMany, kLater, many)) return *std::move(failed);
    grown = growth(many, kMany, Held::kMemory);
  }
  Json answer = {{"status", CONCORD_OK}};
  add(answer, "growth", grown);
  return answer;
}

Json Worker::close() {
  if (opened_) plugin_->close(backend_);
  closed_ = true;
  return Json::object();
}

// What came out of a call that must not let anything out.
Json thrown(const std::string& what) { return {{"thrown", what}}; }

}  // namespace

int serve_plugin(int channel_descriptor, std::string_view sandbox) {
  be_ended_first();
  Confinement confinement = confine(sandbox_options_from(sandbox));  // while there is one thread
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a crash loses no whole line
  if (!watch_host(channel_descriptor)) return kCannotStart;
  const pid_t self = getpid();
  WorkerChannel channel(channel_descriptor);
  Worker worker(std::move(confinement));
  std::string answers;
  bool is_lost = false;  // after an exception or a request that cannot be served: no call follows
  while (!worker.closed()) {
    const auto line = channel.receive();
    if (!line) return kChannelLost;
    const Json request = from_line(*line);
    if (!request.is_object()) return kChannelLost;
    Json answer;
    try {
      answer = is_lost ? nothing_to_do() : worker.serve(request);
    } catch (const std::exception& error) {
      answer = thrown(error.what());
    } catch (...) {
      answer = thrown("something that is not a std::exception");
    }
    is_lost = is_lost || answer.contains("thrown") || answer.contains("failure");
    // A plugin that forks and lets both processes return must not get two answers through.
    if (getpid() != self) _exit(0);
    answers += to_line(answer) + '\n';
    if (channel.has_received() && !worker.closed() && channel.is_open()) continue;
    if (!channel.send(answers)) return kChannelLost;
    answers.clear();
  }
  return 0;
}

std::optional<int> serve_host(int argc, char** argv) {
  const std::span given(argv, static_cast<std::size_t>(argc));
  if (given.size() < 2 || std::string_view(given[1]) != kWorkerArgument) return std::nullopt;
  // Jobs times threads are more than the processors: threads that wait for work must not spin.
  // OpenMP reads this when it is loaded, with the plugin.
  setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  if (given.size() == 4) return serve_plugin(std::atoi(given[2]), given[3]);
  if (given.size() == 5) return become_command(given[2], given[3], given[4]);
  return std::nullopt;
}

}  // namespace concord::conformance

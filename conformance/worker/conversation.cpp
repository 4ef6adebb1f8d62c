// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/conversation.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <mutex>

#include "conformance/worker/command_process.h"
#include "conformance/worker/visible.h"

namespace concord::conformance {
namespace {

constexpr std::size_t kTailBytes = 2048;
// How long a process that has closed its channel may take to end.
constexpr std::chrono::milliseconds kPatience{1000};
// How soon it is seen that the run must stop, or that a worker has come to the next request.
constexpr std::chrono::milliseconds kGlance{200};

// A start takes more descriptors than a running process: one at a time, lest many together use up
// what each of them alone could have.
std::mutex& starting() {
  static std::mutex mutex;
  return mutex;
}

std::string beginning_of(const std::string& line) { return line.substr(0, 80); }

bool make_nonblocking(const Descriptor& descriptor) {
  return fcntl(descriptor.get(), F_SETFL, O_NONBLOCK) == 0;
}

}  // namespace

void OutputTail::drain() {
  std::array<char, 4096> chunk;
  for (int i = 0; i < 16 && pipe_; ++i) {
    const ssize_t got = read(pipe_.get(), chunk.data(), chunk.size());
    if (got < 0) return;
    if (got == 0) return pipe_.close();
    tail_.append(chunk.data(), static_cast<std::size_t>(got));
    if (tail_.size() > 2 * kTailBytes) tail_.erase(0, tail_.size() - kTailBytes);
  }
}

std::string OutputTail::text() const {
  return tail_.substr(tail_.size() - std::min(tail_.size(), kTailBytes));
}

/// Both ends of what connects the two processes.
struct Conversation::Ends {
  Arena arena;
  Descriptor channel{}, output{};                     ///< ours
  Descriptor its_channel{}, its_output{}, nothing{};  ///< the process's; nothing is /dev/null

  static Result<Ends, StartError> make(std::size_t slot_bytes);
};

Result<Conversation::Ends, StartError> Conversation::Ends::make(std::size_t slot_bytes) {
  const auto failed = [] { return StartError{"cannot make a channel for a process", errno}; };
  auto arena = Arena::create(slot_bytes);
  if (!arena) return std::move(arena).why();
  Ends made{*std::move(arena)};
  int sockets[2], pipe_ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return failed();
  made.channel = Descriptor(sockets[0]);
  made.its_channel = Descriptor(sockets[1]);
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return failed();
  made.output = Descriptor(pipe_ends[0]);
  made.its_output = Descriptor(pipe_ends[1]);
  made.nothing = Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!made.nothing || !make_nonblocking(made.channel) || !make_nonblocking(made.output)) {
    return failed();
  }
  return made;
}

Result<std::unique_ptr<Conversation>, StartError> Conversation::begin(
    const std::vector<std::string>& arguments, std::span<const int> descriptors, Ends ends,
    const HostOptions& options) {
  auto child = Child::spawn(arguments, descriptors);
  if (!child) return std::move(child).why();
  return std::unique_ptr<Conversation>(new Conversation(*std::move(child), std::move(ends.channel),
                                                        std::move(ends.output),
                                                        std::move(ends.arena), options));
}

Result<std::unique_ptr<Conversation>, StartError> Conversation::begin_worker(
    const HostOptions& options) {
  const std::lock_guard one_at_a_time(starting());
  auto made = Ends::make(options.for_huge_tensors ? kHugeSlotBytes : kSlotBytes);
  if (!made) return std::move(made).why();
  Ends ends = *std::move(made);
  const int descriptors[] = {ends.nothing.get(), ends.its_output.get(), ends.its_output.get(),
                             ends.its_channel.get(), ends.arena.descriptor()};
  static_assert(std::size(descriptors) == kWorkerArena + 1);
  auto begun = begin({options.worker_program, std::string(kWorkerArgument),
                      std::to_string(kWorkerChannel), to_argument(options.sandbox)},
                     descriptors, std::move(ends), options);
  // By the descriptor of a memory for huge tensors the host finds the pages that were touched.
  if (begun && !options.for_huge_tensors) (*begun)->arena_.close_descriptor();
  return begun;
}

Result<std::unique_ptr<Conversation>, StartError> Conversation::begin_command(
    const std::string& command, const HostOptions& options) {
  const std::lock_guard one_at_a_time(starting());
  auto made = Ends::make(kSlotBytes);
  if (!made) return std::move(made).why();
  Ends ends = *std::move(made);
  const int descriptors[] = {ends.its_channel.get(), ends.its_channel.get(), ends.its_output.get(),
                             ends.arena.descriptor()};
  static_assert(std::size(descriptors) == kCommandArena + 1);
  auto begun =
      begin({options.worker_program, std::string(kWorkerArgument), to_argument(options.sandbox),
             limits_argument(options.memory_limit, descriptor_limit_of_children()), command},
            descriptors, std::move(ends), options);
  if (begun) (*begun)->arena_.close_descriptor();
  return begun;
}

Result<std::vector<Json>, WorkerFailure> Conversation::ask(std::vector<Request> requests) {
  std::vector<Stage> stages;
  stages.reserve(requests.size());
  for (const Request& request : requests) stages.push_back(request.stage);
  if (!received_.empty()) {
    return refuse_answer(std::span(stages).first(1),
                         "it sent a message without being asked: '" +
                             beginning_of(received_.take_line().value_or("")) + "'");
  }
  std::string sent;
  for (Request& request : requests) {
    request.fields["request"] = to_string(request.stage);
    sent += to_line(request.fields) + '\n';
  }
  const std::uint64_t begun_before = arena_.control().requests;
  std::vector<std::string> lines;
  const Event event = exchange(sent, begun_before, requests.size(), lines);
  if (event != Event::kAnswer) {
    return bury(event, stages[reached(begun_before, lines.size(), stages.size())]);
  }
  std::vector<Json> answers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    answers.push_back(from_line(lines[i]));
    if (!answers.back().is_object()) {
      return refuse_answer(std::span(stages).subspan(i),
                           "not a JSON object: '" + beginning_of(lines[i]) + "'");
    }
    make_visible(answers.back());
  }
  return answers;
}

// The process may have written anything where it counts.
std::size_t Conversation::reached(std::uint64_t begun_before, std::size_t answered,
                                  std::size_t count) const {
  const std::uint64_t begun = arena_.control().requests - begun_before;
  return std::clamp<std::uint64_t>(begun == 0 ? 0 : begun - 1, answered, count - 1);
}

bool Conversation::send_some(std::string_view& unsent) const {
  const ssize_t sent = send(channel_.get(), unsent.data(), unsent.size(), MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  unsent.remove_prefix(static_cast<std::size_t>(sent));
  return true;
}

bool Conversation::receive_some() {
  std::array<char, 4096> chunk;
  const ssize_t got = recv(channel_.get(), chunk.data(), chunk.size(), 0);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  received_.append({chunk.data(), static_cast<std::size_t>(got)});
  return got > 0;
}

bool Conversation::await(std::span<pollfd> ready, TimeLimit::Clock::time_point end,
                         bool must_glance) const {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(end - TimeLimit::Clock::now()).count();
  const long most = stop_ == nullptr && !must_glance ? left : std::min<long>(left, kGlance.count());
  return poll(ready.data(), ready.size(), static_cast<int>(std::max<long>(0, most))) >= 0;
}

bool Conversation::transfer(short channel, short output, std::string_view& unsent) {
  if (output != 0) output_.drain();
  if ((channel & POLLOUT) != 0 && !send_some(unsent)) return false;
  return (channel & (POLLIN | POLLHUP | POLLERR)) == 0 || receive_some();
}

Conversation::Event Conversation::exchange(std::string_view unsent, std::uint64_t begun_before,
                                           std::size_t count, std::vector<std::string>& answers) {
  std::size_t last_reached = 0;
  TimeLimit limit(process(), patience_ * deadline_);
  bool open = send_some(unsent);
  while (true) {
    // Each request has a deadline of its own, from when it is seen that it has been reached.
    if (const std::size_t now = reached(begun_before, answers.size(), count); now > last_reached) {
      last_reached = now;
      limit.restart();
    }
    const auto wanted = static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
    pollfd ready[] = {{open ? channel_.get() : -1, wanted, 0},
                      {child_->pidfd(), POLLIN, 0},
                      {output_.descriptor(), POLLIN, 0}};
    if (!await(ready, limit.next(), last_reached + 1 < count)) continue;
    open = transfer(ready[0].revents, ready[2].revents, unsent) && open;
    while (answers.size() < count) {
      auto line = received_.take_line();
      if (!line) break;
      answers.push_back(*std::move(line));
    }
    if (answers.size() == count) return Event::kAnswer;
    if (received_.overlong()) return Event::kOverlong;
    // What a process wrote before it ended is there by now; the channel has been read above.
    if ((ready[1].revents & POLLIN) != 0 && (!open || ready[0].revents == 0)) return Event::kEnd;
    if (!open) return Event::kClosed;
    if (must_stop()) return Event::kStopped;
    if (limit.has_passed() && reached(begun_before, answers.size(), count) <= last_reached) {
      return Event::kDeadline;
    }
  }
}

WorkerFailure Conversation::bury(Event event, Stage stage) {
  const bool ended = event == Event::kEnd || (event == Event::kClosed && child_->wait(kPatience));
  const int status = child_->kill_and_reap();
  output_.drain();
  if (ended) return describe_end(status, stage);
  if (event == Event::kStopped) {
    return {WorkerFailure::Kind::kStopped, stage, "the run was stopped", output_.text()};
  }
  if (event == Event::kDeadline) {
    return {
        WorkerFailure::Kind::kHang, stage,
        "no answer within " + std::to_string((patience_ * deadline_).count()) + " ms (--deadline)",
        output_.text()};
  }
  return {WorkerFailure::Kind::kProtocol, stage,
          event == Event::kClosed ? "the channel was closed" : "an answer without an end arrived",
          output_.text()};
}

// Why a process may have ended that was near its limit of memory; else nothing.
std::string Conversation::memory_hint() const {
  const std::size_t peak = child_->peak_memory();
  if (peak < memory_limit_ / 10 * 9) return "";
  return " (it used " + std::to_string(peak) + " bytes of memory; its limit is " +
         std::to_string(memory_limit_) + ": --memory-limit)";
}

WorkerFailure Conversation::describe_end(int status, Stage stage) const {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    auto places = places_;
    // Its size is in an answer that may not have been sent.
    places[static_cast<std::size_t>(Slot::kWorkspace)] = arena_.control().workspace;
    const std::string fault =
        describe_fault(signal, arena_.control(), places.data(), arena_.slot_bytes());
    return {WorkerFailure::Kind::kCrash, stage,
            signal_name(signal) + (fault.empty() ? "" : ": " + fault) + memory_hint(),
            output_.text(), signal};
  }
  const int code = WEXITSTATUS(status);
  if (code == kChannelLost) {
    return {WorkerFailure::Kind::kProtocol, stage, "the channel was closed", output_.text()};
  }
  return {WorkerFailure::Kind::kExit, stage,
          "exit with code " + std::to_string(code) + memory_hint(), output_.text()};
}

std::optional<WorkerFailure> Conversation::await_end() {
  TimeLimit limit(process(), deadline_);
  bool ended = false;
  // With its output read, or it could wait for us.
  while (!ended && !must_stop() && !limit.has_passed()) {
    output_.drain();
    pollfd ready[] = {{child_->pidfd(), POLLIN, 0}, {output_.descriptor(), POLLIN, 0}};
    await(ready, limit.next(), false);
    ended = (ready[0].revents & POLLIN) != 0;
  }
  if (!ended) return bury(must_stop() ? Event::kStopped : Event::kDeadline, Stage::kClose);
  const int status = child_->kill_and_reap();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  output_.drain();
  return describe_end(status, Stage::kClose);
}

WorkerFailure Conversation::refuse_answer(std::span<const Stage> stages,
                                          const std::string& reason) {
  std::string others;
  for (const Stage stage : stages.subspan(1)) {
    others += (others.empty() ? " (or in " : " or ") + std::string(to_string(stage));
  }
  return end(stages.front(),
             "an impossible answer: " + reason + (others.empty() ? "" : others + ")"));
}

WorkerFailure Conversation::end(Stage stage, const std::string& reason) {
  child_->kill_and_reap();
  output_.drain();
  return {WorkerFailure::Kind::kProtocol, stage, reason, output_.text()};
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
// The host's end of one process: sends requests, and each is answered by its deadline, or the
// process is dead and the reason known.
#ifndef CONCORD_CONFORMANCE_WORKER_CONVERSATION_H_
#define CONCORD_CONFORMANCE_WORKER_CONVERSATION_H_

#include <poll.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/worker/arena.h"
#include "conformance/worker/channel.h"
#include "conformance/worker/child.h"
#include "conformance/worker/host.h"
#include "conformance/worker/messages.h"
#include "conformance/worker/time_limit.h"

namespace concord::conformance {

/// The places of the channel and of the shared memory among the descriptors of a worker.
inline constexpr int kWorkerChannel = 3;
inline constexpr int kWorkerArena = 4;

/// The last bytes that came out of a pipe.
class OutputTail {
 public:
  explicit OutputTail(Descriptor pipe) : pipe_(std::move(pipe)) {}
  /// To be polled; negative once nobody can write any more.
  int descriptor() const { return pipe_.get(); }
  /// Takes what is there, at most some 64 KiB of it.
  void drain();
  std::string text() const;

 private:
  Descriptor pipe_;
  std::string tail_{};
};

class Conversation {
 public:
  /// Starts the worker program.
  static Result<std::unique_ptr<Conversation>, StartError> begin_worker(const HostOptions& options);
  /// Starts the worker program, which becomes a shell command that communicates on its standard
  /// input and output.
  static Result<std::unique_ptr<Conversation>, StartError> begin_command(
      const std::string& command, const HostOptions& options);

  struct Request {
    Stage stage;
    Json fields;
  };
  /// Sends the requests together and waits for as many answers; a worker serves one after the
  /// other. After a WorkerFailure, which has the stage that was reached, the process is dead.
  Result<std::vector<Json>, WorkerFailure> ask(std::vector<Request> requests);
  /// Waits for the process to end by itself, and says if it does so in any other way than by
  /// exiting with code 0.
  std::optional<WorkerFailure> await_end();
  /// Ends the process and returns its WorkerFailure: the answer makes no sense, or the conversation
  /// cannot go on for another reason. A worker sends the answers to requests that came together all
  /// at once, so that what its process wrote meanwhile may belong to any of them: the first of
  /// `stages` is the one whose answer it would be, the others come after it.
  WorkerFailure refuse_answer(std::span<const Stage> stages, const std::string& reason);
  WorkerFailure end(Stage stage, const std::string& reason);

  const Arena& arena() const { return arena_; }
  /// Of the process that was started; with namespaces, the backend's descends from it.
  int process() const { return child_->number(); }
  /// Notes where a tensor lies, so that a bad access can be told; of the workspace, the worker
  /// does.
  void note(Slot slot, const Place& place) { place_of(slot) = place; }
  /// Releases the memory of a large tensor.
  void trim(Slot slot) { arena_.trim(slot, place_of(slot)); }
  /// From now on each answer may take so many times the deadline.
  void set_patience(int patience) { patience_ = patience; }

 private:
  struct Ends;
  enum class Event { kAnswer, kEnd, kDeadline, kClosed, kOverlong, kStopped };

  Conversation(std::unique_ptr<Child> child, Descriptor channel, Descriptor output, Arena arena,
               const HostOptions& options)
      : child_(std::move(child)),
        channel_(std::move(channel)),
        output_(std::move(output)),
        arena_(std::move(arena)),
        deadline_(options.deadline),
        memory_limit_(options.memory_limit),
        stop_(options.stop) {}
  Place& place_of(Slot slot) { return places_[static_cast<std::size_t>(slot)]; }
  static Result<std::unique_ptr<Conversation>, StartError> begin(
      const std::vector<std::string>& arguments, std::span<const int> descriptors, Ends ends,
      const HostOptions& options);
  /// Which of so many requests is being served, of which so many have been answered.
  std::size_t reached(std::uint64_t begun_before, std::size_t answered, std::size_t count) const;
  Event exchange(std::string_view unsent, std::uint64_t begun_before, std::size_t count,
                 std::vector<std::string>& answers);
  /// poll() until `end` at the latest, or until it is time to see if the run must stop, or to
  /// glance at what the worker has reached.
  bool await(std::span<pollfd> ready, TimeLimit::Clock::time_point end, bool must_glance) const;
  /// Sends, receives and reads what the events of the channel and of the output allow. False if the
  /// channel is closed.
  bool transfer(short channel, short output, std::string_view& unsent);
  bool send_some(std::string_view& unsent) const;
  bool receive_some();
  bool must_stop() const { return stop_ != nullptr && *stop_; }
  WorkerFailure bury(Event event, Stage stage);
  WorkerFailure describe_end(int status, Stage stage) const;
  std::string memory_hint() const;

  std::unique_ptr<Child> child_;
  Descriptor channel_;
  OutputTail output_;
  Arena arena_;
  std::chrono::milliseconds deadline_;
  int patience_ = 1;
  std::size_t memory_limit_;
  const std::atomic<bool>* stop_;
  LineBuffer received_{};
  std::array<Place, kSlotCount> places_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_CONVERSATION_H_

// SPDX-License-Identifier: Apache-2.0
// One process of a backend, from its start to the WorkerFailure or the end.
#ifndef CONCORD_CONFORMANCE_WORKER_HOST_PROCESS_H_
#define CONCORD_CONFORMANCE_WORKER_HOST_PROCESS_H_

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "conformance/worker/ask_worker.h"
#include "conformance/worker/dst_check.h"
#include "conformance/worker/host.h"
#include "conformance/worker/mapped_files.h"

namespace concord::conformance {

/// A running worker whose plugin is open, or a running program behind `exec:`.
class Host::Process {
 public:
  Process(std::unique_ptr<Conversation> conversation, bool is_command)
      : conversation_(std::move(conversation)), is_command_(is_command) {}

  using Started = Result<std::unique_ptr<Process>, HostFailure>;
  /// Retries for a while where the machine lacks resources that other processes may release, or a
  /// signal from outside ended the process.
  static Started start(const BackendSpec& spec, const HostOptions& options);

  const BackendIdentity& identity() const { return identity_; }
  Result<QueryReply, WorkerFailure> query(const Problem& problem);
  Result<TwoReplies, WorkerFailure> query_twice(const Problem& problem);
  Result<UnknownReply, WorkerFailure> query_unknown(const Problem& problem,
                                                    const UnknownNumber& unknown);
  Result<PlanReply, WorkerFailure> describe_plan(const Problem& problem, int threads);
  Result<TrialReply, WorkerFailure> execute(const Trial& trial);
  Result<TrialReply, WorkerFailure> execute(const HugeTrial& trial);
  std::set<std::string> mapped_files() const {
    return concord::conformance::mapped_files(conversation_->process());
  }
  std::optional<WorkerFailure> stop();

 private:
  /// `lack` is why a later start may succeed, as errno: what the machine lacks, or EINTR after a
  /// signal. Else 0.
  static Started start_once(const BackendSpec& spec, const HostOptions& options, int& lack);
  HostFailure lost_at_start(WorkerFailure failure, int& lack) const;
  /// What prepare() asked for; a worker keeps one of each number.
  struct Handle {
    int number = 0;
    bool is_prepared = false;
    std::size_t workspace_bytes = 0;
    std::size_t workspace_alignment = 64;
  };
  /// What is sent together with an execution.
  struct SentWith {
    int threads = 0;              ///< if not 0, the handle is prepared before, for so many
    bool releases = false;        ///< the handle, after it
    bool is_last_release = true;  ///< of the trial
  };
  /// Executes with the inputs at that side of their pages, on the first side with other garbage
  /// than on the second, and leaves the result in dst's memory.
  std::optional<WorkerFailure> execute_once(const Trial& trial, Handle& handle, Side side,
                                            const SentWith& with, TrialReply& reply);
  /// As Trial::sequence says; what it prepared is `second`.
  std::optional<WorkerFailure> execute_later(const Trial& trial, Handle& first, Handle& second,
                                             TrialReply& reply);
  /// All of the first handle; it may still be prepared where something is not well.
  std::optional<WorkerFailure> execute_all(const Trial& trial, Handle& first, Handle& second,
                                           TrialReply& reply);
  std::optional<WorkerFailure> execute_after_release(const Trial& trial, Handle& second,
                                                     TrialReply& reply);
  /// The requests, and what is done with their answers.
  Question to_prepare(Json request, Handle& handle, TrialReply& reply) const;
  static Question to_execute(Json request, TrialReply& reply);
  /// `is_last`: of this trial; then the state of the process is looked at.
  Question to_release(Handle& handle, bool is_last, TrialReply& reply) const;
  /// A worker gets them together, a program one after the other as long as it could prepare.
  std::optional<WorkerFailure> ask(std::vector<Question> questions, const TrialReply& reply);
  std::optional<WorkerFailure> release(Handle& handle, bool is_last, TrialReply& reply);
  void forget_tensors();
  std::optional<WorkerFailure> repeat(const Trial& trial, TrialReply& reply);
  std::optional<WorkerFailure> use_handles(const Trial& trial, TrialReply& reply);
  /// Prepares, executes once and releases for trial.other_threads.
  std::optional<WorkerFailure> execute_on_other_threads(const Trial& trial, TrialReply& reply);
  std::size_t input_bytes_written(const Trial& trial) const;
  std::optional<HostFailure> prepare_process(const HostOptions& options, int& lack);
  bool has_code_of(const BackendSpec& spec) const;
  std::optional<HostFailure> load(const BackendSpec& spec, int& lack);
  std::optional<HostFailure> open(const BackendSpec& spec);
  Json describe(const Problem& problem) const;
  void put_inputs(const Trial& trial, Side side);
  void place(const Trial& trial, Side side);
  std::span<const std::byte> dst() const;
  /// Puts the elements of the inputs at that side of their pages in empty slots; the pages that
  /// they take.
  Json put_huge_inputs(const HugeTrial& trial, Side side);
  std::size_t huge_input_bytes_written(const HugeTrial& trial, Side side) const;
  std::optional<WorkerFailure> execute_huge(const HugeTrial& trial, const Handle& handle, Side side,
                                            Json taken, TrialReply& reply);

  std::unique_ptr<Conversation> conversation_;
  bool is_command_;
  std::string memory_path_{};   ///< of the shared memory, for a command
  bool wants_strings_ = false;  ///< for long integers
  BackendIdentity identity_{};
  Place dst_{};
  const Trial* placed_ = nullptr;  ///< whose inputs are in the slots, on side_
  Side side_ = Side::kEnd;
  std::optional<ElementMask> mask_{};  ///< of the trial's dst
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_HOST_PROCESS_H_

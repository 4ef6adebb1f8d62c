// SPDX-License-Identifier: Apache-2.0
// The host's side of the plugin ABI: a backend in a worker process of its own. Whatever the backend
// does there - crash, hang, exit, invalid answers - is returned as a value.
#ifndef CONCORD_CONFORMANCE_WORKER_HOST_H_
#define CONCORD_CONFORMANCE_WORKER_HOST_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/worker/sandbox.h"
#include "plugin/concord_plugin.h"
#include "spec/problem.h"
#include "spec/result.h"

namespace concord::conformance {

/// Which backend: the plugin's file and the text behind the colon; or a shell command that
/// implements docs/exec_protocol.md.
struct BackendSpec {
  std::string text{};    ///< as the user wrote it: "onednn", "faulty:kernel_flip", "./v.so:fast"
  std::string path{};    ///< of the shared object; empty for a command
  std::string config{};  ///< handed to the plugin's open(); or the command
  std::vector<std::string> files{};  ///< the program and the files that the command names

  bool is_command() const { return path.empty() && !config.empty(); }
};

/// The plugin's description of itself, and how far its process is confined.
struct BackendIdentity {
  std::string name{}, version{};
  Confinement confinement{};
};

/// The stage a worker had reached when it ended.
enum class Stage {
  kStart,
  kLoad,
  kOpen,
  kQuery,
  kUnknown,
  kDescribe,
  kPrepare,
  kExecute,
  kRelease,
  kRepeat,
  kClose
};
/// "start" (nothing of the backend's has run yet), "load", "open", "query", "query of an unknown
/// enumerator", "describe", "prepare", "execute", "release", "repeat" (rounds of prepare, execute
/// and release) or "close".
std::string_view to_string(Stage stage);

/// The worker died before it answered, or sent an impossible answer.
struct WorkerFailure {
  /// kStopped: HostOptions::stop turned true while an answer was awaited.
  enum class Kind { kCrash, kHang, kExit, kProtocol, kStopped } kind;
  Stage stage;           ///< of an answer without sense, the first that it may belong to
  std::string detail{};  ///< the signal and, for a bad access, which tensor's bounds; or what else
  std::string output{};  ///< the last 2 KiB that the process printed, to stdout and stderr alike
  int signal = 0;        ///< the one that ended the process, if one did
};

/// "in execute: SIGABRT: printed 'the plugin gives up'": the stage, the detail, and the last line
/// that the process printed, if any.
std::string describe(const WorkerFailure& failure);

/// The plugin could not be loaded or opened: one sentence naming the file and the reason.
struct LoadFailure {
  std::string detail{};
  /// It was never entered: this machine lacks the descriptors, processes or memory to start its
  /// process, or the process ended for any reason before it reached the backend.
  bool ours = false;
  bool breaks_abi = false;  ///< it refused to open in a way that the plugin ABI forbids
};

/// Why a backend gave no answer: its process could not be brought up, or was lost.
using HostFailure = std::variant<LoadFailure, WorkerFailure>;
/// The sentence of a LoadFailure, or as of the WorkerFailure.
std::string describe(const HostFailure& failure);

/// The failure of that kind, or null if there was an answer, or another failure.
template <class F, class Reply>
const F* find_failure(const Result<Reply, HostFailure>& answer) {
  return answer ? nullptr : std::get_if<F>(&answer.why());
}

/// What query() answered.
struct QueryReply {
  int status;  ///< a concord_status, or whatever else the plugin returned
  std::string reason{};
  Extents dst_dims{};
  concord_arithmetic arithmetic{};
  bool same_bits_any_threads = false;
  bool bits_vary_by_run = false;
  std::string adapter_part{}, implementation{};
};

/// What query() answered to the same question, one time after the other.
struct TwoReplies {
  QueryReply first, second;
};

/// An enumerator of a problem, by its name in enumerators_of(), and what it is replaced by.
struct UnknownNumber {
  std::string name;
  std::int32_t number;
};

/// What query() answered to a problem with an enumerator replaced.
struct UnknownReply {
  int status = 0;
  std::string reason{};
};

/// What describe_plan() answered: CONCORD_UNSUPPORTED without a text where there is no such
/// function.
struct PlanReply {
  int status = CONCORD_UNSUPPORTED;
  std::string text{};
};

/// What comes between the first execution and the others.
enum class Sequence {
  kNothing,
  /// An execution with other inputs at the same addresses.
  kOtherInputs,
  /// The problem is prepared a second time, with other inputs at the same addresses, and what that
  /// built is executed: then, and again after the first is released. Programs behind `exec:` have
  /// one problem at a time, and are not asked for it.
  kSecondHandle,
};

/// What to execute: the problem with dst complete, and the bytes of each input, gaps included.
/// Shapes  each input is element_span() * size_of(dtype) bytes; empty where the problem has none
struct Trial {
  const Problem& problem;
  std::span<const std::byte> src, weights, bias;
  std::span<const std::byte> diff_dst{};
  int threads = 1;
  bool constant_weights = true;  ///< weights and bias are shown to prepare()
  int executions = 1;            ///< how often to execute what prepare() built with these inputs
  Sequence sequence = Sequence::kNothing;  ///< not kOtherInputs if weights are constant
  const Trial* later = nullptr;            ///< the other inputs of `sequence`, of the same sizes
  /// If not 0: at last the problem is prepared anew for so many threads, and executed once, with
  /// what the first execution had.
  int other_threads = 0;
  /// Every other execution, beginning with the second, comes from another thread, of a plugin.
  bool on_another_thread = false;
  /// At last the problem is prepared, executed and released over and over, to see what grows.
  /// Programs behind `exec:` are not asked for it.
  bool many_rounds = false;

  std::span<const std::byte> of(Input input) const {
    const std::span<const std::byte> all[] = {src, weights, bias, diff_dst};
    return all[static_cast<std::size_t>(input)];
  }
};

/// What prepare, execute and release did.
struct TrialReply {
  int prepare_status = CONCORD_OK;
  int execute_status = CONCORD_OK;
  int threads = 1;                ///< for which prepare was called last
  bool of_second_handle = false;  ///< the statuses are those of Sequence::kSecondHandle
  std::string reason{};
  std::vector<std::byte> dst{};  ///< of the first execution, element_span() * size_of(dtype) bytes
  std::vector<std::byte> later_dst{};  ///< of the execution with the inputs of Trial::later
  /// Gap bytes between the elements of dst, or bytes around it or around the workspace, that were
  /// written by any execution. 0 is right.
  std::size_t bytes_written_outside = 0;
  /// dst of the first later execution, with other garbage in dst and workspace, that left other
  /// bits in an element than the first one; empty if none did. A NaN is a NaN, whatever its sign
  /// and payload are.
  std::vector<std::byte> other_dst{};
  /// The same of the second handle when the first is released, against later_dst.
  std::vector<std::byte> other_later_dst{};
  /// The same of the execution on other_threads.
  std::vector<std::byte> other_threads_dst{};
  /// What is no longer as in a thread that has just begun, after the last execution: "results are
  /// rounded toward zero". Empty is right.
  std::string float_environment{};
  /// What else of the process was no longer as after open, when a problem was released or refused:
  /// "the umask is 077". Empty is right.
  std::string process_state{};
  /// What grew in Trial::many_rounds: "48 descriptors in 48 rounds". Empty is right.
  std::string growth{};
  /// dst of the last of them, if it has other bits than the first execution; else empty.
  std::vector<std::byte> last_round_dst{};
  double execute_seconds = 0;       ///< of the first execution
  std::size_t workspace_bytes = 0;  ///< that the first prepare asked for
};

struct HostOptions {
  /// For each request, loading included; see TimeLimit.
  std::chrono::milliseconds deadline{10000};
  std::string worker_program{};  ///< the executable that calls serve_host()
  /// The memory limit of the process, so that a plugin with a leak fails before the machine
  /// does.
  std::size_t memory_limit = std::size_t{16} << 30;
  const std::atomic<bool>* stop = nullptr;  ///< once true, no answer is awaited any more
  /// How long to keep retrying when a process cannot be started for lack of resources that other
  /// processes may release.
  std::chrono::milliseconds start_patience{5000};
  SandboxOptions sandbox{};
  bool for_huge_tensors = false;  ///< of a HugeTrial; Host sets it when there is the first
};

struct HugeTrial;

/// A backend in its process. After a WorkerFailure the process is gone; the next request starts
/// another.
class Host {
 public:
  Host(BackendSpec spec, HostOptions options);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// True of a program behind `exec:`.
  bool is_command() const { return spec_.is_command(); }

  /// Starts the process if there is none, loads and opens the plugin.
  Result<BackendIdentity, HostFailure> start();
  Result<QueryReply, HostFailure> query(const Problem& problem);
  Result<TwoReplies, HostFailure> query_twice(const Problem& problem);
  /// Of plugins alone: programs behind `exec:` get no numbers.
  Result<UnknownReply, HostFailure> query_unknown(const Problem& problem,
                                                  const UnknownNumber& unknown);
  /// How the backend would compute `problem`, whose dst is complete, on `threads`.
  Result<PlanReply, HostFailure> describe_plan(const Problem& problem, int threads);
  Result<TrialReply, HostFailure> execute(const Trial& trial);
  /// The same of tensors that fit no ordinary memory, by a process that has room for them, and
  /// kHugePatience times as long for each request. The reply has no dst. Of plugins alone.
  Result<TrialReply, HostFailure> execute(const HugeTrial& trial);
  /// The files whose code the process has in its memory; none if there is no process.
  std::set<std::string> mapped_files() const;
  /// Closes the plugin and lets the process end by itself, if there is one; the destructor does the
  /// same. The WorkerFailure of a plugin that does not survive that, its static destructors
  /// included.
  std::optional<WorkerFailure> stop();

 private:
  class Process;
  /// What `request` gets from the process, which is started first if there is none.
  template <class Reply>
  Result<Reply, HostFailure> ask(
      const std::function<Result<Reply, WorkerFailure>(Process&)>& request);

  BackendSpec spec_;
  HostOptions options_;
  std::unique_ptr<Process> process_;
};

/// The worker's side: if a Host has started this program, confines the process and serves the
/// Host's requests, or becomes the program behind `exec:`. Then the exit code; else nothing.
std::optional<int> serve_host(int argc, char** argv);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_HOST_H_

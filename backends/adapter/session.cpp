// SPDX-License-Identifier: Apache-2.0
#include "backends/adapter/session.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "backends/adapter/guarded.h"
#include "backends/adapter/load_plugin.h"
#include "plugin_codec/plugin_problem.h"
#include "spec/check.h"
#include "spec/tensor_values.h"

namespace concord::backends {
namespace {

constexpr unsigned char kGarbage = 0x3F;  // 0.747 as f32, 1.8 as f16, 0.746 as bf16

// Steps of a linear congruential generator: Knuth's MMIX constants.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33U;
  }
  double real() { return static_cast<double>(next()) / 1073741824.0 - 1; }  // in [-1, 1)

 private:
  std::uint64_t state_;
};

double value_of(Data data, Dtype dtype, Random& random) {
  const Format& format = format_of(dtype);
  switch (data) {
    case Data::kIntegers:
      return static_cast<double>(random.next() % 17) - 8;
    case Data::kReals: {
      const double real = random.real();
      return dtype == Dtype::kF64 ? real + random.real() * 0x1p-31 : real;  // of all 53 bits
    }
    case Data::kSpecial: {
      const std::uint64_t kind = random.next() % 40;
      if (kind == 0) return std::numeric_limits<double>::quiet_NaN();
      if (kind == 1) return std::numeric_limits<double>::infinity();
      return kind == 2 ? 0 : random.real();
    }
    case Data::kTiny:
      return random.real() * std::ldexp(1.0, format.min_exponent / 2 - 2);
    case Data::kHuge:
      return random.real() * std::ldexp(1.0, format.max_exponent / 2 + 1);
  }
  return 0;
}

// Sizes in bytes of a tensor's memory.
std::size_t bytes_of(const Tensor& tensor, Dtype dtype) {
  return static_cast<std::size_t>(*element_span(tensor)) * size_of(dtype);
}

struct Memory {
  Memory(const Tensor& of, Dtype dtype, Guarded::Guard guard)
      : tensor(of), guarded(bytes_of(of, dtype), guard, kGarbage) {}

  concord_buffer buffer() const { return {guarded.data(), guarded.bytes().size()}; }
  Tensor tensor;
  Guarded guarded;
};

class Child {
 public:
  Child(const Session& session, int channel) : session_(session), channel_(channel) {}

  void run() {
    const auto loaded = load_plugin(session_.plugin);
    if (!loaded) return say("load " + loaded.why().reason);
    plugin_ = *loaded;
    char reason[CONCORD_TEXT] = "";
    const int status = plugin_->open(session_.config.c_str(), &backend_, reason);
    if (status != CONCORD_OK) return say("open " + std::to_string(status) + reason);
    problem_ = *parse(session_.problem);
    if (!query()) return;
    for (const int threads : {1, 3}) {
      execute(threads, Guarded::Guard::kAfter);
      execute(threads, Guarded::Guard::kBefore);
    }
    plugin_->close(backend_);
  }

 private:
  void say(const std::string& text) {
    const std::string line = text + "\n";
    CONCORD_CHECK(write(channel_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
  }
  void detail(const std::string& text) {
    if (!session_.bits_only) say(text);
  }

  bool query() {
    concord_answer answer{};
    answer.struct_size = sizeof answer;
    const int status = plugin_->query(backend_, PluginProblem(problem_).get(), &answer);
    say("query " + std::to_string(status));
    if (status != CONCORD_OK) return false;
    const concord_shape& shape = answer.outputs[0];
    const Extents dims(shape.dims, shape.dims + shape.rank);
    say("dst " + to_string(Tensor{dims, {}}));
    detail("accumulator " + std::to_string(answer.arithmetic.accumulator));
    if (!problem_.dst) problem_.dst = Tensor{dims, {}};
    return true;
  }

  std::vector<double> values_of(const Tensor& tensor, std::uint64_t seed) const {
    Random random(seed);
    std::vector<double> values(static_cast<std::size_t>(*element_count(tensor.dims)));
    for (double& value : values) value = value_of(session_.data, problem_.dtype, random);
    return values;
  }

  // Of each tensor the first half is the same in every set.
  void fill(const std::vector<Memory*>& inputs, int set) const {
    std::uint64_t seed = 0;
    for (const Memory* input : inputs) {
      auto values = values_of(input->tensor, ++seed);
      const auto others = values_of(input->tensor, seed + 100 * static_cast<std::uint64_t>(set));
      const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
      std::copy(others.begin() + half, others.end(), values.begin() + half);
      write_tensor(problem_.dtype, input->tensor, values, input->guarded.data());
    }
  }

  // The elements of dst as bits, and whether anything else was written.
  void report(const Memory& dst, const std::vector<Memory*>& inputs,
              const std::vector<std::vector<unsigned char>>& before) {
    const auto values = read_tensor(problem_.dtype, dst.tensor, dst.guarded.data());
    std::uint64_t hash = 1469598103934665603U;
    for (const double value : values) {
      // All NaN are one: which of them comes out is nobody's business.
      std::uint64_t bits = 0;
      if (!std::isnan(value)) std::memcpy(&bits, &value, sizeof bits);
      // Turned, since a product leaves the highest bit, the sign, where it is: two would cancel.
      hash = std::rotl(hash ^ (std::isnan(value) ? ~0ULL : bits), 31) * 1099511628211U;
    }
    say("bits " + std::to_string(hash));
    std::vector<unsigned char> erased(dst.guarded.bytes().begin(), dst.guarded.bytes().end());
    std::vector<unsigned char> untouched(erased.size(), kGarbage);
    write_tensor(problem_.dtype, dst.tensor, std::vector<double>(values.size()), erased.data());
    write_tensor(problem_.dtype, dst.tensor, std::vector<double>(values.size()), untouched.data());
    if (erased != untouched) say("wrote into a gap of dst");
    if (!dst.guarded.canaries_intact()) say("wrote around dst");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const auto now = inputs[i]->guarded.bytes();
      if (!std::equal(now.begin(), now.end(), before[i].begin())) say("wrote to an input");
    }
  }

  void call(void* handle, const std::vector<Memory*>& inputs, std::size_t workspace_bytes,
            Guarded::Guard guard) {
    const Memory dst(*problem_.dst, problem_.dtype, guard);
    // It begins at a page, so that it is aligned; what is written behind it, its canaries tell.
    const Guarded workspace(workspace_bytes, Guarded::Guard::kBefore, kGarbage);
    std::vector<concord_buffer> buffers;
    std::vector<std::vector<unsigned char>> before;
    for (const Memory* input : inputs) {
      buffers.push_back(input->buffer());
      before.emplace_back(input->guarded.bytes().begin(), input->guarded.bytes().end());
    }
    const concord_buffer output = dst.buffer();
    char reason[CONCORD_TEXT] = "";
    const concord_execution execution{sizeof execution, buffers.data(),  &output,
                                      workspace.data(), workspace_bytes, reason};
    const int status = plugin_->execute(backend_, handle, &execution);
    if (status != CONCORD_OK) return say("execute " + std::to_string(status));
    report(dst, inputs, before);
    if (!workspace.canaries_intact()) say("wrote around the workspace");
  }

  // Weights and bias are shown to prepare if `inputs` are given.
  std::optional<concord_prepared> prepare(int threads, const std::vector<Memory*>& inputs) {
    concord_prepare_options options{sizeof options, threads, {}};
    for (std::size_t i = 1; i < inputs.size(); ++i) options.data[i] = inputs[i]->guarded.data();
    concord_prepared prepared{};
    prepared.struct_size = sizeof prepared;
    const int status =
        plugin_->prepare(backend_, PluginProblem(problem_).get(), &options, &prepared);
    if (status != CONCORD_OK) {
      say("prepare " + std::to_string(status));
      return std::nullopt;
    }
    if (!session_.bits_only && prepared.workspace_bytes != 0) {
      say("workspace of " + std::to_string(prepared.workspace_bytes) + " bytes");
    }
    return prepared;
  }

  void execute(int threads, Guarded::Guard guard) {
    std::vector<std::unique_ptr<Memory>> memories;
    std::vector<Memory*> inputs;
    for (const Input input : kInputs) {
      const Tensor* tensor = input_of(problem_, input);
      if (tensor == nullptr) continue;
      memories.push_back(std::make_unique<Memory>(*tensor, problem_.dtype, guard));
      inputs.push_back(memories.back().get());
    }
    fill(inputs, 0);
    const bool shown = guard == Guarded::Guard::kBefore;
    const auto constants = shown ? inputs : std::vector<Memory*>{};
    const auto first = prepare(threads, constants);
    if (!first) return;
    const auto run = [&](const concord_prepared& prepared, int set) {
      fill(inputs, set);
      call(prepared.handle, inputs, prepared.workspace_bytes, guard);
    };
    for (int i = 0; i < session_.repetitions; ++i) run(*first, 0);
    if (!shown) run(*first, 1);
    fill(inputs, 2);
    const auto second = prepare(threads, constants);
    if (!second) return plugin_->release(backend_, first->handle);
    run(*second, 2);
    run(*first, 0);
    plugin_->release(backend_, first->handle);
    run(*second, 2);
    plugin_->release(backend_, second->handle);
  }

  const Session& session_;
  int channel_;
  const concord_plugin* plugin_ = nullptr;
  void* backend_ = nullptr;
  Problem problem_{};
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (ssize_t got = 0; (got = read(descriptor, chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::string run_session(const Session& session) {
  int channel[2];
  CONCORD_CHECK(pipe(channel) == 0);
  const pid_t child = fork();
  CONCORD_CHECK(child >= 0);
  if (child == 0) {
    close(channel[0]);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // What a dying backend prints is not of interest.
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    // A sanitizer's handlers would turn death by a signal into an exit.
    for (const int death : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) signal(death, SIG_DFL);
    alarm(2);
    Child(session, channel[1]).run();
    _exit(0);
  }
  close(channel[1]);
  std::string text = read_all(channel[0]);
  close(channel[0]);
  int status = 0;
  CONCORD_CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) text += "died of signal " + std::to_string(WTERMSIG(status));
  if (WIFEXITED(status)) text += "exited with " + std::to_string(WEXITSTATUS(status));
  return text;
}

}  // namespace concord::backends

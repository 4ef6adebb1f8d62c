// SPDX-License-Identifier: Apache-2.0
// Kernels that a device's compiler makes in the background. That takes seconds, on a busy machine
// more than one request may take, so the requests for a convolution share the waiting.
#ifndef CONCORD_BACKENDS_CLBLAST_COMPILATION_H_
#define CONCORD_BACKENDS_CLBLAST_COMPILATION_H_

#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <utility>

namespace concord::backends {

class Compilation {
 public:
  explicit Compilation(std::function<void()> compile) : compile_(std::move(compile)) {}

  /// Begins, unless that was done before.
  void begin() {
    std::call_once(begun_, [this] { done_ = std::async(std::launch::async, compile_).share(); });
  }
  /// Begins, and waits for the end, but not for long. Throws what the compilation threw.
  void wait_a_while() {
    begin();
    if (done_.wait_for(kWhile) == std::future_status::ready) done_.get();
  }
  void wait() {
    begin();
    done_.get();
  }

 private:
  static constexpr std::chrono::seconds kWhile{5};  // half of the default of --deadline

  std::function<void()> compile_;
  std::once_flag begun_;
  std::shared_future<void> done_;
};

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_CLBLAST_COMPILATION_H_

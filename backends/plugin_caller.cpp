// SPDX-License-Identifier: Apache-2.0
#include "backends/plugin_caller.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

#include "backends/adapter/load_plugin.h"
#include "plugin_codec/plugin_problem.h"

namespace concord::backends {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

void require(concord_status status, const std::string& call, const char* reason) {
  if (status == CONCORD_OK) return;
  throw std::runtime_error(call + " answers " + std::to_string(status) + ": " + reason);
}

}  // namespace

GuardedBytes::GuardedBytes(std::size_t bytes, bool flush_with_end, std::byte fill) {
  const std::size_t page = page_bytes();
  const std::size_t inner = (bytes + page - 1) / page * page;
  mapped_ = inner + 2 * page;
  void* pages = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  pages_ = static_cast<std::byte*>(pages);
  if (mprotect(pages_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  bytes_ = {pages_ + page + (flush_with_end ? inner - bytes : 0), bytes};
  std::fill(bytes_.begin(), bytes_.end(), fill);
}

GuardedBytes::~GuardedBytes() { munmap(pages_, mapped_); }

PluginCaller::PluginCaller(const std::string& path, const std::string& config) {
  const auto loaded = load_plugin(path);
  if (!loaded) throw std::runtime_error(loaded.why().reason);
  table_ = *loaded;
  char reason[CONCORD_TEXT] = "";
  require(table_->open(config.c_str(), &backend_, reason), "open", reason);
}

PluginCaller::~PluginCaller() { table_->close(backend_); }

concord_status PluginCaller::query(const Problem& problem, concord_answer& answer) {
  answer = {};
  answer.struct_size = sizeof answer;
  const PluginProblem structs(problem);
  return table_->query(backend_, structs.get(), &answer);
}

void* PluginCaller::prepare(const Problem& problem, int threads, const void* weights,
                            const void* bias) {
  const PluginProblem structs(problem);
  concord_prepare_options options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.data[1] = weights;
  options.data[2] = bias;
  concord_prepared prepared{};
  prepared.struct_size = sizeof prepared;
  require(table_->prepare(backend_, structs.get(), &options, &prepared), "prepare",
          prepared.reason);
  if (prepared.workspace_alignment > kPage) {
    throw std::runtime_error("prepare asks for an alignment of more than a page");
  }
  if (prepared.workspace_bytes != 0) workspace_bytes_[prepared.handle] = prepared.workspace_bytes;
  return prepared.handle;
}

void PluginCaller::execute(void* handle, std::span<const concord_buffer> inputs,
                           concord_buffer dst) {
  char reason[CONCORD_TEXT] = "";
  concord_execution execution{};
  execution.struct_size = sizeof execution;
  execution.inputs = inputs.data();
  execution.outputs = &dst;
  execution.reason = reason;
  std::vector<std::byte> memory;
  if (const auto found = workspace_bytes_.find(handle); found != workspace_bytes_.end()) {
    memory.resize(found->second + kPage);
    void* aligned = memory.data();
    std::size_t space = memory.size();
    execution.workspace = std::align(kPage, found->second, aligned, space);
    execution.workspace_bytes = found->second;
  }
  require(table_->execute(backend_, handle, &execution), "execute", reason);
}

}  // namespace concord::backends

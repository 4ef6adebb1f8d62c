// SPDX-License-Identifier: Apache-2.0
#include "experiments/backend.h"

#include <memory>
#include <stdexcept>

#include "backends/adapter/load_plugin.h"
#include "plugin_codec/plugin_problem.h"
#include "spec/check.h"

namespace concord::experiments {
namespace {

// Random scales make new problems in every step of a training: more handles than this are dropped.
constexpr std::size_t kMostHandles = 512;

void require(concord_status status, const std::string& what, const char* reason) {
  if (status == CONCORD_OK) return;
  throw std::runtime_error(what + " (status " + std::to_string(status) + "): " + reason);
}

concord_buffer buffer_of(const Values& values) {
  // Inputs are not written, although the header's buffers are of both kinds.
  return {const_cast<float*>(values.at.data()), values.at.size() * sizeof(float)};
}

}  // namespace

Values::Values(Extents shape) : dims(std::move(shape)) {
  at.resize(static_cast<std::size_t>(element_count(dims).value()));
}

Backend::Backend(const std::string& path, int threads) : threads_(threads) {
  const auto loaded = backends::load_plugin(path);
  if (!loaded) throw std::runtime_error(loaded.why().reason);
  table_ = *loaded;
  char reason[CONCORD_TEXT] = "";
  require(table_->open("", &backend_, reason), "cannot open " + path, reason);
  name_ = std::string(table_->name) + " " + table_->version;
}

Backend::~Backend() {
  forget();
  table_->close(backend_);
}

void Backend::forget() {
  for (const auto& [text, prepared] : prepared_) table_->release(backend_, prepared.handle);
  prepared_.clear();
}

Backend::Prepared Backend::prepare(Problem problem) {
  Prepared result;
  concord_answer answer{};
  answer.struct_size = sizeof answer;
  const std::string text = print(problem);
  require(table_->query(backend_, PluginProblem(problem).get(), &answer), text, answer.reason);
  const concord_shape& shape = answer.outputs[0];
  result.dst_dims.assign(shape.dims, shape.dims + shape.rank);
  problem.dst = Tensor{result.dst_dims, {}};
  concord_prepare_options options{};
  options.struct_size = sizeof options;
  options.threads = threads_;
  concord_prepared made{};
  made.struct_size = sizeof made;
  require(table_->prepare(backend_, PluginProblem(problem).get(), &options, &made), text,
          made.reason);
  result.handle = made.handle;
  result.workspace_bytes = made.workspace_bytes;
  if (made.workspace_alignment != 0) result.alignment = made.workspace_alignment;
  return result;
}

const Backend::Prepared& Backend::prepared(Problem problem) {
  std::string text = print(problem);
  const auto found = prepared_.find(text);
  if (found != prepared_.end()) return found->second;
  if (prepared_.size() >= kMostHandles) forget();
  return prepared_.emplace(std::move(text), prepare(std::move(problem))).first->second;
}

Values Backend::run(Problem problem, const std::vector<const Values*>& inputs) {
  const std::string text = print(problem);
  const Prepared& found = prepared(std::move(problem));
  Values dst(found.dst_dims);
  std::vector<concord_buffer> buffers;
  buffers.reserve(inputs.size());
  for (const Values* input : inputs) buffers.push_back(buffer_of(*input));
  const concord_buffer output = buffer_of(dst);
  last_workspace_ = found.workspace_bytes;
  workspace_.resize(found.workspace_bytes + found.alignment);
  void* workspace = workspace_.data();
  std::size_t room = workspace_.size();
  CONCORD_CHECK(std::align(found.alignment, found.workspace_bytes, workspace, room) != nullptr)
      << "no aligned workspace";
  char reason[CONCORD_TEXT] = "";
  const concord_execution execution{sizeof execution, buffers.data(),        &output,
                                    workspace,        found.workspace_bytes, reason};
  require(table_->execute(backend_, found.handle, &execution), text, reason);
  return dst;
}

}  // namespace concord::experiments

// SPDX-License-Identifier: Apache-2.0
#include "backends/plugin_caller.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace concord::backends {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

int32_t door_dtype(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return CONCORD_F32;
    case Dtype::kF16:
      return CONCORD_F16;
    case Dtype::kBF16:
      return CONCORD_BF16;
  }
  return 0;
}

concord_list door_list(const Extents& values) {
  concord_list list{};
  list.size = static_cast<int32_t>(values.size());
  std::copy(values.begin(), values.end(), list.at);
  return list;
}

concord_tensor door_tensor(Dtype dtype, const Tensor& tensor) {
  concord_tensor result{};
  result.dtype = door_dtype(dtype);
  result.rank = static_cast<int32_t>(tensor.rank());
  const Extents strides = strides_of(tensor);
  std::copy(tensor.dims.begin(), tensor.dims.end(), result.dims);
  std::copy(strides.begin(), strides.end(), result.strides);
  return result;
}

concord_convolution door_convolution(const SpatialAttributes& from, WeightsFormat weights) {
  concord_convolution to{};
  to.struct_size = sizeof to;
  to.strides = door_list(from.strides);
  to.pads_begin = door_list(from.pads_begin);
  to.pads_end = door_list(from.pads_end);
  to.dilations = door_list(from.dilations);
  to.auto_pad = static_cast<int32_t>(from.auto_pad);
  to.data_format = static_cast<int32_t>(from.data_format);
  to.weights_format = static_cast<int32_t>(weights);
  to.groups = from.groups;
  return to;
}

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

DoorProblem::DoorProblem(const Problem& problem) {
  inputs_ = {door_tensor(problem.dtype, problem.src), door_tensor(problem.dtype, problem.weights)};
  if (problem.bias) inputs_.push_back(door_tensor(problem.dtype, *problem.bias));
  output_ = door_tensor(problem.dtype, problem.dst.value_or(Tensor{}));
  const WeightsFormat weights = weights_format_of(problem);
  if (const auto* one = std::get_if<Convolution1Attributes>(&problem.attributes)) {
    convolution_ = door_convolution(*one, weights);
  } else if (const auto* other = std::get_if<ConvolutionAttributes>(&problem.attributes)) {
    convolution_ = door_convolution(*other, weights);
  } else if (const auto* atrous = std::get_if<AtrousConv2dAttributes>(&problem.attributes)) {
    atrous_ = {sizeof atrous_, atrous->rate, atrous->padding == TfPadding::kSame};
  }
  problem_.struct_size = sizeof problem_;
  problem_.operation = CONCORD_CONVOLUTION_1 + static_cast<int32_t>(problem.operation());
  problem_.reading = static_cast<int32_t>(problem.reading);
  problem_.num_inputs = static_cast<int32_t>(inputs_.size());
  problem_.num_outputs = 1;
  problem_.inputs = inputs_.data();
  problem_.outputs = &output_;
  problem_.attributes = &convolution_;
  if (problem.operation() == Operation::kAtrousConv2d) problem_.attributes = &atrous_;
}

PluginCaller::PluginCaller(const std::string& path, const std::string& config)
    : library_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) throw std::runtime_error(dlerror());
  const auto entry =
      reinterpret_cast<concord_plugin_v1_function>(dlsym(library_, CONCORD_PLUGIN_SYMBOL));
  if (entry == nullptr) throw std::runtime_error(path + " exports no " CONCORD_PLUGIN_SYMBOL);
  table_ = entry();
  char reason[CONCORD_TEXT] = "";
  require(table_->open(config.c_str(), &backend_, reason), "open", reason);
}

// The library stays loaded: threads of its runtimes may still be about.
PluginCaller::~PluginCaller() { table_->close(backend_); }

concord_status PluginCaller::query(const Problem& problem, concord_answer& answer) {
  answer = {};
  answer.struct_size = sizeof answer;
  const DoorProblem door(problem);
  return table_->query(backend_, &door.get(), &answer);
}

void* PluginCaller::prepare(const Problem& problem, int threads, const void* weights,
                            const void* bias) {
  const DoorProblem door(problem);
  concord_prepare_options options{};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.data[1] = weights;
  options.data[2] = bias;
  concord_prepared prepared{};
  prepared.struct_size = sizeof prepared;
  require(table_->prepare(backend_, &door.get(), &options, &prepared), "prepare", prepared.reason);
  if (prepared.workspace_bytes != 0) throw std::runtime_error("prepare asks for a workspace");
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
  require(table_->execute(backend_, handle, &execution), "execute", reason);
}

}  // namespace concord::backends

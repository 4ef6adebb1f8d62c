// SPDX-License-Identifier: Apache-2.0
// The functions of the plugin's table: they check what the host hands in, turn it into C++, and let
// nothing thrown go out.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>

#include "backends/adapter/adapter.h"
#include "plugin_codec/plugin_problem.h"
#include "plugin_codec/problem_from_plugin.h"

namespace concord::backends {
namespace {

// What the plugin ABI's backend and handle point to.
struct OpenedBackend {
  std::unique_ptr<Backend> backend;
};

struct PreparedProblem {
  std::unique_ptr<Prepared> prepared;
  std::size_t alignment;  // of an element
  // Where among the plugin ABI's inputs each of kInputs is, and its bytes as shape and strides say.
  std::array<std::optional<std::size_t>, std::size(kInputs)> places{};
  std::array<std::size_t, std::size(kInputs)> bytes{};
  std::size_t dst_bytes = 0;
};

concord_status refuse(const Refused& refused, char* reason) {
  put_text(refused.reason, reason);
  const bool is_refusal = refused.status == CONCORD_UNSUPPORTED ||
                          refused.status == CONCORD_INVALID || refused.status == CONCORD_FAULT;
  return is_refusal ? refused.status : CONCORD_FAULT;
}

concord_status host_broke(const std::string& what, char* reason) {
  return refuse({CONCORD_FAULT, "the host violated the plugin ABI: " + what}, reason);
}

// Runs `body`, which returns a status; whatever it throws becomes CONCORD_FAULT.
template <class Body>
concord_status guarded(char* reason, Body body) noexcept {
  // Making a sentence can run out of memory too: then there is none.
  try {
    try {
      return body();
    } catch (const std::exception& thrown) {
      return refuse({CONCORD_FAULT, std::string("exception: ") + thrown.what()}, reason);
    } catch (...) {
      return refuse({CONCORD_FAULT, "exception of an unknown type"}, reason);
    }
  } catch (...) {
    return CONCORD_FAULT;
  }
}

concord_status query_backend(void* backend, const concord_problem* from, concord_answer* answer) {
  if (answer == nullptr || answer->struct_size < sizeof *answer) return CONCORD_FAULT;
  return guarded(answer->reason, [&] {
    if (backend == nullptr) return host_broke("backend is null", answer->reason);
    if (from == nullptr) return host_broke("problem is null", answer->reason);
    const auto problem = problem_from_plugin(*from);
    if (!problem) return refuse(problem.why(), answer->reason);
    auto said = static_cast<OpenedBackend*>(backend)->backend->query(*problem);
    if (!said) return refuse(said.why(), answer->reason);
    const Answer& served = *said;
    if (served.dst_dims.size() > CONCORD_MAX_RANK) {
      return refuse({CONCORD_FAULT, "dst has more than 8 dimensions"}, answer->reason);
    }
    answer->outputs[0].rank = static_cast<int32_t>(served.dst_dims.size());
    std::copy(served.dst_dims.begin(), served.dst_dims.end(), answer->outputs[0].dims);
    answer->arithmetic = served.arithmetic;
    answer->same_bits_any_threads = served.same_bits_any_threads ? 1 : 0;
    answer->bits_vary_by_run = served.bits_vary_by_run ? 1 : 0;
    put_text(served.adapter_part, answer->adapter_part);
    put_text(served.implementation, answer->implementation);
    return concord_status{CONCORD_OK};
  });
}

// The bytes from the first to the last element; nothing if that is no number.
std::optional<std::size_t> bytes_of(const Tensor& tensor, Dtype dtype) {
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.dims.size()) return std::nullopt;
  const auto span = element_span(tensor);
  const auto limit = static_cast<Extent>(std::numeric_limits<Extent>::max() / 4);
  if (!span || *span > limit) return std::nullopt;
  return static_cast<std::size_t>(*span) * size_of(dtype);
}

std::optional<Refused> measure(const Problem& problem, PreparedProblem& made) {
  const auto bytes = [&](const Tensor& tensor, std::size_t& to) -> std::optional<Refused> {
    const auto count = bytes_of(tensor, problem.dtype);
    if (!count) return invalid("a tensor of shape " + to_string(tensor) + " has no size");
    to = *count;
    return std::nullopt;
  };
  for (const Input input : kInputs) {
    const auto index = static_cast<std::size_t>(input);
    made.places[index] = place_of(problem, input);
    if (!made.places[index]) continue;
    if (auto no = bytes(*input_of(problem, input), made.bytes[index])) return no;
  }
  made.alignment = size_of(problem.dtype);
  return bytes(*problem.dst, made.dst_bytes);
}

concord_status prepare_problem(void* backend, const concord_problem* from,
                               const concord_prepare_options* options, concord_prepared* prepared) {
  if (prepared == nullptr || prepared->struct_size < sizeof *prepared) return CONCORD_FAULT;
  char* reason = prepared->reason;
  return guarded(reason, [&] {
    if (backend == nullptr) return host_broke("backend is null", reason);
    if (from == nullptr) return host_broke("problem is null", reason);
    if (options == nullptr || options->struct_size < sizeof *options) {
      return host_broke("no prepare options", reason);
    }
    if (options->threads < 1) {
      return host_broke("threads is " + std::to_string(options->threads), reason);
    }
    const auto read = problem_from_plugin(*from);
    if (!read) return refuse(read.why(), reason);
    const auto& problem = *read;
    if (!problem.dst) return host_broke("dst has no shape in prepare", reason);
    auto made = std::make_unique<PreparedProblem>();
    if (const auto no = measure(problem, *made)) return refuse(*no, reason);
    const PrepareOptions given{options->threads,
                               has_weights(problem.operation()) ? options->data[1] : nullptr,
                               problem.bias ? options->data[2] : nullptr};
    auto answer = static_cast<OpenedBackend*>(backend)->backend->prepare(problem, given);
    if (!answer) return refuse(answer.why(), reason);
    made->prepared = *std::move(answer);
    if (made->prepared == nullptr) {
      return refuse({CONCORD_FAULT, "prepare returned no plan"}, reason);
    }
    prepared->workspace_bytes = made->prepared->workspace_bytes;
    prepared->workspace_alignment = made->prepared->workspace_alignment;
    prepared->handle = made.release();
    return concord_status{CONCORD_OK};
  });
}

// One buffer against what the problem's shape says of it.
std::optional<Refused> check_buffer(const concord_buffer& buffer, std::size_t bytes,
                                    std::size_t alignment, const std::string& name) {
  std::string what;
  if (buffer.bytes != bytes) {
    what = std::to_string(buffer.bytes) + " bytes, but its shape says " + std::to_string(bytes);
  } else if (bytes > 0 && buffer.data == nullptr) {
    what = "no memory";
  } else if (bytes > 0 && reinterpret_cast<std::uintptr_t>(buffer.data) % alignment != 0) {
    what = "memory that is not aligned for its dtype";
  }
  if (what.empty()) return std::nullopt;
  return Refused{CONCORD_FAULT, "the host violated the plugin ABI: " + name + " has " + what};
}

std::optional<Refused> check_workspace(const Prepared& prepared,
                                       const concord_execution& execution) {
  const std::size_t bytes = prepared.workspace_bytes;
  const std::size_t alignment =
      prepared.workspace_alignment == 0 ? 64 : prepared.workspace_alignment;
  if (bytes == 0) return std::nullopt;
  const bool fits = execution.workspace != nullptr && execution.workspace_bytes >= bytes;
  if (fits && reinterpret_cast<std::uintptr_t>(execution.workspace) % alignment == 0) {
    return std::nullopt;
  }
  return Refused{CONCORD_FAULT, "the host violated the plugin ABI: no workspace of " +
                                    std::to_string(bytes) + " bytes aligned to " +
                                    std::to_string(alignment)};
}

concord_status execute_problem(void* backend, void* handle, const concord_execution* execution) {
  if (execution == nullptr || execution->struct_size < sizeof *execution) return CONCORD_FAULT;
  char* reason = execution->reason;
  return guarded(reason, [&] {
    if (backend == nullptr || handle == nullptr) return host_broke("no handle", reason);
    if (execution->inputs == nullptr || execution->outputs == nullptr) {
      return host_broke("no buffers", reason);
    }
    const auto& made = *static_cast<PreparedProblem*>(handle);
    std::array<concord_buffer, std::size(kInputs)> inputs{};
    for (const Input input : kInputs) {
      const auto index = static_cast<std::size_t>(input);
      if (!made.places[index]) continue;
      inputs[index] = execution->inputs[*made.places[index]];
      if (const auto no = check_buffer(inputs[index], made.bytes[index], made.alignment,
                                       std::string(to_string(input)))) {
        return refuse(*no, reason);
      }
    }
    const Buffers buffers{
        inputs[0], inputs[1], inputs[2], execution->outputs[0], execution->workspace, inputs[3]};
    if (const auto no = check_buffer(buffers.dst, made.dst_bytes, made.alignment, "dst")) {
      return refuse(*no, reason);
    }
    if (const auto no = check_workspace(*made.prepared, *execution)) return refuse(*no, reason);
    if (const auto no = made.prepared->execute(buffers)) return refuse(*no, reason);
    return concord_status{CONCORD_OK};
  });
}

concord_status describe_plan(void* backend, const concord_problem* from,
                             const concord_prepare_options* options, char* text, std::size_t size) {
  if (text == nullptr || size < CONCORD_TEXT) return CONCORD_FAULT;
  text[0] = '\0';
  return guarded(text, [&] {
    if (backend == nullptr) return host_broke("backend is null", text);
    if (from == nullptr) return host_broke("problem is null", text);
    if (options == nullptr || options->struct_size < sizeof *options || options->threads < 1) {
      return host_broke("no prepare options", text);
    }
    const auto problem = problem_from_plugin(*from);
    if (!problem) return refuse(problem.why(), text);
    const auto said =
        static_cast<OpenedBackend*>(backend)->backend->describe_plan(*problem, options->threads);
    if (!said) return refuse(said.why(), text);
    const auto& lines = *said;
    text[lines.copy(text, size - 1)] = '\0';
    return concord_status{CONCORD_OK};
  });
}

void release_problem(void* /*backend*/, void* handle) {
  delete static_cast<PreparedProblem*>(handle);
}

void close_backend(void* backend) { delete static_cast<OpenedBackend*>(backend); }

}  // namespace

void put_text(const std::string& text, char* to) {
  if (to == nullptr) return;
  std::size_t size = std::min(text.size(), std::size_t{CONCORD_TEXT - 1});
  if (size < text.size()) {
    // Bytes 10xxxxxx continue a character: step back to where one begins.
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  }
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size), to, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  });
  to[size] = '\0';
}

concord_status open_backend(OpenBackend open, const char* config, void** backend, char* reason) {
  return guarded(reason, [&] {
    if (backend == nullptr) return host_broke("backend is null", reason);
    *backend = nullptr;
    auto made = open(config == nullptr ? "" : config);
    if (!made) return refuse(made.why(), reason);
    auto opened = std::make_unique<OpenedBackend>();
    opened->backend = *std::move(made);
    if (opened->backend == nullptr) {
      return refuse({CONCORD_FAULT, "open returned no backend"}, reason);
    }
    *backend = opened.release();
    return concord_status{CONCORD_OK};
  });
}

concord_plugin make_plugin(const char* name, const char* version,
                           concord_status (*open)(const char*, void**, char*)) {
  concord_plugin plugin{};
  plugin.abi = CONCORD_ABI;
  plugin.struct_size = sizeof plugin;
  plugin.name = name;
  plugin.version = version;
  plugin.open = open;
  plugin.close = close_backend;
  plugin.query = query_backend;
  plugin.prepare = prepare_problem;
  plugin.execute = execute_problem;
  plugin.release = release_problem;
  plugin.describe_plan = describe_plan;
  return plugin;
}

}  // namespace concord::backends

// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/exec_messages.h"

#include <cstdint>
#include <string>

#include "conformance/worker/dst_check.h"

namespace concord::conformance {

Json memory_object(const Problem& problem, const Arena& arena, const std::string& path, Side side) {
  const auto place = [&](Slot slot, const Tensor& tensor) -> Json {
    const std::size_t bytes = bytes_of(problem.dtype, tensor);
    const Place at = tensor_place(bytes, side, size_of(problem.dtype));
    return {{"offset", arena.offset_of(slot, at)}, {"bytes", bytes}};
  };
  Json inputs = Json::array();
  for (const Input input : kInputs) {
    const Tensor* tensor = input_of(problem, input);
    if (tensor != nullptr) inputs.push_back(place(slot_of(input), *tensor));
  }
  Json outputs = Json::array();
  outputs.push_back(place(Slot::kDst, problem.dst.value_or(Tensor{})));
  return {{"path", path}, {"inputs", inputs}, {"outputs", outputs}};
}

void write_long_integers_as_strings(Json& message) {
  constexpr std::int64_t kLargest = (std::int64_t{1} << 53) - 1;
  if (message.is_structured()) {
    for (Json& part : message) write_long_integers_as_strings(part);
  } else if (message.is_number_unsigned()) {
    const auto value = message.get<std::uint64_t>();
    if (value > static_cast<std::uint64_t>(kLargest)) message = std::to_string(value);
  } else if (message.is_number_integer()) {
    const auto value = message.get<std::int64_t>();
    if (value < -kLargest || value > kLargest) message = std::to_string(value);
  }
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/messages.h"

#include <charconv>
#include <cstring>

#include "conformance/record/json_integer.h"
#include "conformance/worker/arguments.h"

namespace concord::conformance {

std::string to_line(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json from_line(const std::string& line) { return Json::parse(line, nullptr, false); }

Json to_message(const Confinement& made) {
  return {{"sandbox", static_cast<int>(made.level)}, {"sandbox_lack", made.lack}};
}

Confinement confinement_from(const Json& started) {
  const auto level = integer_from<std::size_t>(started.at("sandbox"), "sandbox");
  return {static_cast<SandboxLevel>(std::min(level, kWords<SandboxLevel>.size() - 1)),
          started.at("sandbox_lack").get<std::string>()};
}

Json fault_message(const std::string& reason) {
  return {{"status", CONCORD_FAULT}, {"reason", reason}, {"breaks_abi", true}};
}

std::string text_of(const char* text) { return {text, strnlen(text, CONCORD_TEXT)}; }

namespace {

// A number, or a string of digits from programs whose numbers are doubles.
Extent extent_from(const Json& json, const std::string& name) {
  if (!json.is_string()) return integer_from<Extent>(json, name);
  const auto& text = json.get_ref<const std::string&>();
  Extent value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return integer_from<Extent>(error == std::errc{} && stop == end ? Json(value) : json, name);
}

}  // namespace

namespace {

// What an answer that serves the problem says and cannot mean.
std::optional<std::string> fault_of_served(const concord_answer& answer) {
  const std::int32_t rank = answer.outputs[0].rank;
  if (rank < 0 || rank > CONCORD_MAX_RANK) {
    return "query says that dst has " + std::to_string(rank) + " dimensions; expected 0 to " +
           std::to_string(CONCORD_MAX_RANK);
  }
  for (const auto& [name, flag] : {std::pair("same_bits_any_threads", answer.same_bits_any_threads),
                                   std::pair("bits_vary_by_run", answer.bits_vary_by_run)}) {
    if (flag == 0 || flag == 1) continue;
    return std::string("query says that ") + name + " is " + std::to_string(flag) +
           "; expected 0 or 1";
  }
  return std::nullopt;
}

}  // namespace

Json to_message(concord_status status, const concord_answer& answer) {
  const concord_shape& dst = answer.outputs[0];
  if (status == CONCORD_OK) {
    if (const auto fault = fault_of_served(answer)) return fault_message(*fault);
  }
  for (const auto& [name, text] :
       {std::pair("query's reason", answer.reason), std::pair("adapter_part", answer.adapter_part),
        std::pair("implementation", answer.implementation)}) {
    if (const auto fault = fault_of_text(name, text)) return fault_message(*fault);
  }
  Json message = {{"status", status}};
  add(message, "reason", text_of(answer.reason));
  if (status != CONCORD_OK) return message;
  message["dst_dims"] = Extents(dst.dims, dst.dims + dst.rank);
  const concord_arithmetic& a = answer.arithmetic;
  Json arithmetic;
  add(arithmetic, "input_precision", a.input_precision);
  add(arithmetic, "accumulator", a.accumulator);
  add(arithmetic, "accumulator_rounding", a.accumulator_rounding);
  add(arithmetic, "output_rounding", a.output_rounding);
  add(arithmetic, "flushes_subnormals", a.flushes_subnormals);
  add(arithmetic, "algorithm", a.algorithm);
  add(arithmetic, "bias", a.bias);
  add(arithmetic, "zero_weights", a.zero_weights);
  add(arithmetic, "reserved", a.reserved[0] != 0 ? a.reserved[0] : a.reserved[1]);
  add(message, "arithmetic", std::move(arithmetic));
  add(message, "same_bits_any_threads", answer.same_bits_any_threads != 0);
  add(message, "bits_vary_by_run", answer.bits_vary_by_run != 0);
  add(message, "adapter_part", text_of(answer.adapter_part));
  add(message, "implementation", text_of(answer.implementation));
  return message;
}

int status_of(const Json& message) { return integer_from<int>(message.at("status"), "status"); }

QueryReply query_reply_from(const Json& message) {
  QueryReply reply{};
  reply.status = status_of(message);
  reply.reason = message.value("reason", "");
  if (const auto dims = message.find("dst_dims"); dims != message.end()) {
    for (const Json& extent : dims->get<std::vector<Json>>()) {
      reply.dst_dims.push_back(extent_from(extent, "dst_dims"));
    }
  }
  const auto a = message.value("arithmetic", Json::object_t{});
  const auto field = [&](const std::string& name) {
    const auto found = a.find(name);
    return found == a.end() ? 0 : integer_from<std::int32_t>(found->second, name);
  };
  reply.arithmetic.input_precision = field("input_precision");
  reply.arithmetic.accumulator = field("accumulator");
  reply.arithmetic.accumulator_rounding = field("accumulator_rounding");
  reply.arithmetic.output_rounding = field("output_rounding");
  reply.arithmetic.flushes_subnormals = field("flushes_subnormals");
  reply.arithmetic.algorithm = field("algorithm");
  reply.arithmetic.bias = field("bias");
  reply.arithmetic.zero_weights = field("zero_weights");
  reply.arithmetic.reserved[0] = field("reserved");
  reply.same_bits_any_threads = message.value("same_bits_any_threads", false);
  reply.bits_vary_by_run = message.value("bits_vary_by_run", false);
  reply.adapter_part = message.value("adapter_part", "");
  reply.implementation = message.value("implementation", "");
  return reply;
}

}  // namespace concord::conformance

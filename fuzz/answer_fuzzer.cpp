// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a program behind `exec:`, or a worker, answers to query: they fall into lines
// however they are cut, and a line is an answer or an exception that the host takes for a breach of
// the protocol.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/arithmetic/arithmetic.h"
#include "conformance/worker/channel.h"
#include "conformance/worker/messages.h"
#include "spec/check.h"

namespace concord::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece) {
  conformance::LineBuffer buffer;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    buffer.append(bytes.substr(at, piece));
    while (auto line = buffer.take_line()) lines.push_back(std::move(*line));
  }
  return lines;
}

void check_answer(std::string_view bytes) {
  const auto lines = lines_of(bytes, bytes.size());
  CONCORD_CHECK(lines == lines_of(bytes, 1) && lines == lines_of(bytes, 7));
  for (const std::string& line : lines) {
    const auto message = conformance::from_line(line);
    if (!message.is_object()) continue;
    CONCORD_CHECK(conformance::from_line(conformance::to_line(message)) == message) << line;
    try {
      const auto reply = conformance::query_reply_from(message);
      if (!conformance::find_unknown(reply.arithmetic)) conformance::print(reply.arithmetic);
    } catch (const conformance::Json::exception&) {
      continue;
    }
  }
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_answer({reinterpret_cast<const char*>(data), size});
  return 0;
}

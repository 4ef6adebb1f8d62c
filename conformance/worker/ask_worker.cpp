// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/ask_worker.h"

#include <string>
#include <string_view>

namespace concord::conformance {

std::optional<WorkerFailure> ask_worker(Conversation& conversation, Stage stage, Json request,
                                        const std::function<void(const Json&)>& read) {
  auto answer = conversation.ask(stage, std::move(request));
  if (!answer) return std::move(answer).why();
  const Json& message = *answer;
  try {
    if (message.contains("thrown")) {
      return conversation.end(stage,
                              "an exception escaped: " + message.at("thrown").get<std::string>());
    }
    if (message.contains("failure") && stage != Stage::kStart && stage != Stage::kLoad) {
      return conversation.end(stage, message.at("failure").get<std::string>());
    }
    read(message);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception.type_error.302] type must ..."
    const std::size_t begin = what.find("] ");
    return conversation.refuse_answer(
        stage, std::string(what.substr(begin == std::string_view::npos ? 0 : begin + 2)));
  }
  return std::nullopt;
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/worker/ask_worker.h"

#include <string>
#include <string_view>
#include <utility>

namespace concord::conformance {
namespace {

std::optional<WorkerFailure> read_answer(Conversation& conversation,
                                         const std::vector<Question>& questions, std::size_t which,
                                         const Json& message) {
  const Stage stage = questions[which].stage;
  try {
    if (message.contains("thrown")) {
      return conversation.end(stage,
                              "an exception escaped: " + message.at("thrown").get<std::string>());
    }
    if (message.contains("failure") && stage != Stage::kStart && stage != Stage::kLoad) {
      return conversation.end(stage, message.at("failure").get<std::string>());
    }
    questions[which].read(message);
  } catch (const Json::exception& error) {
    const std::string_view what = error.what();  // "[json.exception.type_error.302] type must ..."
    const std::size_t begin = what.find("] ");
    std::vector<Stage> stages;
    for (std::size_t i = which; i < questions.size(); ++i) stages.push_back(questions[i].stage);
    return conversation.refuse_answer(
        stages, std::string(what.substr(begin == std::string_view::npos ? 0 : begin + 2)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<WorkerFailure> ask_worker(Conversation& conversation,
                                        std::vector<Question> questions) {
  std::vector<Conversation::Request> requests;
  requests.reserve(questions.size());
  for (Question& question : questions) {
    requests.push_back({question.stage, std::move(question.request)});
  }
  auto answers = conversation.ask(std::move(requests));
  if (!answers) return std::move(answers).why();
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (auto failure = read_answer(conversation, questions, i, (*answers)[i])) return failure;
  }
  return std::nullopt;
}

std::optional<WorkerFailure> ask_worker(Conversation& conversation, Question question) {
  std::vector<Question> questions;
  questions.push_back(std::move(question));
  return ask_worker(conversation, std::move(questions));
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
// The messages between host and worker: a line of JSON for every call through the plugin ABI, and a
// line for its result.
#ifndef CONCORD_CONFORMANCE_WORKER_MESSAGES_H_
#define CONCORD_CONFORMANCE_WORKER_MESSAGES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "conformance/worker/host.h"

namespace concord::conformance {

using Json = nlohmann::json;

/// Adds a field, unless its value is the one that a reader takes where there is none: zero, false
/// or empty. Most fields of most messages are, and each costs about a microsecond on its way.
template <class Value>
void add(Json& message, const char* name, Value value) {
  if (value != Value{}) message[name] = std::move(value);
}

/// What stands for a second answer that is the same as the first.
inline constexpr const char* kTheSame = "the same";

/// One line of text; bytes that are not UTF-8 are replaced.
std::string to_line(const Json& message);
/// Reads a line; not an object if the line is not a JSON object.
Json from_line(const std::string& line);

/// How far a process is confined, as the answer of "start", and back.
/// Errors  confinement_from throws nlohmann::json::exception for another message's fields
Json to_message(const Confinement& made);
Confinement confinement_from(const Json& started);

/// The answer to a call that broke the plugin ABI.
Json fault_message(const std::string& reason);

/// The text in a buffer of CONCORD_TEXT bytes, terminated or not.
std::string text_of(const char* text);

/// The result of a call: a concord_status, or any other integer.
/// Errors  throws nlohmann::json::exception if there is no such integer
int status_of(const Json& message);

/// The answer of query() as a message, and back.
/// Errors  from_message throws nlohmann::json::exception for another message's fields
Json to_message(concord_status status, const concord_answer& answer);
QueryReply query_reply_from(const Json& message);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_MESSAGES_H_

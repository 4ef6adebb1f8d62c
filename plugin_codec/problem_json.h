// SPDX-License-Identifier: Apache-2.0
// A Problem as the JSON object of the exec protocol. docs/exec_protocol.md is written for its
// readers.
#ifndef CONCORD_PLUGIN_CODEC_PROBLEM_JSON_H_
#define CONCORD_PLUGIN_CODEC_PROBLEM_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "spec/problem.h"

namespace concord {

/// The problem as an object: its line under "text", and every part of it by name.
nlohmann::json problem_object(const Problem& problem);

}  // namespace concord

#endif  // CONCORD_PLUGIN_CODEC_PROBLEM_JSON_H_

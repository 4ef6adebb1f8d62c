// SPDX-License-Identifier: Apache-2.0
// Makes a backend's text safe to print: foreign text must not control a terminal or look like a
// line of ours.
#ifndef CONCORD_CONFORMANCE_WORKER_VISIBLE_H_
#define CONCORD_CONFORMANCE_WORKER_VISIBLE_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace concord::conformance {

enum class Newlines { kWrittenOut, kKept };

/// The text with control characters, marks that change the direction of writing, and bytes that are
/// not UTF-8 written out: "\x1b[31m", "\u202e".
std::string visible(std::string_view text, Newlines newlines = Newlines::kWrittenOut);

/// Makes every text in `answer` visible; the one named "text", a plan of several lines, keeps them.
void make_visible(nlohmann::json& answer);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_VISIBLE_H_

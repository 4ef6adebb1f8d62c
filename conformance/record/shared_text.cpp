// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/shared_text.h"

#include <mutex>
#include <unordered_set>

namespace concord::conformance {
namespace {

const std::string* shared(std::string_view text) {
  static std::mutex mutex;
  static auto& texts = *new std::unordered_set<std::string>();  // whoever ends last may read them
  const std::lock_guard lock(mutex);
  return &*texts.emplace(text).first;
}

}  // namespace

SharedText::SharedText(std::string_view text) : text_(text.empty() ? nullptr : shared(text)) {}

const std::string& SharedText::text() const {
  static const std::string kNone;
  return text_ == nullptr ? kNone : *text_;
}

}  // namespace concord::conformance

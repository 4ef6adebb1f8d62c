// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/shared_text.h"

#include <mutex>
#include <unordered_map>

namespace concord::conformance {
namespace {

/// Each key is the text of the value.
struct Texts {
  std::mutex mutex{};
  std::unordered_map<std::string_view, std::weak_ptr<const std::string>> all{};
};

Texts& texts() {
  static Texts texts;
  return texts;
}

/// A text that takes itself out of the list of all texts, for which it locks that.
struct Kept {
  explicit Kept(std::string_view copied) : text(copied) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    const std::lock_guard lock(texts().mutex);
    const auto found = texts().all.find(text);
    // Since the last one let go of it, another copy may have taken its place.
    if (found != texts().all.end() && found->first.data() == text.data()) texts().all.erase(found);
  }
  const std::string text;
};

std::shared_ptr<const std::string> find(std::string_view text) {
  const auto found = texts().all.find(text);
  return found == texts().all.end() ? nullptr : found->second.lock();
}

std::shared_ptr<const std::string> shared(std::string_view text) {
  {
    const std::lock_guard lock(texts().mutex);
    if (auto known = find(text)) return known;
  }
  const auto kept = std::make_shared<const Kept>(text);  // goes after the lock does
  std::shared_ptr<const std::string> made(kept, &kept->text);
  const std::lock_guard lock(texts().mutex);
  if (auto known = find(text)) return known;
  texts().all.erase(text);
  texts().all.emplace(kept->text, made);
  return made;
}

}  // namespace

SharedText::SharedText(std::string_view text) : text_(text.empty() ? nullptr : shared(text)) {}

const std::string& SharedText::text() const {
  static const std::string kNone;
  return text_ == nullptr ? kNone : *text_;
}

std::size_t shared_texts() {
  const std::lock_guard lock(texts().mutex);
  return texts().all.size();
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/record/shared_text.h"

#include <mutex>
#include <unordered_map>

namespace concord::conformance {
namespace {

struct Owners {
  std::weak_ptr<const std::string> latest{};
  int number = 0;  ///< that have not been forgotten; all but the latest are about to be
};

/// Each text is a key, which stays where it is.
struct Texts {
  std::mutex mutex{};
  std::unordered_map<std::string, Owners> all{};
};

Texts& texts() {
  static Texts& texts = *new Texts();  // results may be the last to be destroyed
  return texts;
}

// Nobody has the text by this owner any more; by another one, somebody may have it again.
void forget(const std::string* text) {
  const std::lock_guard lock(texts().mutex);
  const auto found = texts().all.find(*text);
  if (--found->second.number == 0) texts().all.erase(found);
}

std::shared_ptr<const std::string> shared(std::string_view text) {
  const std::lock_guard lock(texts().mutex);
  auto& [key, owners] = *texts().all.try_emplace(std::string(text)).first;
  auto one = owners.latest.lock();
  if (!one) {
    owners.latest = one = std::shared_ptr<const std::string>(&key, forget);
    ++owners.number;
  }
  return one;
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

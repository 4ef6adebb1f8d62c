// SPDX-License-Identifier: Apache-2.0
// A text that many results have in common.
#ifndef CONCORD_CONFORMANCE_RECORD_SHARED_TEXT_H_
#define CONCORD_CONFORMANCE_RECORD_SHARED_TEXT_H_

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace concord::conformance {

/// Used as a std::string that is replaced as a whole. The process has one copy of each text, as
/// long as there is a SharedText with it: hundreds of thousands of results that each had their own
/// would lie between everything else that is allocated, so that each allocation takes longer than
/// the one before.
class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string_view text);   // NOLINT: as std::string
  SharedText(const std::string& text)  // NOLINT: as std::string
      : SharedText(std::string_view(text)) {}
  SharedText(const char* text) : SharedText(std::string_view(text)) {}  // NOLINT: as std::string

  const std::string& text() const;
  operator const std::string&() const { return text(); }  // NOLINT: as std::string
  operator std::string_view() const { return text(); }    // NOLINT: as std::string
  bool empty() const { return text_ == nullptr; }
  bool operator==(const SharedText&) const = default;  ///< one copy of each
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text) {
    return out << text.text();
  }

 private:
  std::shared_ptr<const std::string> text_{};  ///< null if empty
};

/// How many different texts there are.
std::size_t shared_texts();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_SHARED_TEXT_H_

// SPDX-License-Identifier: Apache-2.0
// Lists of cases of any length: hundreds of thousands of them are not kept but made when asked for.
#ifndef CONCORD_CONFORMANCE_CASE_CASE_LIST_H_
#define CONCORD_CONFORMANCE_CASE_CASE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "conformance/case/case.h"

namespace concord::conformance {

/// Makes cases by number. Its functions may be called from any thread.
class CaseSource {
 public:
  CaseSource() = default;
  CaseSource(const CaseSource&) = delete;
  CaseSource& operator=(const CaseSource&) = delete;
  virtual ~CaseSource() = default;
  virtual std::size_t size() const = 0;
  /// The same at every call. `number` is less than size().
  virtual Case at(std::size_t number) const = 0;
};

/// Cases in a fixed order. A copy shares what makes them.
class CaseList {
 public:
  CaseList() = default;
  CaseList(std::vector<Case> listed);  // NOLINT: where a list is wanted, a vector is one

  void append(std::shared_ptr<const CaseSource> source);
  void append(const CaseList& list);

  std::size_t size() const { return is_chosen_ ? chosen_.size() : count_; }
  bool empty() const { return size() == 0; }
  Case operator[](std::size_t index) const;

  /// Those at these places, in this order.
  CaseList at(const std::vector<std::size_t>& places) const;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Case;
    using difference_type = std::ptrdiff_t;
    using pointer = const Case*;
    using reference = Case;
    Iterator(const CaseList* list, std::size_t index) : list_(list), index_(index) {}
    Case operator*() const { return (*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const CaseList* list_;
    std::size_t index_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  struct Part {
    std::size_t first;
    std::shared_ptr<const CaseSource> source;
  };
  std::vector<Part> parts_{};
  std::size_t count_ = 0;  ///< of all parts together
  bool is_chosen_ = false;
  std::vector<std::uint32_t> chosen_{};  ///< places among all parts, if is_chosen_
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CASE_CASE_LIST_H_

// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_list.h"

#include <algorithm>
#include <utility>

#include "spec/check.h"

namespace concord::conformance {
namespace {

class ListedCases : public CaseSource {
 public:
  explicit ListedCases(std::vector<Case> cases) : cases_(std::move(cases)) {}
  std::size_t size() const override { return cases_.size(); }
  Case at(std::size_t number) const override { return cases_[number]; }

 private:
  std::vector<Case> cases_;
};

class CasesOfList : public CaseSource {
 public:
  explicit CasesOfList(CaseList list) : list_(std::move(list)) {}
  std::size_t size() const override { return list_.size(); }
  Case at(std::size_t number) const override { return list_[number]; }

 private:
  CaseList list_;
};

}  // namespace

CaseList::CaseList(std::vector<Case> listed) {
  if (!listed.empty()) append(std::make_shared<ListedCases>(std::move(listed)));
}

void CaseList::append(std::shared_ptr<const CaseSource> source) {
  const std::size_t first = count_, more = source->size();
  CONCORD_CHECK(first + more <= UINT32_MAX) << "too many cases";
  for (std::size_t i = 0; is_chosen_ && i < more; ++i) {
    chosen_.push_back(static_cast<std::uint32_t>(first + i));
  }
  count_ += more;
  parts_.push_back({first, std::move(source)});
}

void CaseList::append(const CaseList& list) { append(std::make_shared<CasesOfList>(list)); }

Case CaseList::operator[](std::size_t index) const {
  CONCORD_CHECK(index < size()) << index;
  const std::size_t place = is_chosen_ ? chosen_[index] : index;
  const auto behind =
      std::upper_bound(parts_.begin(), parts_.end(), place,
                       [](std::size_t p, const Part& part) { return p < part.first; });
  const Part& part = *std::prev(behind);
  return part.source->at(place - part.first);
}

CaseList CaseList::at(const std::vector<std::size_t>& places) const {
  CaseList chosen;
  chosen.parts_ = parts_;
  chosen.count_ = count_;
  chosen.is_chosen_ = true;
  for (const std::size_t index : places) {
    CONCORD_CHECK(index < size()) << index;
    chosen.chosen_.push_back(is_chosen_ ? chosen_[index] : static_cast<std::uint32_t>(index));
  }
  return chosen;
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
// Cases of the catalog in their order, and which of them are of smoke.
#ifndef CONCORD_CONFORMANCE_CATALOG_COLLECTOR_H_
#define CONCORD_CONFORMANCE_CATALOG_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/catalog/catalog.h"
#include "conformance/catalog/chosen.h"

namespace concord::conformance {

/// What all cases of one problem have in common.
struct Source {
  std::string family{}, name{};
  Problem problem{};
  std::string origin{}, note{};
};

class Collector {
 public:
  Collector(Suite suite, std::uint64_t seed);

  void add(const Source& source, Fill fill);

  /// Integers, reals, impulse or ramp by turns, and by turns what is not finite or not normal.
  void add_usual_fills(const Source& source, std::size_t turn);
  /// The same with all that is not finite or not normal.
  void add_all_usual_fills(const Source& source, std::size_t turn);

  /// From here on, cases are of smoke only where planted bugs have chosen them.
  void end_systematic_part() { is_systematic_ = false; }

  std::vector<Case> take() { return std::move(cases_); }

 private:
  void add_finite_fills(const Source& source, std::size_t turn);

  std::uint64_t seed_;
  std::optional<Chosen> chosen_{};  ///< of smoke
  bool is_systematic_ = true;
  std::vector<Case> cases_{};
};

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_COLLECTOR_H_

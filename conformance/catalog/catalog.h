// SPDX-License-Identifier: Apache-2.0
// The catalog: all cases that Concord knows, by suite.
#ifndef CONCORD_CONFORMANCE_CATALOG_CATALOG_H_
#define CONCORD_CONFORMANCE_CATALOG_CATALOG_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "conformance/case/case_list.h"

namespace concord::conformance {

/// "smoke": a choice that runs in seconds; "full": everything that fits into memory; "huge": what
/// does not.
enum class Suite { kSmoke, kFull, kHuge };
inline constexpr Suite kSuites[] = {Suite::kSmoke, Suite::kFull, Suite::kHuge};
std::string_view to_string(Suite suite);
std::optional<Suite> parse_suite(std::string_view text);

/// The cases of a suite, in a fixed order, ids unique. Their data follow from `seed`; a case's own
/// seed depends on `seed` and its id alone, so that choosing other cases does not change its data.
CaseList make_catalog(Suite suite, std::uint64_t seed);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_CATALOG_H_

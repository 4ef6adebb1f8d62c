// SPDX-License-Identifier: Apache-2.0
// Large numbers with digit grouping.
#ifndef CONCORD_CONFORMANCE_RECORD_GROUPED_H_
#define CONCORD_CONFORMANCE_RECORD_GROUPED_H_

#include <cstddef>
#include <string>

namespace concord::conformance {

/// "1,204".
std::string grouped(std::size_t value);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_RECORD_GROUPED_H_

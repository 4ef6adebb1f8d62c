// SPDX-License-Identifier: Apache-2.0
// The table of operations as Markdown.
#ifndef CONCORD_CONFORMANCE_COMMAND_OPERATIONS_TABLE_H_
#define CONCORD_CONFORMANCE_COMMAND_OPERATIONS_TABLE_H_

#include <string>

namespace concord::conformance {

/// A row for each operation: name, tensors ([bias] is optional), attributes with their defaults,
/// and behind a choice its other words. "strides=1.." is one value for each spatial axis.
std::string operations_table();

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_COMMAND_OPERATIONS_TABLE_H_

// SPDX-License-Identifier: Apache-2.0
// The answers of the plugin ABI that are not a success.
#ifndef CONCORD_PLUGIN_CODEC_REFUSED_H_
#define CONCORD_PLUGIN_CODEC_REFUSED_H_

#include <string>
#include <utility>

#include "plugin/concord_plugin.h"
#include "spec/result.h"

namespace concord {

/// Why a backend does not compute: declined (CONCORD_UNSUPPORTED), the problem is against its
/// specification (CONCORD_INVALID), or the backend's own trouble (CONCORD_FAULT).
struct Refused {
  concord_status status;
  std::string reason;
};
inline Refused declines(std::string reason) { return {CONCORD_UNSUPPORTED, std::move(reason)}; }
inline Refused invalid(std::string reason) { return {CONCORD_INVALID, std::move(reason)}; }

template <class T>
using Or = Result<T, Refused>;

}  // namespace concord

#endif  // CONCORD_PLUGIN_CODEC_REFUSED_H_

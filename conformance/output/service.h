// SPDX-License-Identifier: Apache-2.0
// What a backend serves: the operations and dtypes on which it was judged, how sharply, and in
// which classes of arithmetic. Source: docs/results.md#conforms
#ifndef CONCORD_CONFORMANCE_OUTPUT_SERVICE_H_
#define CONCORD_CONFORMANCE_OUTPUT_SERVICE_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/run/runner.h"
#include "spec/dtype.h"
#include "spec/problem.h"

namespace concord::conformance {

/// The results on the valid problems of one operation and dtype.
struct ServicePart {
  Operation operation{};
  Dtype dtype{};
  std::size_t judged = 0;  ///< passed or failed
  std::size_t vacuous = 0, declined = 0;
  /// Passed cases that would have rejected values off by a factor of 1 + kResolution.
  std::size_t sharp = 0;
  std::optional<double> resolution{};     ///< the finest of a passed case with finite values
  std::set<std::string> classes{};        ///< of arithmetic that values were judged by
  std::set<std::string> sharp_classes{};  ///< those of the sharp cases

  bool is_served() const { return judged + vacuous > 0; }
};

/// No verdict if more than this fraction of the served cases could not have failed.
inline constexpr double kVacuousLimit = 0.25;

/// Those that occur in the cases, in the order of kOperations and kDtypes.
std::vector<ServicePart> service_of(const BackendRun& backend);

/// Why passes alone do not make this service conform: a sentence without a full stop, or "".
/// Unless the run is `narrowed`, each part that is served needs a sharp case in each of its
/// classes.
std::string why_no_verdict(const std::vector<ServicePart>& service, bool narrowed);

/// " as accumulator=bf16,flush=yes", " as flush=yes in bf16", or "" where everything is
/// strict or kept in f64.
std::string classes_text(const std::vector<ServicePart>& service);

/// "Convolution in f32 (836 judged); not served: 9 operations, f16, bf16".
std::string service_text(const std::vector<ServicePart>& service);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_OUTPUT_SERVICE_H_

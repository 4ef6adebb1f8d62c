// SPDX-License-Identifier: Apache-2.0
// Problems that resolve() refuses although no document requires it.
#ifndef CONCORD_REFERENCE_OPEN_QUESTION_H_
#define CONCORD_REFERENCE_OPEN_QUESTION_H_

#include <optional>
#include <string>

#include "spec/problem.h"
#include "spec/tensor.h"

namespace concord::reference {

/// What the documents leave open about a problem: a backend may refuse it or compute it.
struct OpenQuestion {
  std::string why{};  ///< a sentence that names the thing and its value
  /// The dims of dst if the problem is computed; none where no formula gives them.
  std::optional<Extents> dst_dims{};
};

/// The open question in a problem that resolve() refuses. None if a document forbids the problem,
/// however the question is answered; none for a valid problem.
/// Source  docs/spec.md#what-the-documents-leave-open
std::optional<OpenQuestion> open_question(const Problem& problem);

/// Why CONCORD_INVALID is a right answer to a problem that resolve() accepts: the document allows
/// the problem and the system refuses it. Nothing for all others.
/// Source  docs/spec.md#what-the-documents-leave-open
std::optional<std::string> may_be_refused(const Problem& problem);

}  // namespace concord::reference

#endif  // CONCORD_REFERENCE_OPEN_QUESTION_H_

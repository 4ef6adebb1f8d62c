// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/golden.h"

#include "conformance/judge/arithmetic.h"
#include "reference/reference.h"
#include "spec/tensor_values.h"
#include "vectors/set.h"

namespace concord::conformance {
namespace {

template <class Format>
std::vector<double> channels_first(const vectors::Set& set, Dtype dtype,
                                   const vectors::StoredTensor& stored, Format format) {
  const Tensor own{stored.shape, {}};
  return read_tensor(dtype, permute(own, channels_first_axes(format, own.rank())),
                     set.bytes(stored).data());
}

Recorded read_values(const vectors::Set& set, const vectors::Vector& vector) {
  const Problem& problem = vector.problem;
  const auto data_format = data_format_of(problem);
  Recorded recorded;
  recorded.src = channels_first(set, problem.dtype, vector.src, data_format);
  recorded.dst = channels_first(set, problem.dtype, vector.dst, data_format);
  recorded.weights = channels_first(set, problem.dtype, vector.weights, weights_format_of(problem));
  if (vector.bias) {
    recorded.bias =
        read_tensor(problem.dtype, Tensor{vector.bias->shape, {}}, set.bytes(*vector.bias).data());
  }
  recorded.exactness = vector.exactness;
  recorded.arithmetic = vector.arithmetic;
  return recorded;
}

Result<Case> make_case(const vectors::Set& set, const vectors::Vector& vector) {
  const vectors::Manifest& manifest = set.manifest();
  Case made;
  made.id = "golden/" + manifest.set + "/" + vector.id;
  const auto refuse = [&](const std::string& why) {
    return Refusal{Fault::kSyntax, made.id + ": " + why};
  };
  const auto geometry = reference::resolve(vector.problem);
  if (!geometry) return refuse(geometry.why().detail);
  if (geometry->dst.dims != vector.dst.shape) {
    return refuse("dst is " + to_string(Tensor{vector.dst.shape, {}}) + ", but the problem has " +
                  to_string(geometry->dst));
  }
  if (vector.exactness == vectors::Exactness::kArithmetic) {
    const auto arithmetic = parse_arithmetic(vector.arithmetic);
    if (!arithmetic) return refuse(arithmetic.why().detail);
  }
  made.problem = vector.problem;
  made.fill = Fill::kRecorded;
  made.origin = manifest.producer + " " + manifest.version;
  made.note = vector.source;
  made.recorded = std::make_shared<const Recorded>(read_values(set, vector));
  return made;
}

}  // namespace

Result<std::vector<Case>> golden_cases(const std::filesystem::path& root) {
  std::vector<Case> cases;
  const auto folders = vectors::find_sets(root);
  if (folders.empty()) return Refusal{Fault::kSyntax, root.string() + ": holds no set of vectors"};
  for (const auto& folder : folders) {
    const auto set = vectors::load_set(folder);
    if (!set) return set.why();
    for (const vectors::Vector& vector : set->manifest().vectors) {
      auto made = make_case(*set, vector);
      if (!made) return made.why();
      cases.push_back(*std::move(made));
    }
  }
  return cases;
}

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
#include "conformance/catalog/golden.h"

#include "conformance/arithmetic/arithmetic.h"
#include "reference/reference.h"
#include "spec/tensor_values.h"
#include "vectors/set.h"

namespace concord::conformance {
namespace {

// The tensor's values in the order in which `view` has the axes of a dense one.
std::vector<double> values_of(const vectors::Set& set, Dtype dtype,
                              const vectors::StoredTensor& stored, const Tensor& view) {
  return read_tensor(dtype, view, set.bytes(stored).data());
}

Recorded read_values(const vectors::Set& set, const vectors::Vector& vector) {
  // What is stored is dense, whatever strides the problem has.
  Problem dense = vector.problem;
  dense.src.strides.clear();
  dense.weights.strides.clear();
  if (dense.bias) dense.bias->strides.clear();
  const auto input = [&](Input which, const vectors::StoredTensor& stored) {
    return values_of(set, dense.dtype, stored, in_reading_order(dense, which));
  };
  Recorded recorded;
  recorded.src = input(Input::kSrc, vector.src);
  if (vector.weights) recorded.weights = input(Input::kWeights, *vector.weights);
  if (vector.bias) recorded.bias = input(Input::kBias, *vector.bias);
  recorded.dst = values_of(set, dense.dtype, vector.dst,
                           dst_in_reading_order(dense, Tensor{vector.dst.shape, {}}));
  recorded.exactness = vector.exactness;
  recorded.arithmetic = vector.arithmetic;
  recorded.digits = vector.digits;
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
  if (vector.exactness == vectors::Exactness::kArithmetic || !vector.arithmetic.empty()) {
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

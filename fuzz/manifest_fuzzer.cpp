// SPDX-License-Identifier: Apache-2.0
// Any text as a manifest of golden vectors: the reader answers, and what it lets pass is whole:
// every tensor is in a file of its dtype and has the problem's shape, and no name leaves the
// folder.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "spec/check.h"
#include "vectors/manifest.h"

namespace concord::fuzz {
namespace {

bool is_in_a_file(const vectors::Manifest& manifest, const vectors::StoredTensor& tensor,
                  Dtype dtype) {
  return tensor.offset >= 0 &&
         std::any_of(manifest.files.begin(), manifest.files.end(), [&](const auto& file) {
           return file.name == tensor.file && file.dtype == dtype;
         });
}

bool is_plain(const std::string& name) {
  return !name.empty() && name.front() != '.' && name.find('/') == std::string::npos;
}

void check_vector(const vectors::Manifest& manifest, const vectors::Vector& vector) {
  const Problem& problem = vector.problem;
  for (const vectors::StoredTensor* tensor : vector.tensors()) {
    CONCORD_CHECK(is_in_a_file(manifest, *tensor, problem.dtype));
  }
  CONCORD_CHECK(vector.src.shape == problem.src.dims);
  const Tensor* weights = input_of(problem, Input::kWeights);
  CONCORD_CHECK(vector.weights.has_value() == (weights != nullptr));
  CONCORD_CHECK(weights == nullptr || vector.weights->shape == weights->dims);
  CONCORD_CHECK(vector.bias.has_value() == (input_of(problem, Input::kBias) != nullptr));
  CONCORD_CHECK((vector.digits != 0) == (vector.exactness == vectors::Exactness::kPrinted));
  CONCORD_CHECK(vector.arithmetic.empty() || vector.digits != 0 ||
                vector.exactness == vectors::Exactness::kArithmetic);
}

void check_manifest(std::string_view text) {
  const auto manifest = vectors::parse_manifest(text);
  if (!manifest) {
    CONCORD_CHECK(manifest.why().fault == Fault::kSyntax && !manifest.why().detail.empty());
    return;
  }
  for (const auto& file : manifest->files) CONCORD_CHECK(is_plain(file.name));
  for (const auto& table : manifest->tables) CONCORD_CHECK(is_plain(table.name));
  for (const auto& vector : manifest->vectors) check_vector(*manifest, vector);
}

}  // namespace
}  // namespace concord::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  concord::fuzz::check_manifest({reinterpret_cast<const char*>(data), size});
  return 0;
}

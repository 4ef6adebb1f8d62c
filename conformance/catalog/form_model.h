// SPDX-License-Identifier: Apache-2.0
// Models of what attribute_model() does not describe: attributes as factors, for covering arrays of
// two and three. A row stands for one small problem.
#ifndef CONCORD_CONFORMANCE_CATALOG_FORM_MODEL_H_
#define CONCORD_CONFORMANCE_CATALOG_FORM_MODEL_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalog/attribute_model.h"
#include "conformance/catalog/extents.h"
#include "spec/problem.h"

namespace concord::conformance {

struct FormModel {
  std::string_view name;  ///< of its families of cases: "cntk" has cntk_pairs and cntk_triples
  std::vector<Factor> factors{};
  FactorModel model{};
  /// The problem that a complete allowed row stands for. Its specification accepts it.
  Problem (*problem_of)(const Row& row) = nullptr;
  /// True of a model that was added when others had their data: its rows take their turns after
  /// those of all others, and its triples have one kind of data each.
  bool is_late = false;
  /// True if the factors decide together what an implementation does: smoke has the triples, too.
  bool has_triples_in_smoke = false;
};

/// CNTK's two convolutions; atrous_conv2d and its blocks; the continuous layer and its gradients;
/// the gradients of CNTK's N-D form; what the continuous layer had no model of; Convolution-1 with
/// more axes, and convolutions with larger tensors and kernels, than attribute_model() has.
const std::vector<FormModel>& form_models();

/// Each of them, built anew.
FormModel cntk_model();
FormModel cntk_2d_model();
FormModel atrous_model();
FormModel blocks_model();
FormModel continuous_model();
FormModel cntk_gradients_model();
FormModel continuous_more_model();
FormModel many_axes_model();
FormModel sizes_model();
FormModel kernels_model();

/// A row's problem, and what it stands for.
struct FormCase {
  std::string family, name;  ///< such as "cntk_triples" and "0042"
  Problem problem;
  std::string origin;  ///< "axes=5 dtype=f32 ..."
  const FormModel* model = nullptr;
};
/// Rows of all models that hold every pair of levels that goes together; and rows that, beside
/// them, hold every triple. Always the same; made when first asked for.
const std::vector<FormCase>& form_pairs();
const std::vector<FormCase>& form_triples();

/// What models are made of.
namespace form {

/// "kernel_3": the name of the third axis's factor, for Factor to point at.
std::string_view factor_of_axis(std::string_view part, int axis);

/// The words of all dtypes but f64, which has cases of its own.
std::vector<std::string_view> dtype_levels();

/// The words of all values of an enum, in the order of their numbers.
template <class Enum>
std::vector<std::string_view> words() {
  std::vector<std::string_view> words;
  words.reserve(kAll<Enum>.size());
  for (const Enum each : kAll<Enum>) words.push_back(to_string(each));
  return words;
}

/// Memory of tensors; "other_order" is dense with the axes in the order that is not usual.
extern const std::vector<std::string_view> kMemoryLevels;
enum Memory { kDense, kSrcGaps, kWeightsGaps, kDstGaps, kAllGaps, kOtherOrder };
/// Gives the tensors of a valid problem the memory of that level.
void set_memory(int level, Problem& problem);
/// Gives a discrete convolution, complete but for them, its tensors.
void set_tensors(const Shape& shape, bool has_bias, int memory, Problem& problem);

FormModel model(std::string_view name, std::vector<Factor> factors,
                Problem (*problem_of)(const Row&), std::function<bool(const Row&)> allowed);

/// The least and the most level that the factor of a row may have: one if it is chosen.
struct Range {
  int begin, end;
};
inline Range range(int level, int levels) {
  return level == kOpen ? Range{0, levels} : Range{level, level + 1};
}
inline bool may_be(int chosen, int level) { return chosen == kOpen || chosen == level; }

}  // namespace form

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_CATALOG_FORM_MODEL_H_

// SPDX-License-Identifier: Apache-2.0
#include "reference/open_question.h"

#include <algorithm>
#include <utility>

#include "reference/assignment.h"
#include "reference/continuous_grid.h"
#include "reference/reference.h"
#include "spec/operations.h"

namespace concord::reference {
namespace {

// Beyond what all systems serve.
bool has_many_axes(const Problem& problem) { return problem.src.rank() > 5; }

std::string spatial_axes(const Problem& problem) {
  return std::to_string(problem.src.rank() - 2) + " spatial axes";
}

/// Puts something harmless in the place of what is open, and notes what that was. If the problem is
/// valid then, nothing but open questions was wrong with it.
class Mender {
 public:
  explicit Mender(const Problem& problem) : mended_(problem) {}

  std::optional<OpenQuestion> question() {
    mend_dtypes();
    mend_axes();
    for (const Input input : kInputs) mend_overlap(input);
    std::visit([&](auto& a) { mend(a); }, mended_.attributes);
    if (const auto stated = std::exchange(mended_.dst, std::nullopt)) {
      const auto alone = resolve(mended_);
      if (!alone || alone->dst.dims == stated->dims) {
        mended_.dst = stated;
      } else {
        note(named("dst", *stated) + " is not the shape that the operation makes");
      }
    }
    if (why_.empty()) return std::nullopt;
    const auto resolution = resolve(mended_);
    if (!resolution) return std::nullopt;
    if (!has_dims_) return OpenQuestion{why_, std::nullopt};
    return OpenQuestion{why_, resolution->dst.dims};
  }

 private:
  static std::string named(std::string_view name, const Tensor& tensor) {
    return std::string(name) + "=" + to_string(tensor);
  }
  void note(const std::string& why) { why_ += (why_.empty() ? "" : "; ") + why; }

  // "The same type" is said of the discrete convolutions alone, of which the chain is a sequence.
  void mend_dtypes() {
    const bool is_said =
        is_discrete(mended_.operation()) || mended_.operation() == Operation::kAtrousChain;
    if (is_said || !mended_.other_dtypes.any()) return;
    note("tensors of different dtypes");
    mended_.other_dtypes = {};
  }

  // The oneDNN Graph's document names depth, height and width. Convolution-1 has more axes.
  void mend_axes() {
    const auto* a = std::get_if<ConvolutionAttributes>(&mended_.attributes);
    if (a == nullptr || !has_many_axes(mended_)) return;
    note(named("src", mended_.src) + " has " + spatial_axes(mended_) +
         ", of which the document names three");
    Convolution1Attributes more;
    static_cast<SpatialAttributes&>(more) = *a;
    more.filter_format = a->weights_format;
    mended_.attributes = more;
    has_dims_ = false;
  }

  // No document speaks of strides, and to read an element twice does no harm.
  void mend_overlap(Input input) {
    const Tensor* given = input_of(mended_, input);
    if (given == nullptr || given->strides.empty()) return;
    if (given->strides.size() != given->rank() || !element_count(given->dims) ||
        !element_span(*given) || is_injective(*given)) {
      return;
    }
    note(named(to_string(input), *given) + ": its strides let elements overlap");
    Tensor* const tensors[] = {&mended_.src, &mended_.weights,
                               mended_.bias ? &*mended_.bias : nullptr,
                               mended_.diff_dst ? &*mended_.diff_dst : nullptr};
    Tensor& mended = *tensors[static_cast<std::size_t>(input)];
    const bool is_image = input == Input::kSrc || is_column_major(mended_.operation(), input);
    mended.strides = is_image ? dense_strides_of(mended_.operation(), mended.dims) : Extents{};
  }

  // "The attribute is ignored when auto_pad is specified" against "non-negative values".
  void mend_ignored_pads(SpatialAttributes& a) {
    if (a.auto_pad < AutoPad::kSameUpper || a.auto_pad > AutoPad::kValid) return;
    const std::size_t rank = mended_.src.rank() < 2 ? 0 : mended_.src.rank() - 2;
    for (const auto& [name, pads] :
         {std::pair{"pads_begin", &a.pads_begin}, std::pair{"pads_end", &a.pads_end}}) {
      const bool good = pads->size() == rank &&
                        std::all_of(pads->begin(), pads->end(), [](Extent p) { return p >= 0; });
      if (good) continue;
      note(assignment(name, *pads) + " under auto_pad=" + std::string(to_string(a.auto_pad)) +
           ", which ignores it");
      pads->assign(rank, 0);
    }
  }

  // An empty sum has a value, but no document says how large dst is.
  void mend_empty_window() {
    if (mended_.weights.rank() < 3 || mended_.weights.rank() != mended_.src.rank()) return;
    const auto axes = channels_first_axes(weights_format_of(mended_), mended_.weights.rank());
    const Tensor before = mended_.weights;
    for (std::size_t i = 2; i < axes.size(); ++i) {
      Extent& extent = mended_.weights.dims[axes[i]];
      if (extent == 0) extent = 1;
    }
    if (mended_.weights.dims == before.dims) return;
    note(named("weights", before) + " has a spatial extent of 0");
    mended_.weights.strides.clear();
    has_dims_ = false;
  }

  // The memory that "should be reserved" changes no result.
  void mend_memory(Extent& samples) {
    if (samples >= 0) return;
    note(assignment("maxTempMemSizeInSamples", {samples}) + " is negative");
    samples = 0;
  }

  void mend_nd(CntkConvolutionAttributes& a) {
    mend_memory(a.max_temp_mem_size_in_samples);
    // One flag is that of every axis, as one pad is.
    const auto ignored = [&](std::size_t axis) {
      const bool one = a.auto_padding.size() == 1;
      return (one || axis < a.auto_padding.size()) && a.auto_padding[one ? 0 : axis] == 1;
    };
    const bool all = a.auto_padding == Extents{1};
    for (const auto& [name, pads] :
         {std::pair{"lowerPad", &a.lower_pad}, std::pair{"upperPad", &a.upper_pad}}) {
      const Extents before = *pads;
      for (std::size_t axis = 0; axis < pads->size(); ++axis) {
        const bool unused = pads->size() == 1 ? all : ignored(axis);
        if (unused) (*pads)[axis] = std::max<Extent>((*pads)[axis], 0);
      }
      if (*pads == before) continue;
      note(assignment(name, before) + " where autoPadding makes it irrelevant");
    }
  }
  // An operation whose attributes are derived from another's has its open questions, too.
  template <class A>
  void mend(A& a) {
    if constexpr (std::is_base_of_v<SpatialAttributes, A>) mend_ignored_pads(a);
    if constexpr (kRowOf<A>.facts.family == Family::kDiscrete) mend_empty_window();
    if constexpr (std::is_base_of_v<CntkConvolutionAttributes, A>) mend_nd(a);
    if constexpr (std::is_base_of_v<ContinuousAttributes, A>) mend_layer(a);
  }
  void mend(CntkConvolution2dAttributes& a) { mend_memory(a.max_temp_mem_size_in_samples); }
  void mend(ContinuousChainAttributes& a) {
    for (Rational& scale : a.scales_h) mend_scale("scales_h", scale);
    for (Rational& scale : a.scales_w) mend_scale("scales_w", scale);
    mend_support(a);
  }

  void mend_layer(ContinuousAttributes& a) {
    mend_scale("scale", a.scale_h);
    mend_scale("scale", a.scale_w);
    mend_support(a);
  }
  // The bounds of scales are this suite's own.
  void mend_scale(const char* name, Rational& scale) {
    if (scale <= Rational(0) || is_within_grid(scale)) return;
    note(std::string(name) + "=" + to_string(scale) + " is not between 2^-30 and 2^30");
    scale = Rational(1);
    has_dims_ = false;
  }
  template <class A>
  void mend_support(A& a) {
    const bool empty = std::find(a.kernel.begin(), a.kernel.end(), 0) != a.kernel.end();
    if (!empty || a.kernel.size() != 2) return;
    note(assignment("kernel", a.kernel) + " has an extent of 0");
    std::replace(a.kernel.begin(), a.kernel.end(), Extent{0}, Extent{1});
    has_dims_ = false;
  }

  Problem mended_;
  std::string why_{};
  bool has_dims_ = true;
};

}  // namespace

std::optional<OpenQuestion> open_question(const Problem& problem) {
  if (resolve(problem)) return std::nullopt;
  return Mender(problem).question();
}

std::optional<std::string> may_be_refused(const Problem& problem) {
  const auto* a = std::get_if<Convolution1Attributes>(&problem.attributes);
  if (a == nullptr) return std::nullopt;
  if (problem.reading == Reading::kImplemented && has_many_axes(problem)) {
    return spatial_axes(problem) +
           ": the document sets no bound, the system refuses more than three";
  }
  const std::size_t rank = problem.weights.rank();
  const bool has_one_bias =
      problem.bias && problem.bias->dims == Extents{1} && rank >= 3 &&
      problem.weights.dims[channels_first_axes(a->filter_format, rank)[0]] != 1;
  if (problem.reading == Reading::kDocumented && has_one_bias) {
    return std::string("a bias of one element: the document broadcasts it, the systems refuse it");
  }
  return std::nullopt;
}

}  // namespace concord::reference

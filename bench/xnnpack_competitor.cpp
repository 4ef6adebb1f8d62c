// SPDX-License-Identifier: Apache-2.0
// XNNPACK: f32, NXC, one or two spatial axes, weights as [OC, KH, KW, IC/G].
#include <pthreadpool.h>
#include <xnnpack.h>

#include <algorithm>
#include <limits>

#include "bench/competitor.h"
#include "spec/grid.h"

namespace concord::bench {
namespace {

std::vector<float> transposed_weights(const Operands& operands) {
  const optimized::Shape& s = operands.shape;
  const auto* from = static_cast<const float*>(operands.weights);
  std::vector<float> to;
  for (const auto [oc, kh, kw, ic] : Grid<4>{{s.OC, s.K[1], s.K[2], s.ICG()}}) {
    to.push_back(from[oc * s.weights.outer + ic * s.weights.channel + kh * s.weights.spatial[1] +
                      kw * s.weights.spatial[2]]);
  }
  return to;
}

class XnnpackCompetitor : public Competitor {
 public:
  XnnpackCompetitor(const Operands& operands, const Setting& setting, void* dst)
      : operands_(operands),
        packed_(setting.packed),
        dst_(static_cast<float*>(dst)),
        weights_(transposed_weights(operands)),
        pool_(setting.threads > 1 ? pthreadpool_create(static_cast<std::size_t>(setting.threads))
                                  : nullptr) {
    if (xnn_initialize(nullptr) == xnn_status_success) create();
  }
  ~XnnpackCompetitor() override {
    if (operator_ != nullptr) xnn_delete_operator(operator_);
    if (pool_ != nullptr) pthreadpool_destroy(pool_);
  }
  XnnpackCompetitor(const XnnpackCompetitor&) = delete;
  XnnpackCompetitor& operator=(const XnnpackCompetitor&) = delete;

  bool is_ready() const { return operator_ != nullptr; }

  void run() override {
    if (!packed_) {
      xnn_delete_operator(operator_);
      create();
    }
    xnn_run_operator(operator_, pool_);
  }

  std::string implementation() const override { return "xnnpack"; }

 private:
  void create() {
    const optimized::Shape& s = operands_.shape;
    const auto u32 = [](Extent value) { return static_cast<std::uint32_t>(value); };
    const auto size = [](Extent value) { return static_cast<std::size_t>(value); };
    const auto after = [&](std::size_t axis) {
      // Input that no window reaches is cropped: negative padding, which XNNPACK does without.
      return u32(std::max<Extent>(0, (s.O[axis] - 1) * s.S[axis] + (s.K[axis] - 1) * s.D[axis] + 1 -
                                         s.I[axis] - s.P[axis]));
    };
    const float infinity = std::numeric_limits<float>::infinity();
    operator_ = nullptr;
    xnn_create_convolution2d_nhwc_f32(
        u32(s.P[1]), after(2), after(1), u32(s.P[2]), u32(s.K[1]), u32(s.K[2]), u32(s.S[1]),
        u32(s.S[2]), u32(s.D[1]), u32(s.D[2]), u32(s.G), size(s.ICG()), size(s.OCG()), size(s.IC),
        size(s.OC), weights_.data(), static_cast<const float*>(operands_.bias), -infinity, infinity,
        0, &operator_);
    if (operator_ == nullptr) return;
    xnn_setup_convolution2d_nhwc_f32(operator_, size(s.N), size(s.I[1]), size(s.I[2]),
                                     static_cast<const float*>(operands_.src), dst_, pool_);
  }

  Operands operands_;
  bool packed_;
  float* dst_;
  std::vector<float> weights_;
  pthreadpool_t pool_;
  xnn_operator_t operator_ = nullptr;
};

}  // namespace

std::unique_ptr<Competitor> make_xnnpack(const Operands& operands, const Setting& setting,
                                         void* dst) {
  const optimized::Shape& s = operands.shape;
  if (setting.dtype != Dtype::kF32 || setting.data_format != DataFormat::kNXC) return nullptr;
  if (s.I[0] != 1 || s.K[0] != 1) return nullptr;
  auto competitor = std::make_unique<XnnpackCompetitor>(operands, setting, dst);
  if (!competitor->is_ready()) return nullptr;
  return competitor;
}

}  // namespace concord::bench

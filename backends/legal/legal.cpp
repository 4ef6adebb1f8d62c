// SPDX-License-Identifier: Apache-2.0
// Correct backends whose arithmetic is unusual, but what they declare: legal:NAME adds in the way
// of that name. No case may fail on any of them.
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <utility>
#include <vector>

#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/views.h"
#include "backends/legal/variants.h"
#include "spec/grid.h"
#include "spec/tensor_values.h"

namespace concord::backends::legal {
namespace {

constexpr std::size_t kWidth = 2;

// The sum with every operation rounded in the variant's direction.
template <class T>
double directed(Direction direction, double (*sum)(const Terms<T>&), const Terms<T>& terms) {
  if (direction == Direction::kNearest) return sum(terms);
  const int before = std::fegetround();
  const int alternating = terms.output % 2 == 0 ? FE_UPWARD : FE_DOWNWARD;
  std::fesetround(direction == Direction::kZero ? FE_TOWARDZERO : alternating);
  const double result = sum(terms);
  std::fesetround(before);
  return result;
}

template <class T>
std::vector<T> read(Dtype dtype, const Tensor& view, const void* data) {
  const auto values = read_tensor(dtype, view, data);
  std::vector<T> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [](double value) { return static_cast<T>(value); });
  return result;
}

// The taps of one output: the places of their weights in a channel's kernel, and those of their
// elements in a channel of src, nothing outside of it.
struct Taps {
  std::vector<std::size_t> weights;
  std::vector<std::optional<std::size_t>> src;
};

void find_taps(const Window& window, Padding padding, const Window::Spatial& o, Taps& taps) {
  const Grid<3> kernel(window.K), src(window.I);
  taps.weights.clear();
  taps.src.clear();
  for (const auto& k : kernel) {
    Window::Spatial i{};
    bool inside = true, skipped = false;
    for (std::size_t axis = 0; axis < i.size(); ++axis) {
      i[axis] = o[axis] * window.S[axis] + k[axis] * window.D[axis] - window.pad_begin[axis];
      if (i[axis] >= 0 && i[axis] < window.I[axis]) continue;
      inside = false;
      skipped = skipped || padding == Padding::kSkipped ||
                (padding == Padding::kRowsSkipped && axis != kWidth);
    }
    if (skipped) continue;
    taps.weights.push_back(kernel.offset(k));
    taps.src.push_back(inside ? std::optional(src.offset(i)) : std::nullopt);
  }
}

std::size_t volume(const Window::Spatial& box) {
  return static_cast<std::size_t>(box[0] * box[1] * box[2]);
}

/// One execution in T: the inputs, dense and channels first, and the terms of one output at a time.
template <class T>
class Execution {
 public:
  Execution(const PaddedConvolution& p, Dtype dtype, const Buffers& buffers)
      : p_(p),
        window_(window_of(p)),
        src_(read<T>(dtype, p.src, buffers.src.data)),
        weights_(read<T>(dtype, p.weights, buffers.weights.data)) {
    if (p.bias_stride) bias_ = read<T>(dtype, {{p.OC}, {*p.bias_stride}}, buffers.bias.data);
  }

  /// Shapes  dst [N,OC,O]
  /// `blank` has what Terms has that is no element of a tensor.
  std::vector<double> run(const Variant& variant, double (*sum)(const Terms<T>&), Terms<T> blank) {
    const auto [OD, OH, OW] = window_.O;
    const Grid<5> outputs({p_.N, p_.OC, OD, OH, OW});
    std::vector<double> dst(static_cast<std::size_t>(p_.N * p_.OC) * volume(window_.O));
    blank.channels = static_cast<std::size_t>(p_.ICG());
    for (const auto [g, n, od, oh, ow] : Grid<5>{{p_.G, p_.N, OD, OH, OW}}) {
      find_taps(window_, variant.padding, {od, oh, ow}, taps_);
      gather_src(n, g);
      gather_weights(g);
      for (Extent in_group = 0; in_group < p_.OCG(); ++in_group) {
        const Extent oc = g * p_.OCG() + in_group;
        Terms<T> terms = blank;
        terms.output = outputs.offset({n, oc, od, oh, ow});
        terms.x = x_;
        terms.w = std::span<const T>(w_).subspan(static_cast<std::size_t>(in_group) * x_.size(),
                                                 x_.size());
        if (!bias_.empty()) terms.bias = bias_[static_cast<std::size_t>(oc)];
        dst[terms.output] = directed(variant.direction, sum, terms);
      }
    }
    return dst;
  }

 private:
  void gather_src(Extent n, Extent g) {
    const std::size_t cells = volume(window_.I);
    auto channel = src_.begin() + static_cast<std::ptrdiff_t>(n * p_.IC + g * p_.ICG()) *
                                      static_cast<std::ptrdiff_t>(cells);
    x_.clear();
    for (Extent ic = 0; ic < p_.ICG(); ++ic, channel += static_cast<std::ptrdiff_t>(cells)) {
      for (const auto& place : taps_.src) {
        x_.push_back(place ? channel[static_cast<std::ptrdiff_t>(*place)] : T{0});
      }
    }
  }

  // Of neighbouring outputs mostly the same.
  void gather_weights(Extent g) {
    if (group_ == g && places_ == taps_.weights) return;
    group_ = g;
    places_ = taps_.weights;
    const auto kernel = static_cast<std::ptrdiff_t>(volume(window_.K));
    const Extent kernels = p_.OCG() * p_.ICG();
    auto first = weights_.begin() + static_cast<std::ptrdiff_t>(g * kernels) * kernel;
    w_.clear();
    for (Extent i = 0; i < kernels; ++i, first += kernel) {
      for (const std::size_t place : places_) {
        w_.push_back(first[static_cast<std::ptrdiff_t>(place)]);
      }
    }
  }

  const PaddedConvolution& p_;
  Window window_;
  std::vector<T> src_, weights_, bias_;
  Taps taps_;
  std::vector<T> x_, w_;  // of one output and of its group: [IC/G,taps] and [OC/G,IC/G,taps]
  Extent group_ = -1;     // whose weights w_ has
  std::vector<std::size_t> places_;
};

class PreparedConvolution : public Prepared {
 public:
  PreparedConvolution(const Variant& variant, Dtype dtype, PaddedConvolution p, int threads)
      : variant_(variant), dtype_(dtype), p_(std::move(p)), threads_(threads) {}

  std::optional<Refused> execute(const Buffers& buffers) override {
    const auto dst = dtype_ == Dtype::kF64 ? run<double>(buffers, variant_.sum_f64)
                                           : run<float>(buffers, variant_.sum_f32);
    write_tensor(dtype_, p_.dst, dst, buffers.dst.data);
    return std::nullopt;
  }

 private:
  template <class T>
  std::vector<double> run(const Buffers& buffers, double (*sum)(const Terms<T>&)) const {
    static std::atomic<std::uint64_t> executions{0};
    Terms<T> blank{};
    blank.dtype = dtype_;
    blank.threads = threads_;
    blank.execution = executions++;
    return Execution<T>(p_, dtype_, buffers).run(variant_, sum, blank);
  }

  const Variant& variant_;
  Dtype dtype_;
  PaddedConvolution p_;
  int threads_;
};

class LegalBackend : public LoweringBackend {
 public:
  explicit LegalBackend(const Variant& variant) : variant_(variant) {}

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (variant_.f32_only && problem.dtype != Dtype::kF32) {
      return declines("this variant is of f32, not " + std::string(to_string(problem.dtype)));
    }
    constexpr Extent kMostElements = Extent{1} << 28;  // of which there is a copy in f64
    for (const Tensor* tensor : {&p.src, &p.weights, &p.dst}) {
      const auto elements = element_count(tensor->dims);
      if (!elements || *elements > kMostElements) {
        return declines("this backend copies tensors of up to " + std::to_string(kMostElements) +
                        " elements, not " + to_string(Tensor{tensor->dims, {}}));
      }
    }
    return beyond_three_axes(p);
  }

  void declare(const Problem& /*problem*/, const PaddedConvolution& /*p*/,
               Answer& answer) const override {
    answer.arithmetic = variant_.arithmetic;
    answer.same_bits_any_threads = variant_.same_bits_any_threads;
    answer.bits_vary_by_run = variant_.bits_vary_by_run;
    answer.implementation = variant_.sentence;
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    return std::unique_ptr<Prepared>(
        std::make_unique<PreparedConvolution>(variant_, problem.dtype, p, options.threads));
  }

  const Variant& variant_;
};

Or<std::unique_ptr<Backend>> open(const std::string& config) {
  const auto all = variants();
  const auto named = std::find_if(all.begin(), all.end(),
                                  [&](const Variant& variant) { return variant.name == config; });
  if (named != all.end()) return std::unique_ptr<Backend>(std::make_unique<LegalBackend>(*named));
  return invalid("no variant is named '" + config.substr(0, 60) + "'; docs/suites.md lists them");
}

}  // namespace
}  // namespace concord::backends::legal

CONCORD_BACKEND("legal", CONCORD_VERSION, concord::backends::legal::open)

/// A line for each variant: its name, a tab, what it does.
extern "C" __attribute__((visibility("default"))) const char* concord_legal_catalogue(void);
extern "C" const char* concord_legal_catalogue(void) {
  static const std::string text = [] {
    std::string lines;
    for (const auto& variant : concord::backends::legal::variants()) {
      lines.append(variant.name).append("\t").append(variant.sentence).append("\n");
    }
    return lines;
  }();
  return text.c_str();
}

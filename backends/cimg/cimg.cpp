// SPDX-License-Identifier: Apache-2.0
// CImg's correlation behind the plugin ABI: a call for each image and output channel, which sums
// over the input channels.
//
// CImg pads with zeros where its boundary condition is "Dirichlet". With the configuration
// "neumann", its default condition, the adapter surrounds src with zeros, and no window leaves it:
// the condition cannot matter there, but CImg has other code for it.
#define cimg_display 0
#include <CImg.h>

#include <string>

#include "backends/adapter/adapter.h"
#include "backends/adapter/lowering_backend.h"
#include "backends/adapter/shape.h"
#include "backends/adapter/staged.h"

namespace concord::backends {
namespace {

using cimg_library::CImg;

enum class Boundary : unsigned { kDirichlet = 0, kNeumann = 1 };

/// CImg's x is our last axis, its z our first one. Its centre is the tap that lies on the output's
/// own pixel; CImg's default is the middle one.
template <class T>
struct Correlation {
  const Window& w;
  Boundary boundary;

  static int narrow(Extent value) { return static_cast<int>(value); }

  /// The tap that CImg takes for the centre by itself.
  int centre(std::size_t axis) const {
    return boundary == Boundary::kNeumann ? narrow((w.K[axis] - 1) / 2) : 0;
  }
  /// Where the centre of the first window lies.
  int start(std::size_t axis) const {
    return narrow(w.D[axis]) * centre(axis) - narrow(w.pad_begin[axis]);
  }
  int end(std::size_t axis) const { return start(axis) + narrow(w.O[axis]) - 1; }

  CImg<T> operator()(const CImg<T>& src, const CImg<T>& weights) const {
    constexpr unsigned kSumOfChannels = 3;
    const auto at = [](const Window::Spatial& values, std::size_t axis) {
      return static_cast<float>(values[axis]);
    };
    return src.get_correlate(weights, static_cast<unsigned>(boundary), /*is_normalized=*/false,
                             kSumOfChannels, centre(2), centre(1), centre(0), start(2), start(1),
                             start(0), end(2), end(1), end(0), at(w.S, 2), at(w.S, 1), at(w.S, 0),
                             at(w.D, 2), at(w.D, 1), at(w.D, 0));
  }
};

template <class T>
class PreparedConvolution : public StagedConvolution {
 public:
  PreparedConvolution(Dtype dtype, const PaddedConvolution& p, const PrepareOptions& options,
                      Boundary boundary)
      : StagedConvolution(dtype, p, options, channels_first(), boundary == Boundary::kNeumann),
        boundary_(boundary) {}

 private:
  std::optional<Refused> convolve(const GroupMemory& group) override {
    const PaddedConvolution& p = problem();
    for (Extent n = 0; n < p.N; ++n) {
      const CImg<T> src = channels(group.src, n, p.ICG(), window().I);
      for (Extent oc = 0; oc < p.OCG(); ++oc) {
        CImg<T> dst = Correlation<T>{window(), boundary_}(
            src, channels(group.weights, oc, p.ICG(), window().K));
        if (group.bias != nullptr) dst += reinterpret_cast<const T*>(group.bias)[oc];
        auto* to = reinterpret_cast<T*>(group.dst) +
                   static_cast<std::size_t>(n * p.OCG() + oc) * dst.size();
        std::copy(dst.begin(), dst.end(), to);
      }
    }
    return std::nullopt;
  }

  /// Part `index` of a dense tensor [.., C, D, H, W], without a copy.
  static CImg<T> channels(const std::byte* data, Extent index, Extent C,
                          const Window::Spatial& dims) {
    const Extent elements = C * dims[0] * dims[1] * dims[2];
    const T* first = reinterpret_cast<const T*>(data) + index * elements;
    const auto extent = [](Extent value) { return static_cast<unsigned>(value); };
    return {const_cast<T*>(first), extent(dims[2]), extent(dims[1]), extent(dims[0]), extent(C),
            /*is_shared=*/true};
  }

  Boundary boundary_;
};

class CImgCorrelate : public LoweringBackend {
 public:
  explicit CImgCorrelate(Boundary boundary) : boundary_(boundary) {}

 private:
  std::optional<Refused> decline(const Problem& problem,
                                 const PaddedConvolution& p) const override {
    if (problem.dtype != Dtype::kF32 && problem.dtype != Dtype::kF64) {
      return declines("CImg computes in float and double, not in " +
                      std::string(to_string(problem.dtype)));
    }
    return cannot_stage(problem.dtype, p);
  }

  void declare(const Problem& problem, const PaddedConvolution& p, Answer& answer) const override {
    if (problem.dtype == Dtype::kF64) answer.arithmetic.accumulator = CONCORD_ACCUMULATE_F64;
    answer.same_bits_any_threads = true;  // it is always one
    answer.adapter_part = staging_part(problem, p, boundary_ == Boundary::kNeumann,
                                       "one image and output channel at a time");
    answer.implementation = "get_correlate";
  }

  Or<std::unique_ptr<Prepared>> make(const Problem& problem, const PaddedConvolution& p,
                                     const PrepareOptions& options) const override {
    if (problem.dtype == Dtype::kF64) return made<double>(problem.dtype, p, options);
    return made<float>(problem.dtype, p, options);
  }

  template <class T>
  std::unique_ptr<Prepared> made(Dtype dtype, const PaddedConvolution& p,
                                 const PrepareOptions& options) const {
    return std::make_unique<PreparedConvolution<T>>(dtype, p, options, boundary_);
  }

  Boundary boundary_;
};

Or<std::unique_ptr<Backend>> open_cimg(const std::string& config) {
  if (!config.empty() && config != "neumann") {
    return invalid("this backend knows the configuration 'neumann', not '" + config + "'");
  }
  const Boundary boundary = config.empty() ? Boundary::kDirichlet : Boundary::kNeumann;
  return std::unique_ptr<Backend>(std::make_unique<CImgCorrelate>(boundary));
}

const char* version_text() {
  static const std::string text = std::to_string(cimg_version / 100) + "." +
                                  std::to_string(cimg_version / 10 % 10) + "." +
                                  std::to_string(cimg_version % 10);
  return text.c_str();
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("cimg", concord::backends::version_text(), concord::backends::open_cimg)

// SPDX-License-Identifier: Apache-2.0
// The measured layers, and the settings in which they are measured.
#ifndef CONCORD_BENCH_LAYER_H_
#define CONCORD_BENCH_LAYER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "optimized/shape/shape.h"
#include "spec/problem.h"

namespace concord::bench {

struct Layer {
  std::string name, network;
  Problem problem{};
};

/// Reads a list of layers: [{"name", "network", "problem"}].
/// Errors  kSyntax with the path, or the layer, and what is wrong: an operation that is not a
///         discrete convolution, a problem that its document forbids
Result<std::vector<Layer>> read_layers(const std::string& path);

/// What the command line changes about every layer.
struct Setting {
  Dtype dtype = Dtype::kF32;
  DataFormat data_format = DataFormat::kNXC;
  Extent batch = 1;  ///< 0: each layer's own
  int threads = 1;
  bool packed = true;  ///< weights are known before the measured call
};

/// The problem with batch, dtype and format as the setting says; every tensor dense, whatever
/// strides the layer states.
Problem with_setting(const Problem& problem, const Setting& setting);

/// Twice the multiply-adds of all taps, and of those that read input, not padding.
struct Operations {
  double nominal, valid;
};
Operations operations_of(const optimized::Shape& shape);

/// The bytes of src, weights, bias and dst, each once.
double bytes_of(const Problem& problem, const optimized::Shape& shape);

/// Elements in the problem's dtype, random in [-1, 1], aligned to a page and with a page to spare
/// behind: XNNPACK reads past the end.
class Elements {
 public:
  Elements(const Tensor& tensor, Dtype dtype, unsigned seed);
  void* data() { return data_; }
  const void* data() const { return data_; }

 private:
  std::vector<std::byte> memory_;
  std::byte* data_;
};

}  // namespace concord::bench

#endif  // CONCORD_BENCH_LAYER_H_

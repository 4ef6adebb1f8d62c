// SPDX-License-Identifier: Apache-2.0
// The layer as section 3.1 describes it, every tensor formed. Its own loops: no backend has it.
#include <algorithm>

#include "experiments/image.h"
#include "experiments/passes.h"

namespace concord::experiments {
namespace {

constexpr std::size_t kWidth = 16;  // Table 2
constexpr float kSlope = 0.01F;

using Floats = std::vector<float>;

std::size_t count(Extent extent) { return static_cast<std::size_t>(extent); }

// One axis: the first neighbour of each output and the distance from it.
struct Axis {
  std::vector<Extent> left{};
  Floats distance{};

  Axis(Extent in, Extent out, const Rational& scale, Extent support) {
    for (const Rational& g : projected_grid(in, out, scale)) {
      left.push_back((g - Rational(support, 2)).ceil());
      distance.push_back(static_cast<float>((g - Rational(left.back())).to_double()));
    }
  }
};

// y = A x + b of every place; x [places,in], y [places,out].
Floats affine(const Floats& x, std::size_t in, const float* A, std::size_t out) {
  const std::size_t places = x.size() / in;
  const float* const b = A + in * out;
  Floats y(places * out);
  for (std::size_t p = 0; p < places; ++p) {
    for (std::size_t o = 0; o < out; ++o) {
      float sum = b[o];
      for (std::size_t i = 0; i < in; ++i) sum += A[o * in + i] * x[p * in + i];
      y[p * out + o] = sum;
    }
  }
  return y;
}

Floats leaky(Floats values) {
  for (float& value : values) value *= value > 0 ? 1 : kSlope;
  return values;
}

// Adds to A's and b's gradients, and returns that of x.
Floats affine_backward(const Floats& gradient, std::size_t out, const Floats& x, std::size_t in,
                       const float* A, float* dA) {
  const std::size_t places = x.size() / in;
  Floats dx(x.size());
  for (std::size_t p = 0; p < places; ++p) {
    for (std::size_t o = 0; o < out; ++o) {
      const float g = gradient[p * out + o];
      dA[in * out + o] += g;
      for (std::size_t i = 0; i < in; ++i) {
        dA[o * in + i] += g * x[p * in + i];
        dx[p * in + i] += A[o * in + i] * g;
      }
    }
  }
  return dx;
}

// From [rows,columns] to [columns,rows].
Floats transposed(const Floats& values, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  Floats result(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = values[i * columns + j];
  }
  return result;
}

void through_leaky(Floats& gradient, const Floats& z) {
  for (std::size_t i = 0; i < z.size(); ++i) gradient[i] *= z[i] > 0 ? 1 : kSlope;
}

class StandardPass : public Pass {
 public:
  StandardPass(const PassShape& shape, const Sampling& where, Random& random)
      : N_(count(shape.src[0])),
        Cin_(count(shape.src[1])),
        Cout_(count(shape.channels)),
        K_(shape.kernel) {
    parameters_ = ContinuousLayer(shape.src[1], shape.channels, shape.kernel, random).theta();
    const Extent H = shape.src[2], W = shape.src[3];
    const Extent rows = where.size.empty() ? (where.scale_h * H).ceil() : where.size[0];
    const Extent columns = where.size.empty() ? (where.scale_w * W).ceil() : where.size[1];
    const Axis vertical(H, rows, where.scale_h, K_), horizontal(W, columns, where.scale_w, K_);
    outputs_ = count(rows * columns);
    find_neighbours(vertical, horizontal, H, W);
    dst_ = Values({shape.src[0], shape.channels, rows, columns});
  }

  void forward(const Values& src) override {
    form_weights();
    neighbours_.assign(N_ * Cin_ * places_.size(), 0);
    const std::size_t pixels = src.at.size() / (N_ * Cin_);
    for (std::size_t plane = 0; plane < N_ * Cin_; ++plane) {
      for (std::size_t p = 0; p < places_.size(); ++p) {
        if (places_[p] >= 0) {
          neighbours_[plane * places_.size() + p] = src.at[plane * pixels + count(places_[p])];
        }
      }
    }
    form_product();
    sum_product();
  }

  Values backward(const Values& src, const Values& output_gradient) override {
    // What product and sum hand back: the gradients by weights and by neighbours.
    const std::size_t all = places_.size(), channels = Cin_ * Cout_;
    Floats by_weights(all * channels), by_neighbours(neighbours_.size());
    for (std::size_t b = 0; b < N_; ++b) {
      for (std::size_t co = 0; co < Cout_; ++co) {
        const float* const delta = &output_gradient.at[(b * Cout_ + co) * outputs_];
        for (std::size_t ci = 0; ci < Cin_; ++ci) {
          const std::size_t pair = (co * Cin_ + ci) * all, plane = (b * Cin_ + ci) * all;
          for (std::size_t slot = 0; slot < all; slot += outputs_) {
            for (std::size_t n = 0; n < outputs_; ++n) {
              by_weights[pair + slot + n] += delta[n] * neighbours_[plane + slot + n];
              by_neighbours[plane + slot + n] += delta[n] * weights_[pair + slot + n];
            }
          }
        }
      }
    }
    back_through_net(transposed(by_weights, channels));
    return scattered(by_neighbours, src.dims);
  }

  double kept_bytes() const override {
    const std::size_t floats = distances_.size() + z1_.size() + z2_.size() + weights_.size() +
                               neighbours_.size() + product_.size();
    return static_cast<double>(floats * sizeof(float));
  }
  // The gradients by weights and by neighbours.
  double workspace_bytes() const override {
    return static_cast<double>((weights_.size() + neighbours_.size()) * sizeof(float));
  }

 private:
  // The slots of all outputs, the outputs fastest: where each neighbour is, and how far.
  void find_neighbours(const Axis& vertical, const Axis& horizontal, Extent H, Extent W) {
    for (Extent slot = 0; slot < K_ * K_; ++slot) {
      for (std::size_t i = 0; i < vertical.left.size(); ++i) {
        for (std::size_t j = 0; j < horizontal.left.size(); ++j) {
          const Extent down = slot / K_, right = slot % K_;
          const Extent row = vertical.left[i] + down, column = horizontal.left[j] + right;
          const bool inside = row >= 0 && row < H && column >= 0 && column < W;
          places_.push_back(inside ? row * W + column : -1);
          distances_.push_back(vertical.distance[i] - static_cast<float>(down));
          distances_.push_back(horizontal.distance[j] - static_cast<float>(right));
        }
      }
    }
  }

  // The parameters A and b of each layer of the net, one after the other.
  const float* layer1() const { return parameters_.at.data(); }
  const float* layer2() const { return layer1() + 3 * kWidth; }
  const float* layer3() const { return layer2() + (kWidth + 1) * kWidth; }

  void form_weights() {
    z1_ = affine(distances_, 2, layer1(), kWidth);
    z2_ = affine(leaky(z1_), kWidth, layer2(), kWidth);
    weights_ = transposed(affine(leaky(z2_), kWidth, layer3(), Cin_ * Cout_), places_.size());
  }

  // Neighbours times weights: [N,Cout,Cin,K,outputs].
  void form_product() {
    const std::size_t all = places_.size(), channels = Cin_ * Cout_;
    product_.resize(N_ * channels * all);
    float* out = product_.data();
    for (std::size_t b = 0; b < N_; ++b) {
      for (std::size_t pair = 0; pair < channels; ++pair) {
        const float* const neighbour = &neighbours_[(b * Cin_ + pair % Cin_) * all];
        for (std::size_t p = 0; p < all; ++p) {
          *out++ = neighbour[p] * weights_[pair * all + p];
        }
      }
    }
  }

  void sum_product() {
    std::fill(dst_.at.begin(), dst_.at.end(), 0.0F);
    const std::size_t terms = Cin_ * places_.size();
    for (std::size_t plane = 0; plane < N_ * Cout_; ++plane) {
      for (std::size_t term = 0; term < terms; term += outputs_) {
        for (std::size_t n = 0; n < outputs_; ++n) {
          dst_.at[plane * outputs_ + n] += product_[plane * terms + term + n];
        }
      }
    }
  }

  Values scattered(const Floats& by_neighbours, const Extents& dims) const {
    Values src_gradient(dims);
    const std::size_t pixels = src_gradient.at.size() / (N_ * Cin_);
    for (std::size_t i = 0; i < by_neighbours.size(); ++i) {
      const Extent place = places_[i % places_.size()];
      if (place >= 0) {
        src_gradient.at[i / places_.size() * pixels + count(place)] += by_neighbours[i];
      }
    }
    return src_gradient;
  }

  void back_through_net(const Floats& by_weights) {
    parameter_gradient_ = Values(parameters_.dims);
    float* const d1 = parameter_gradient_.at.data();
    float* const d2 = d1 + (layer2() - layer1());
    float* const d3 = d1 + (layer3() - layer1());
    Floats g2 = affine_backward(by_weights, Cin_ * Cout_, leaky(z2_), kWidth, layer3(), d3);
    through_leaky(g2, z2_);
    Floats g1 = affine_backward(g2, kWidth, leaky(z1_), kWidth, layer2(), d2);
    through_leaky(g1, z1_);
    affine_backward(g1, kWidth, distances_, 2, layer1(), d1);
  }

  std::size_t N_, Cin_, Cout_, outputs_ = 0;
  Extent K_;
  std::vector<Extent> places_{};  // of each slot and output, -1 outside the image
  // weights_ is [Cout,Cin,K,outputs], neighbours_ [N,Cin,K,outputs].
  Floats distances_{}, z1_{}, z2_{}, weights_{}, neighbours_{}, product_{};
};

}  // namespace

double standard_bytes(const PassShape& shape, const Sampling& where) {
  const auto outputs = [](Extent in, const Rational& scale, const Extents& size, std::size_t axis) {
    return static_cast<double>(size.empty() ? (scale * in).ceil() : size[axis]);
  };
  const double places = static_cast<double>(shape.kernel * shape.kernel) *
                        outputs(shape.src[2], where.scale_h, where.size, 0) *
                        outputs(shape.src[3], where.scale_w, where.size, 1);
  const double images = static_cast<double>(shape.src[0]), in = static_cast<double>(shape.src[1]);
  const double pairs = in * static_cast<double>(shape.channels);
  // Distances and hidden layers, weights, neighbours, the gradients of the two, the product.
  const double floats = 2 + 2.0 * kWidth + 2 * pairs + 2 * images * in + images * pairs;
  return floats * places * sizeof(float);
}

std::unique_ptr<Pass> standard_pass(const PassShape& shape, const Sampling& where, Random& random) {
  return std::make_unique<StandardPass>(shape, where, random);
}

}  // namespace concord::experiments

// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/trial.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "spec/dtype.h"
#include "spec/grid.h"

namespace concord::optimized::testing {
namespace {

constexpr int kDirt = 0xFF;  // NaN in every dtype

std::size_t bytes_of(const Tensor& tensor, Dtype dtype) {
  return static_cast<std::size_t>(*element_span(tensor)) * size_of(dtype);
}

void* at(void* data, Extent index, Dtype dtype) {
  return static_cast<std::byte*>(data) + static_cast<std::size_t>(index) * size_of(dtype);
}
const void* at(const void* data, Extent index, Dtype dtype) {
  return static_cast<const std::byte*>(data) + static_cast<std::size_t>(index) * size_of(dtype);
}

// Calls visit(offset) for every element of a tensor.
template <class Visit>
void for_each_offset(const Tensor& tensor, Visit visit) {
  const Extents strides = strides_of(tensor);
  Grid<5>::Index dims{1, 1, 1, 1, 1};
  std::copy(tensor.dims.begin(), tensor.dims.end(), dims.begin());
  for (const auto& index : Grid<5>(dims)) {
    Extent offset = 0;
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) offset += index[axis] * strides[axis];
    visit(offset);
  }
}

// A tensor in guarded memory. Its gaps stay dirty.
struct Held {
  Held(const Tensor& shape, Dtype type, Side side)
      : tensor(shape), dtype(type), memory(bytes_of(shape, type), side, kDirt) {}

  void fill(std::mt19937* generator, double unit = 1) {
    for_each_offset(tensor, [&](Extent offset) {
      const double value = unit * (static_cast<double>((*generator)() % 7) - 3.0);
      store(dtype, value, at(memory.data(), offset, dtype));
    });
  }
  double value(Extent offset) const { return load(dtype, at(memory.data(), offset, dtype)); }
  std::vector<std::byte> copy() const {
    const auto* from = static_cast<const std::byte*>(memory.data());
    return {from, from + memory.bytes()};
  }

  Tensor tensor;
  Dtype dtype;
  Guarded memory;
};

struct Inputs {
  Held src, weights, bias;
  bool has_bias;
  const void* bias_data() const { return has_bias ? bias.memory.data() : nullptr; }
};

Extent offset_of(const Strides& s, Extent outer, Extent channel, Extent d, Extent h, Extent w) {
  return outer * s.outer + channel * s.channel + d * s.spatial[0] + h * s.spatial[1] +
         w * s.spatial[2];
}

double naive(const Shape& s, const Inputs& in, Extent n, Extent oc, Extent od, Extent oh,
             Extent ow) {
  double sum = in.has_bias ? in.bias.value(oc * s.bias_stride) : 0.0;
  const Extent g = oc / s.OCG();
  for (const auto [ic, kd, kh, kw] : Grid<4>{{s.ICG(), s.K[0], s.K[1], s.K[2]}}) {
    const Extent id = od * s.S[0] + kd * s.D[0] - s.P[0];
    const Extent ih = oh * s.S[1] + kh * s.D[1] - s.P[1];
    const Extent iw = ow * s.S[2] + kw * s.D[2] - s.P[2];
    if (id < 0 || id >= s.I[0] || ih < 0 || ih >= s.I[1] || iw < 0 || iw >= s.I[2]) continue;
    sum += in.src.value(offset_of(s.src, n, g * s.ICG() + ic, id, ih, iw)) *
           in.weights.value(offset_of(s.weights, oc, ic, kd, kh, kw));
  }
  return sum;
}

// The bytes that dst should have: sums rounded once, and dirt between them.
std::vector<std::byte> expected(const Shape& s, const Inputs& in) {
  std::vector<std::byte> bytes(bytes_of(s.dst_tensor, s.dtype), static_cast<std::byte>(kDirt));
  for (const auto [n, oc, od, oh, ow] : Grid<5>{{s.N, s.OC, s.O[0], s.O[1], s.O[2]}}) {
    const Extent offset = offset_of(s.dst, n, oc, od, oh, ow);
    store(s.dtype, naive(s, in, n, oc, od, oh, ow), at(bytes.data(), offset, s.dtype));
  }
  return bytes;
}

std::string first_difference(const std::vector<std::byte>& want, const Held& got) {
  const std::size_t size = size_of(got.dtype);
  const auto* bytes = static_cast<const std::byte*>(got.memory.data());
  for (std::size_t i = 0; i < want.size(); i += size) {
    if (std::memcmp(want.data() + i, bytes + i, size) == 0) continue;
    return "element " + std::to_string(i / size) + " of dst's memory is " +
           std::to_string(load(got.dtype, bytes + i)) + ", not " +
           std::to_string(load(got.dtype, want.data() + i));
  }
  return {};
}

// Runs one plan in one of the two ways, and says what is wrong with dst.
std::string try_plan(const Plan& plan, const Inputs& in, bool packs_before, Side side,
                     const std::vector<std::byte>& want) {
  Held dst(plan.shape.dst_tensor, plan.shape.dtype, side);
  const void* src = in.src.memory.data();
  if (packs_before) {
    Guarded workspace(plan.workspace_bytes, side, kDirt);
    const Packed packed = pack(plan, in.weights.memory.data(), in.bias_data());
    execute(plan, packed, src, dst.memory.data(), workspace.data());
  } else {
    Guarded workspace(plan.one_shot_workspace_bytes, side, kDirt);
    execute(plan, src, in.weights.memory.data(), in.bias_data(), dst.memory.data(),
            workspace.data());
  }
  const std::string wrong = first_difference(want, dst);
  if (wrong.empty()) return {};
  return (packs_before ? "packed: " : "one shot: ") + wrong + "\n" + describe(plan);
}

}  // namespace

Problem problem_of(std::string_view line) {
  auto problem = parse(line);
  CONCORD_CHECK(problem) << line;
  return *std::move(problem);
}

std::string try_integers(const Problem& problem, const Options& options, std::uint32_t seed,
                         Side side, double weights_unit) {
  const auto plan = make_plan(problem, options);
  if (!plan) return "refused: " + plan.why().detail;
  std::mt19937 generator(seed);
  Inputs in{Held(problem.src, problem.dtype, side), Held(problem.weights, problem.dtype, side),
            Held(problem.bias.value_or(Tensor{{0}, {}}), problem.dtype, side),
            problem.bias.has_value()};
  in.src.fill(&generator);
  in.weights.fill(&generator, weights_unit);
  in.bias.fill(&generator);
  const std::vector<std::byte> before[] = {in.src.copy(), in.weights.copy(), in.bias.copy()};
  const std::vector<std::byte> want = expected(plan->shape, in);
  for (const bool packs_before : {true, false}) {
    std::string wrong = try_plan(*plan, in, packs_before, side, want);
    if (!wrong.empty()) return print(problem) + "\n" + wrong;
  }
  if (in.src.copy() != before[0] || in.weights.copy() != before[1] || in.bias.copy() != before[2]) {
    return print(problem) + "\nan input has changed";
  }
  return {};
}

std::vector<double> run_dense(const Problem& problem, const Options& options,
                              const std::vector<double>& src, const std::vector<double>& weights,
                              const std::vector<double>& bias) {
  const auto plan = make_plan(problem, options);
  CONCORD_CHECK(plan) << "refused";
  const auto memory = [&](const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * size_of(problem.dtype));
    store(problem.dtype, values, bytes);
    return bytes;
  };
  const auto src_bytes = memory(src);
  const auto weights_bytes = memory(weights);
  const auto bias_bytes = memory(bias);
  std::vector<double> result(static_cast<std::size_t>(*element_count(plan->dst_dims())));
  std::vector<std::byte> dst(result.size() * size_of(problem.dtype), static_cast<std::byte>(kDirt));
  std::vector<std::byte> workspace(plan->workspace_bytes, static_cast<std::byte>(kDirt));
  const Packed packed =
      pack(*plan, weights_bytes.data(), bias.empty() ? nullptr : bias_bytes.data());
  execute(*plan, packed, src_bytes.data(), dst.data(), workspace.data());
  load(problem.dtype, dst, result);
  return result;
}

}  // namespace concord::optimized::testing

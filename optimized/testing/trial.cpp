// SPDX-License-Identifier: Apache-2.0
#include "optimized/testing/trial.h"

#include <algorithm>
#include <cstring>
#include <iterator>
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

// Calls visit(offset) for every element of a tensor.
template <class Visit>
void for_each_offset(const Tensor& tensor, Visit visit) {
  const Extents strides = strides_of(tensor);
  Grid<kMaxRank>::Index dims;
  dims.fill(1);
  std::copy(tensor.dims.begin(), tensor.dims.end(), dims.begin());
  for (const auto& index : Grid<kMaxRank>(dims)) {
    Extent offset = 0;
    for (std::size_t axis = 0; axis < tensor.rank(); ++axis) offset += index[axis] * strides[axis];
    visit(offset);
  }
}

// An input: its values at the places of its memory, and their bytes. Gaps are dirt.
struct Input {
  Input(const Tensor& shape, Dtype type)
      : tensor(shape),
        dtype(type),
        bytes(bytes_of(shape, type), static_cast<std::byte>(kDirt)),
        values(bytes.size() / size_of(type)) {}

  void fill(std::mt19937* generator, double unit = 1) {
    for_each_offset(tensor, [&](Extent offset) {
      const double value = unit * (static_cast<double>((*generator)() % 7) - 3.0);
      store(dtype, value, at(bytes.data(), offset, dtype));
      values[static_cast<std::size_t>(offset)] = load(dtype, at(bytes.data(), offset, dtype));
    });
  }
  double value(Extent offset) const { return values[static_cast<std::size_t>(offset)]; }

  Tensor tensor;
  Dtype dtype;
  std::vector<std::byte> bytes;
  std::vector<double> values;
};

Extent offset_of(const Strides& s, Extent outer, Extent channel, Extent d, Extent h, Extent w) {
  return outer * s.outer + channel * s.channel + d * s.spatial[0] + h * s.spatial[1] +
         w * s.spatial[2];
}

}  // namespace

struct Trial::Inputs {
  Input src, weights, bias;
  bool has_bias;
};

namespace {

// An output within depth, height and width, and where the tensors begin that the places along the
// outer axes leave.
struct Place {
  Extent n, oc, od, oh, ow;
  Extent src = 0, weights = 0;
};

// The products of the last three axes.
double sum_of(const Shape& s, const Trial::Inputs& in, const Place& place) {
  const auto& [n, oc, od, oh, ow, src, weights] = place;
  double sum = 0;
  const Extent g = oc / s.OCG();
  for (const auto [ic, kd, kh, kw] : Grid<4>{{s.ICG(), s.K[0], s.K[1], s.K[2]}}) {
    const Extent id = od * s.S[0] + kd * s.D[0] - s.P[0];
    const Extent ih = oh * s.S[1] + kh * s.D[1] - s.P[1];
    const Extent iw = ow * s.S[2] + kw * s.D[2] - s.P[2];
    if (id < 0 || id >= s.I[0] || ih < 0 || ih >= s.I[1] || iw < 0 || iw >= s.I[2]) continue;
    sum += in.src.value(src + offset_of(s.src, n, g * s.ICG() + ic, id, ih, iw)) *
           in.weights.value(weights + offset_of(s.weights, oc, ic, kd, kh, kw));
  }
  return sum;
}

// The products of outer axis `axis` and of those behind it, for the outputs `o` of these.
double sum_of_outer(const Shape& s, const Trial::Inputs& in, const Extents& o, std::size_t axis,
                    const Place& place) {
  if (axis == s.outer.size()) return sum_of(s, in, place);
  const OuterAxis& x = s.outer[axis];
  double sum = 0;
  for (Extent k = 0; k < x.K; ++k) {
    const Extent i = o[axis] * x.S + k * x.D - x.P;
    if (i < 0 || i >= x.I) continue;
    Place behind = place;
    behind.src += i * x.src_step;
    behind.weights += k * x.weights_step;
    sum += sum_of_outer(s, in, o, axis + 1, behind);
  }
  return sum;
}

// Every output along the outer axes.
std::vector<Extents> outer_outputs(const Shape& s) {
  std::vector<Extents> outputs{{}};
  for (const OuterAxis& x : s.outer) {
    std::vector<Extents> longer;
    for (const Extents& output : outputs) {
      for (Extent o = 0; o < x.O; ++o) {
        longer.push_back(output);
        longer.back().push_back(o);
      }
    }
    outputs = std::move(longer);
  }
  return outputs;
}

// The bytes that dst should have: sums rounded once, and dirt between them.
std::vector<std::byte> expected(const Shape& s, const Trial::Inputs& in) {
  std::vector<std::byte> bytes(bytes_of(s.dst_tensor, s.dtype), static_cast<std::byte>(kDirt));
  for (const Extents& outer : outer_outputs(s)) {
    Extent first = 0;
    for (std::size_t axis = 0; axis < outer.size(); ++axis) {
      first += outer[axis] * s.outer[axis].dst_step;
    }
    for (const auto [n, oc, od, oh, ow] : Grid<5>{{s.N, s.OC, s.O[0], s.O[1], s.O[2]}}) {
      const double bias = in.has_bias ? in.bias.value(oc * s.bias_stride) : 0.0;
      const Extent offset = first + offset_of(s.dst, n, oc, od, oh, ow);
      const double sum = sum_of_outer(s, in, outer, 0, {n, oc, od, oh, ow});
      store(s.dtype, bias + sum, at(bytes.data(), offset, s.dtype));
    }
  }
  return bytes;
}

std::string first_difference(const std::vector<std::byte>& want, const Guarded& got, Dtype dtype) {
  const std::size_t size = size_of(dtype);
  const auto* bytes = static_cast<const std::byte*>(got.data());
  for (std::size_t i = 0; i < want.size(); i += size) {
    if (std::memcmp(want.data() + i, bytes + i, size) == 0) continue;
    return "element " + std::to_string(i / size) + " of dst's memory is " +
           std::to_string(load(dtype, bytes + i)) + ", not " +
           std::to_string(load(dtype, want.data() + i));
  }
  return {};
}

// The inputs where the engine finds them: between guard pages, only to be read.
struct Held {
  Held(const Trial::Inputs& in, Side side)
      : src(in.src.bytes.size(), side, kDirt, "src", size_of(in.src.dtype)),
        weights(in.weights.bytes.size(), side, kDirt, "weights", size_of(in.src.dtype)),
        bias(in.bias.bytes.size(), side, kDirt, "bias", size_of(in.src.dtype)),
        has_bias(in.has_bias) {
    src.hold(in.src.bytes);
    weights.hold(in.weights.bytes);
    bias.hold(in.bias.bytes);
  }
  const void* bias_data() const { return has_bias ? bias.data() : nullptr; }

  Guarded src, weights, bias;
  bool has_bias;
};

enum class Packing { kBefore, kBetweenGuards, kOnTheWay };
const char* to_text(Packing packing) {
  if (packing == Packing::kOnTheWay) return "one shot: ";
  return packing == Packing::kBefore ? "packed: " : "packed between guards: ";
}

void run(const Plan& plan, const Held& in, Packing packing, Side side, void* dst) {
  const bool packs_before = packing != Packing::kOnTheWay;
  const auto element = static_cast<std::size_t>(plan.element_bytes());
  Guarded workspace(packs_before ? plan.workspace_bytes : plan.one_shot_workspace_bytes, side,
                    kDirt, "workspace", element);
  if (packing == Packing::kBefore) {
    execute(plan, pack(plan, in.weights.data(), in.bias_data()), in.src.data(), dst,
            workspace.data());
  } else if (packing == Packing::kBetweenGuards) {
    Guarded packed(plan.packed_bytes, side, kDirt, "packed weights", element);
    pack_into(plan, in.weights.data(), in.bias_data(), packed.data());
    packed.seal();
    run_packed(plan, packed.data(), in.src.data(), dst, workspace.data());
  } else {
    execute(plan, in.src.data(), in.weights.data(), in.bias_data(), dst, workspace.data());
  }
}

}  // namespace

Problem problem_of(std::string_view line) {
  auto problem = parse(line);
  CONCORD_CHECK(problem) << line;
  return *std::move(problem);
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> found;
  std::copy_if(std::begin(kIsas), std::end(kIsas), std::back_inserter(found), is_supported);
  return found;
}

Trial::Trial(const Problem& problem, std::uint32_t seed, double weights_unit)
    : problem_(problem),
      inputs_(new Inputs{Input(problem.src, problem.dtype), Input(problem.weights, problem.dtype),
                         Input(problem.bias.value_or(Tensor{{0}, {}}), problem.dtype),
                         problem.bias.has_value()}) {
  std::mt19937 generator(seed);
  inputs_->src.fill(&generator);
  inputs_->weights.fill(&generator, weights_unit);
  inputs_->bias.fill(&generator);
}

Trial::~Trial() = default;

std::string Trial::run(const Options& options, Side side) {
  const auto plan = make_plan(problem_, options);
  if (!plan) return "refused: " + plan.why().detail;
  if (!want_) want_ = expected(infer_shape(problem_).value(), *inputs_);
  const Held in(*inputs_, side);
  for (const Packing packing : {Packing::kBefore, Packing::kBetweenGuards, Packing::kOnTheWay}) {
    set_current_trial(to_text(packing) + print(problem_) + "\n" + describe(*plan));
    Guarded dst(want_->size(), side, kDirt, "dst", size_of(problem_.dtype));
    testing::run(*plan, in, packing, side, dst.data());
    const std::string wrong = first_difference(*want_, dst, problem_.dtype);
    if (!wrong.empty()) {
      return print(problem_) + "\n" + to_text(packing) + wrong + "\n" + describe(*plan);
    }
  }
  return {};
}

std::string try_integers(const Problem& problem, const Options& options, std::uint32_t seed,
                         Side side, double weights_unit) {
  return Trial(problem, seed, weights_unit).run(options, side);
}

std::string wrong_anywhere(const Problem& problem, int threads, Side side) {
  Trial trial(problem);
  for (const Isa isa : supported_isas()) {
    const std::string wrong = trial.run({.threads = threads, .isa = isa}, side);
    if (!wrong.empty()) return std::string(to_string(isa)) + ": " + wrong;
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

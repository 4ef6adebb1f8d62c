// SPDX-License-Identifier: Apache-2.0
// Answers bf16 convolutions with oneDNN's own interface, on one thread: a question a line in, an
// answer a line out. All are decimal numbers; elements are the 16 bits of a bf16.
//
//   question  spatial N IC I.. OC K.. O.. strides.. dilations.. begin.. end.. groups bias
//             src.. weights.. bias..
//   answer    version isa implementation dst..
#include <omp.h>

#include <cstdint>
#include <iostream>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using dnnl::memory;
using Dims = memory::dims;

Dims read_dims(std::istream& in, std::size_t count) {
  Dims dims(count);
  for (auto& dim : dims) in >> dim;
  return dims;
}

// Row-major, first axis slowest.
memory::desc plain(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size() - 1; axis-- > 0;) {
    strides[axis] = strides[axis + 1] * dims[axis + 1];
  }
  return {dims, memory::data_type::bf16, strides};
}

memory::desc any(const Dims& dims) {
  return {dims, memory::data_type::bf16, memory::format_tag::any};
}

memory read_tensor(std::istream& in, const Dims& dims, const dnnl::engine& engine) {
  memory tensor(plain(dims), engine);
  auto* elements = static_cast<std::uint16_t*>(tensor.get_data_handle());
  for (std::size_t i = 0; i < tensor.get_desc().get_size() / 2; ++i) in >> elements[i];
  return tensor;
}

memory moved(memory& from, const memory::desc& to, const dnnl::engine& engine,
             dnnl::stream& stream) {
  if (from.get_desc() == to) return from;
  memory result(to, engine);
  dnnl::reorder(from, result).execute(stream, from, result);
  return result;
}

struct Question {
  Dims src, weights, dst, strides, dilations, begin, end;
  bool bias = false;
};

Question read_question(std::istream& in) {
  Question q;
  std::size_t spatial = 0;
  in >> spatial;
  q.src = read_dims(in, 2 + spatial);
  q.weights = read_dims(in, 1 + spatial);
  q.dst = read_dims(in, spatial);
  q.strides = read_dims(in, spatial);
  q.dilations = read_dims(in, spatial);
  for (auto& dilation : q.dilations) --dilation;  // 0 is dense here
  q.begin = read_dims(in, spatial);
  q.end = read_dims(in, spatial);
  memory::dim groups = 1;
  in >> groups >> q.bias;
  q.dst.insert(q.dst.begin(), {q.src[0], q.weights[0]});
  q.weights.insert(q.weights.begin() + 1, q.src[1] / groups);
  if (groups > 1) {
    q.weights[0] /= groups;
    q.weights.insert(q.weights.begin(), groups);
  }
  return q;
}

dnnl::convolution_forward::desc describe(const Question& q) {
  const auto kind = dnnl::prop_kind::forward_inference;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  if (q.bias) {
    return {kind,       algorithm, any(q.src),  any(q.weights), any({q.dst[1]}),
            any(q.dst), q.strides, q.dilations, q.begin,        q.end};
  }
  return {kind,      algorithm,   any(q.src), any(q.weights), any(q.dst),
          q.strides, q.dilations, q.begin,    q.end};
}

std::string answer(std::istream& in, const dnnl::engine& engine) {
  const Question q = read_question(in);
  const dnnl::convolution_forward::primitive_desc convolution(describe(q), engine);
  dnnl::stream stream(engine);
  memory src = read_tensor(in, q.src, engine), weights = read_tensor(in, q.weights, engine);
  memory dst(convolution.dst_desc(), engine);
  std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, moved(src, convolution.src_desc(), engine, stream)},
      {DNNL_ARG_WEIGHTS, moved(weights, convolution.weights_desc(), engine, stream)},
      {DNNL_ARG_DST, dst}};
  if (q.bias) arguments.emplace(DNNL_ARG_BIAS, read_tensor(in, {q.dst[1]}, engine));
  dnnl::convolution_forward(convolution).execute(stream, arguments);
  memory result = moved(dst, plain(q.dst), engine, stream);
  stream.wait();
  const dnnl_version_t* version = dnnl::version();
  std::ostringstream out;
  out << version->major << '.' << version->minor << '.' << version->patch << ' '
      << static_cast<int>(dnnl::get_effective_cpu_isa()) << ' ' << convolution.impl_info_str();
  const auto* elements = static_cast<const std::uint16_t*>(result.get_data_handle());
  for (std::size_t i = 0; i < result.get_desc().get_size() / 2; ++i) out << ' ' << elements[i];
  return out.str();
}

}  // namespace

int main() {
  omp_set_num_threads(1);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::cout << answer(in, engine) << std::endl;
  }
}

// SPDX-License-Identifier: Apache-2.0
// The backends of real libraries, through the plugin ABI, on problems whose results are exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>

#include "backends/plugin_caller.h"
#include "backends/small_problems.h"
#include "spec/tensor_values.h"

namespace concord::backends {
namespace {

struct Library {
  const char* plugin;
  const char* config;
  Dtype dtype;
};

std::ostream& operator<<(std::ostream& out, const Library& library) {
  return out << library.plugin << ":" << library.config << " " << to_string(library.dtype);
}

std::string path_of(const std::string& plugin) {
  return std::string(CONCORD_PLUGIN_DIRECTORY) + "/" + plugin + ".so";
}

/// A tensor's memory with its values in it and 0xA5 in the gaps.
class Operand {
 public:
  Operand(Dtype dtype, Tensor tensor, const std::vector<double>& values, bool flush_with_end)
      : dtype_(dtype),
        tensor_(std::move(tensor)),
        memory_(static_cast<std::size_t>(*element_span(tensor_)) * size_of(dtype), flush_with_end,
                std::byte{0xA5}) {
    if (!values.empty()) write_tensor(dtype_, tensor_, values, data());
  }
  void* data() { return memory_.bytes().data(); }
  concord_buffer buffer() { return {data(), memory_.bytes().size()}; }
  std::vector<double> values() { return read_tensor(dtype_, tensor_, data()); }
  std::vector<std::byte> bytes() { return {memory_.bytes().begin(), memory_.bytes().end()}; }

 private:
  Dtype dtype_;
  Tensor tensor_;
  GuardedBytes memory_;
};

/// The memory of one execution.
class Trial {
 public:
  Trial(const Problem& problem, const Values& values, bool flush_with_end)
      : problem_(problem), dst_(problem.dtype, *problem.dst, {}, flush_with_end) {
    add(problem.src, values.src, flush_with_end);
    add(problem.weights, values.weights, flush_with_end);
    if (problem.bias) add(*problem.bias, values.bias, flush_with_end);
  }

  const void* weights() { return inputs_[1]->data(); }
  const void* bias() { return inputs_.size() > 2 ? inputs_[2]->data() : nullptr; }

  /// Expects dst to be `want` bit for bit, its gaps as they were and the inputs too.
  void expect(PluginCaller& plugin, void* handle, const std::vector<double>& want) {
    std::vector<concord_buffer> buffers;
    std::vector<std::vector<std::byte>> before;
    for (const auto& input : inputs_) {
      buffers.push_back(input->buffer());
      before.push_back(input->bytes());
    }
    plugin.execute(handle, buffers, dst_.buffer());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      EXPECT_EQ(inputs_[i]->bytes(), before[i]) << "input " << i << " was written";
    }
    EXPECT_EQ(dst_.values(), want);
    EXPECT_TRUE(gaps_are_intact()) << "a gap of dst was written";
  }

 private:
  void add(const Tensor& tensor, const std::vector<double>& values, bool flush_with_end) {
    inputs_.push_back(std::make_unique<Operand>(problem_.dtype, tensor, values, flush_with_end));
  }

  /// Overwrites the elements by what the gaps hold: then every byte is the same.
  bool gaps_are_intact() {
    std::vector<std::byte> bytes = dst_.bytes();
    const std::vector<std::byte> pattern(size_of(problem_.dtype), std::byte{0xA5});
    const std::vector<double> fill(dst_.values().size(), load(problem_.dtype, pattern.data()));
    write_tensor(problem_.dtype, *problem_.dst, fill, bytes.data());
    return std::all_of(bytes.begin(), bytes.end(),
                       [](std::byte byte) { return byte == std::byte{0xA5}; });
  }

  const Problem& problem_;
  Operand dst_;
  std::vector<std::unique_ptr<Operand>> inputs_;
};

class LibraryTest : public testing::TestWithParam<Library> {
 protected:
  PluginCaller plugin_{path_of(GetParam().plugin), GetParam().config};
};

/// (step*i + first) % modulus - shift for every flat index i.
std::vector<double> ramp(const Tensor& tensor, Extent step, Extent first, Extent modulus,
                         Extent shift) {
  std::vector<double> values(static_cast<std::size_t>(*element_count(tensor.dims)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>((step * static_cast<Extent>(i) + first) % modulus - shift);
  }
  return values;
}

Problem line(const std::string& text) {
  const Result<Problem> problem = parse(text);
  EXPECT_TRUE(problem) << problem.why().detail;
  return *problem;
}

// oneDNN, XNNPACK, ONNX Runtime, PyTorch, Eigen, TensorFlow.js and SciPy agree on these numbers.
TEST_P(LibraryTest, ComputesTheProblemOnWhichAllLibrariesAgree) {
  const Problem problem =
      line("Convolution " + std::string(to_string(GetParam().dtype)) +
           " src=2x4x9x10 weights=6x2x3x2 bias=6 dst=2x6x3x7 strides=2,2 pads_begin=1,2"
           " pads_end=0,3 dilations=2,2 groups=2 data_format=NCX weights_format=OIX");
  const Values values{ramp(problem.src, 7, 3, 11, 5), ramp(problem.weights, 5, 1, 7, 3),
                      ramp(*problem.bias, 1, 0, 100, 2)};
  const std::vector<double> want = convolve_plainly(problem, values);
  ASSERT_EQ(std::accumulate(want.begin(), want.end(), 0.0), 79);
  ASSERT_THAT(std::vector<double>(want.begin(), want.begin() + 12),
              testing::ElementsAre(-7, -3, 5, -20, -1, -17, -2, -8, 28, -22, 5, -1));

  concord_answer answer;
  ASSERT_EQ(plugin_.query(problem, answer), CONCORD_OK) << answer.reason;
  Trial trial(problem, values, /*flush_with_end=*/true);
  void* handle = plugin_.prepare(problem, 1, trial.weights(), trial.bias());
  trial.expect(plugin_, handle, want);
  plugin_.release(handle);
}

/// Executes `problem` by two handles that are alive at once: one knows its weights, one does not;
/// one has a thread, one has two. Each runs twice, on other data and at another address.
void expect_exact(PluginCaller& plugin, const Problem& problem, std::mt19937_64& random) {
  const Values first = random_values(random, problem);
  Values second = random_values(random, problem);
  Trial known(problem, first, true), other(problem, second, false);
  void* constant = plugin.prepare(problem, 1, known.weights(), known.bias());
  void* variable = plugin.prepare(problem, 2, nullptr, nullptr);
  known.expect(plugin, constant, convolve_plainly(problem, first));
  other.expect(plugin, variable, convolve_plainly(problem, second));
  second.weights = first.weights;
  second.bias = first.bias;
  Trial again(problem, second, false);
  again.expect(plugin, constant, convolve_plainly(problem, second));
  Trial back(problem, first, true);
  back.expect(plugin, variable, convolve_plainly(problem, first));
  plugin.release(constant);
  plugin.release(variable);
}

/// On processors with AMX, oneDNN 2.6.3 calls a null kernel for bf16 problems whose last window
/// along a strided axis other than the innermost lies wholly in the padding (docs/findings.md).
bool crashes_onednn(const Problem& problem) {
  const auto& a = std::get<ConvolutionAttributes>(problem.attributes);
  const Tensor src = permute(problem.src, channels_first_axes(a.data_format, problem.src.rank()));
  const Tensor dst = permute(*problem.dst, channels_first_axes(a.data_format, problem.src.rank()));
  for (std::size_t axis = 0; axis + 1 < a.strides.size(); ++axis) {
    const Extent last = (dst.dims[axis + 2] - 1) * a.strides[axis] - a.pads_begin[axis];
    if (a.strides[axis] > 1 && last >= src.dims[axis + 2]) return true;
  }
  return false;
}

/// Tries `count` random problems; returns how many of them the plugin served.
int expect_exact_on_many(PluginCaller& plugin, const Library& library, int count,
                         const Limits& limits) {
  std::mt19937_64 random(20240);
  int served = 0;
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const Problem problem = random_problem(random, library.dtype, limits);
    if (library.plugin == std::string("onednn") && library.dtype == Dtype::kBF16 &&
        crashes_onednn(problem)) {
      continue;
    }
    SCOPED_TRACE(print(problem));
    concord_answer answer;
    const concord_status status = plugin.query(problem, answer);
    if (status == CONCORD_UNSUPPORTED) {
      EXPECT_EQ(problem.src.rank(), 5u) << "declined: " << answer.reason;
      EXPECT_STRNE(answer.reason, "");
      continue;
    }
    EXPECT_EQ(status, CONCORD_OK) << answer.reason;
    const concord_shape& dst = answer.outputs[0];
    EXPECT_EQ(Extents(dst.dims, dst.dims + dst.rank), problem.dst->dims);
    expect_exact(plugin, problem, random);
    ++served;
  }
  return served;
}

TEST_P(LibraryTest, IsExactOnSmallRandomProblemsOfIntegers) {
  EXPECT_GT(expect_exact_on_many(plugin_, GetParam(), 300,
                                 {.spatial_rank = 3, .kernel = 3, .channels = 5}),
            150);
}

// Vectors have up to 16 f32 elements, tiles up to 32 bf16.
TEST_P(LibraryTest, IsExactWithMoreChannelsThanAVectorHas) {
  EXPECT_GT(
      expect_exact_on_many(plugin_, GetParam(), 60,
                           {.spatial_rank = 2, .kernel = 2, .channels = 49, .fewest_channels = 15}),
      40);
}

// The result is the same subnormal where the backend does not say that it may be zero.
TEST_P(LibraryTest, KeepsSubnormalsUnlessItSaysOtherwise) {
  const std::string shapes = " src=1x2x2x1 weights=1x1x1x1 dst=1x2x2x1";
  const Problem problem = line("Convolution " + std::string(to_string(GetParam().dtype)) + shapes +
                               " data_format=NXC weights_format=XIO");
  const double tiny = format_of(problem.dtype).smallest();
  concord_answer answer;
  ASSERT_EQ(plugin_.query(problem, answer), CONCORD_OK) << answer.reason;
  const double want = answer.arithmetic.flushes_subnormals != 0 ? 0 : tiny;
  Trial trial(problem, {{tiny, 0, -tiny, 1}, {1}, {}}, /*flush_with_end=*/true);
  void* handle = plugin_.prepare(problem, 1, nullptr, nullptr);
  trial.expect(plugin_, handle, {want, 0, -want, 1});
  plugin_.release(handle);
}

TEST_P(LibraryTest, RefusesWhatTheSpecificationForbids) {
  const std::string dtype(to_string(GetParam().dtype));
  concord_answer answer;
  for (const char* wrong :
       {"src=1x3x5x5 weights=4x3x3x3 strides=0,1 data_format=NCX weights_format=OIX",
        "src=1x3x5x5 weights=4x3x3x3 pads_begin=-1,0 data_format=NCX weights_format=OIX",
        "src=1x3x5x5 weights=4x2x3x3 data_format=NCX weights_format=OIX",
        "src=1x3x5x5 weights=4x3x7x3 data_format=NCX weights_format=OIX",
        "src=1x3x5x5 weights=4x3x3x3 bias=3 data_format=NCX weights_format=OIX",
        "src=1x3x5x5 weights=4x3x3x3 dst=1x4x3x4 data_format=NCX weights_format=OIX"}) {
    EXPECT_EQ(plugin_.query(line("Convolution " + dtype + " " + wrong), answer), CONCORD_INVALID)
        << wrong;
    EXPECT_STRNE(answer.reason, "") << wrong;
  }
}

/// oneDNN's bf16 needs AVX-512, XNNPACK's f16 AVX2.
bool processor_serves(const Library& library) {
  const std::string plugin = library.plugin;
  if (plugin == "onednn" && library.dtype == Dtype::kBF16) {
    return __builtin_cpu_supports("avx512bw");
  }
  if (plugin == "xnnpack" && library.dtype == Dtype::kF16) return __builtin_cpu_supports("avx2");
  return true;
}

const Library kPeers[] = {{"onednn", "", Dtype::kF32},  {"onednn", "plain", Dtype::kF32},
                          {"onednn", "", Dtype::kBF16}, {"xnnpack", "", Dtype::kF32},
                          {"xnnpack", "", Dtype::kF16}, {"eigen", "", Dtype::kF32},
                          {"eigen", "", Dtype::kF16},   {"eigen", "", Dtype::kBF16}};

std::vector<Library> served_peers() {
  std::vector<Library> served;
  std::copy_if(std::begin(kPeers), std::end(kPeers), std::back_inserter(served), processor_serves);
  return served;
}

INSTANTIATE_TEST_SUITE_P(Backends, LibraryTest, testing::ValuesIn(served_peers()),
                         [](const testing::TestParamInfo<Library>& library) {
                           const std::string config = library.param.config;
                           return std::string(library.param.plugin) +
                                  (config.empty() ? "" : "_" + config) + "_" +
                                  std::string(to_string(library.param.dtype));
                         });

TEST(Libraries, DeclineDtypesThatTheirLibrariesLack) {
  for (const auto& [plugin, dtype] : {std::pair("onednn", "f16"), std::pair("xnnpack", "bf16")}) {
    PluginCaller caller(path_of(plugin), "");
    concord_answer answer;
    EXPECT_EQ(caller.query(line(std::string("Convolution ") + dtype +
                                " src=1x5x5x3 weights=3x3x3x4 data_format=NXC weights_format=XIO"),
                           answer),
              CONCORD_UNSUPPORTED);
    EXPECT_THAT(answer.reason, testing::HasSubstr(dtype));
  }
}

TEST(Libraries, DeclineDtypesThatTheProcessorLacks) {
  for (const Library& library : kPeers) {
    PluginCaller caller(path_of(library.plugin), library.config);
    concord_answer answer;
    const concord_status status =
        caller.query(line("Convolution " + std::string(to_string(library.dtype)) +
                          " src=1x5x5x3 weights=3x3x3x4 data_format=NXC weights_format=XIO"),
                     answer);
    EXPECT_EQ(status, processor_serves(library) ? CONCORD_OK : CONCORD_UNSUPPORTED) << library;
  }
}

// Its kernels assert that they have input to read.
TEST(Libraries, XnnpackDeclinesWindowsThatDoNotFit) {
  PluginCaller caller(path_of("xnnpack"), "");
  concord_answer answer;
  EXPECT_EQ(caller.query(line("Convolution f32 src=2x3x5x2 weights=4x3x2x3 data_format=NCX"
                              " weights_format=OIX"),
                         answer),
            CONCORD_UNSUPPORTED);
  EXPECT_THAT(answer.reason, testing::HasSubstr("window"));
}

TEST(Libraries, RefuseConfigurationsThatTheyDoNotKnow) {
  for (const char* plugin : {"onednn", "xnnpack", "eigen"}) {
    EXPECT_THROW(PluginCaller(path_of(plugin), "fast"), std::runtime_error) << plugin;
  }
}

}  // namespace
}  // namespace concord::backends

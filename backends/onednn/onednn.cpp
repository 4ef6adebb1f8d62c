// SPDX-License-Identifier: Apache-2.0
// oneDNN's convolution primitive behind the plugin ABI.
//
// The primitive chooses its own layouts and oneDNN's reorders bring the user's tensors there and
// back; with the configuration "plain" the primitive gets the user's strides as they are.
#include <dnnl.hpp>
#include <string>
#include <unordered_map>

#include "backends/adapter/adapter.h"
#include "backends/adapter/shape.h"
#include "backends/onednn/descriptors.h"

// OpenMP's own function, from the runtime that oneDNN is linked to; <omp.h> would be the
// compiler's.
extern "C" void omp_set_num_threads(int threads);

namespace concord::backends {
namespace {

using dnnl::convolution_forward;
using dnnl::memory;

const char* version_text() {
  const dnnl_version_t* version = dnnl::version();
  static const std::string text = std::to_string(version->major) + "." +
                                  std::to_string(version->minor) + "." +
                                  std::to_string(version->patch);
  return text.c_str();
}

/// The convolution with every descriptor chosen; throws dnnl::error where oneDNN has none.
convolution_forward::primitive_desc choose(const Descriptors& user, const PrimitiveWindow& window,
                                           bool plain, const dnnl::engine& engine) {
  const auto choice = [plain](const memory::desc& desc) {
    return plain ? desc : memory::desc(desc.dims(), desc.data_type(), memory::format_tag::any);
  };
  dnnl::primitive_attr attributes;
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);  // whatever the environment says
  // With a scratchpad of the library's a primitive must stay in the thread that made it.
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  // Direct, never Winograd: every output is a sum of products of inputs and weights.
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto kind = dnnl::prop_kind::forward_inference;
  if (!user.bias) {
    return {{kind, algorithm, choice(user.src), choice(user.weights), choice(user.dst),
             window.strides, window.dilations, window.pads_begin, window.pads_end},
            attributes,
            engine};
  }
  return {{kind, algorithm, choice(user.src), choice(user.weights), choice(*user.bias),
           choice(user.dst), window.strides, window.dilations, window.pads_begin, window.pads_end},
          attributes,
          engine};
}

/// One tensor between the user's layout and the primitive's.
class Port {
 public:
  Port(const memory::desc& user, const memory::desc& inner, const dnnl::engine& engine)
      : user_(user, engine, nullptr), inner_(inner, engine, nullptr), moves_(user != inner) {
    if (moves_) inner_ = memory(inner, engine);
  }

  /// Points at the user's data; call load() or store() next.
  void bind(void* data) {
    user_.set_data_handle(data);
    if (!moves_) inner_.set_data_handle(data);
  }
  void load(dnnl::stream& stream) { move(user_, inner_, stream); }
  void store(dnnl::stream& stream) { move(inner_, user_, stream); }
  const memory& inner() const { return inner_; }
  bool moves() const { return moves_; }

 private:
  void move(memory& from, memory& to, dnnl::stream& stream) const {
    if (moves_) dnnl::reorder(from, to).execute(stream, from, to);
  }

  memory user_, inner_;
  bool moves_;
};

class PreparedConvolution : public Prepared {
 public:
  PreparedConvolution(const Descriptors& user,
                      const convolution_forward::primitive_desc& convolution,
                      const dnnl::engine& engine, const PrepareOptions& options)
      : threads_(options.threads),
        stream_(engine),
        convolution_(convolution),
        scratchpad_(convolution.scratchpad_desc(), engine, nullptr),
        src_(user.src, convolution.src_desc(), engine),
        weights_(user.weights, convolution.weights_desc(), engine),
        dst_(user.dst, convolution.dst_desc(), engine) {
    workspace_bytes = convolution.scratchpad_desc().get_size();
    if (user.bias) bias_.emplace(*user.bias, convolution.bias_desc(), engine);
    packed_weights_ = pack(weights_, options.weights);
    if (bias_) packed_bias_ = pack(*bias_, options.bias);
  }

  std::optional<Refused> execute(const Buffers& buffers) override {
    omp_set_num_threads(threads_);
    bring(src_, buffers.src.data);
    if (!packed_weights_) bring(weights_, buffers.weights.data);
    dst_.bind(buffers.dst.data);
    scratchpad_.set_data_handle(buffers.workspace);
    std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, src_.inner()},
                                                 {DNNL_ARG_WEIGHTS, weights_.inner()},
                                                 {DNNL_ARG_DST, dst_.inner()},
                                                 {DNNL_ARG_SCRATCHPAD, scratchpad_}};
    if (bias_) {
      if (!packed_bias_) bring(*bias_, buffers.bias.data);
      arguments.emplace(DNNL_ARG_BIAS, bias_->inner());
    }
    convolution_.execute(stream_, arguments);
    dst_.store(stream_);
    stream_.wait();
    return std::nullopt;
  }

 private:
  void bring(Port& port, void* data) {
    port.bind(data);
    port.load(stream_);
  }

  /// Moves data that stay the same into the primitive's layout, once.
  bool pack(Port& port, const void* data) {
    if (data == nullptr || !port.moves()) return false;
    // oneDNN takes a pointer to mutable memory for inputs too; a reorder reads its source only.
    bring(port, const_cast<void*>(data));
    stream_.wait();
    return true;
  }

  int threads_;
  dnnl::stream stream_;
  convolution_forward convolution_;
  memory scratchpad_;
  Port src_, weights_, dst_;
  std::optional<Port> bias_;
  bool packed_weights_ = false, packed_bias_ = false;
};

class OneDnn : public Backend {
 public:
  explicit OneDnn(bool plain) : plain_(plain), engine_(dnnl::engine::kind::cpu, 0) {}

  Or<Answer> query(const Problem& problem) override {
    const auto lowered = lower(problem);
    if (!lowered) return lowered.why();
    const auto& p = *lowered;
    const auto choice = choose_or_decline(problem.dtype, p, 1);
    if (!choice) return choice.why();
    Answer answer;
    answer.dst_dims = p.dst_dims;
    answer.arithmetic = arithmetic_of(problem.dtype);
    // Which sums are split among threads is the kernels' choice; oneDNN promises the same bits
    // only in the same environment.
    answer.same_bits_any_threads = false;
    answer.adapter_part = lowering_part(problem);
    answer.implementation = choice->impl_info_str();
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& problem,
                                        const PrepareOptions& options) override {
    const auto lowered = lower(problem);
    if (!lowered) return lowered.why();
    const auto& p = *lowered;
    const auto choice = choose_or_decline(problem.dtype, p, options.threads);
    if (!choice) return choice.why();
    return std::unique_ptr<Prepared>(std::make_unique<PreparedConvolution>(
        describe(problem.dtype, p), *choice, engine_, options));
  }

 private:
  /// A primitive is planned for the number of threads that is set when it is made.
  Or<convolution_forward::primitive_desc> choose_or_decline(Dtype dtype, const PaddedConvolution& p,
                                                            int threads) {
    if (auto no = beyond_three_axes(p)) return *no;
    if (p.bias_stride == 0) return declines("oneDNN has no bias of one element for all channels");
    if (dtype != Dtype::kF32 && dtype != Dtype::kBF16) {
      return declines("oneDNN 2 has no " + std::string(to_string(dtype)) + " on CPUs");
    }
    if (const auto large = beyond_32_bits(p)) return declines(*large);
    omp_set_num_threads(threads);
    try {
      return choose(describe(dtype, p), primitive_window(p), plain_, engine_);
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
      return declines(std::string("oneDNN: ") + error.what());
    }
  }

  /// Sums are in f32 for both dtypes. The instructions for bf16 (VDPBF16PS, TDPBF16PS) take
  /// subnormals for zero, before and after, whatever the processor's mode.
  static concord_arithmetic arithmetic_of(Dtype dtype) {
    concord_arithmetic arithmetic{};
    const int bf16 = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
    const int isa = static_cast<int>(dnnl::get_effective_cpu_isa());
    arithmetic.flushes_subnormals = dtype == Dtype::kBF16 && (isa & bf16) == bf16;
    return arithmetic;
  }

  bool plain_;
  dnnl::engine engine_;
};

Or<std::unique_ptr<Backend>> open_onednn(const std::string& config) {
  if (!config.empty() && config != "plain") {
    return invalid("this backend knows the configuration 'plain', not '" + config + "'");
  }
  return std::unique_ptr<Backend>(std::make_unique<OneDnn>(config == "plain"));
}

}  // namespace
}  // namespace concord::backends

CONCORD_BACKEND("onednn", concord::backends::version_text(), concord::backends::open_onednn)

// SPDX-License-Identifier: Apache-2.0
// The workspace is all the memory that an execution takes: what it asks the heap for is counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>

#include "optimized/operations/cntk.h"
#include "optimized/runtime/thread_pool.h"
#include "optimized/testing/trial.h"

namespace {

std::atomic<std::size_t>& heap_bytes() {
  static std::atomic<std::size_t> bytes{0};
  return bytes;
}

}  // namespace

// Not inlined: GCC would see free() of what operator new gave, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  heap_bytes() += bytes;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace concord::optimized {
namespace {

// What a sample may take for bookkeeping: the closures of its loops, far less than its elements.
constexpr std::size_t kBookkeeping = 512;

template <class Call>
std::size_t heap_bytes_of(const Call& call) {
  const std::size_t before = heap_bytes();
  call();
  return heap_bytes() - before;
}

TEST(Memory, OfTheHeapIsCounted) {
  std::vector<char> memory;
  EXPECT_GE(heap_bytes_of([&] { memory.resize(1000); }), 1000U);
}

// By every algorithm, with src staged and in place, at every instruction set. Few rows in bf16,
// since matrix blocks note for each which taps it has.
TEST(Memory, OfAPackedConvolutionIsItsWorkspace) {
  struct Case {
    const char* line;
    int winograd;
  };
  for (const auto& [line, winograd] :
       {Case{"f32 src=1x16x16x32 weights=3x3x32x40 data_format=NXC weights_format=XIO", 0},
        Case{"bf16 src=1x6x16x33 weights=3x3x33x40 data_format=NXC weights_format=XIO", 0},
        Case{"f16 src=1x32x16x16 weights=40x32x3x3 data_format=NCX weights_format=OIX", 0},
        Case{"f32 src=1x32x16x16 weights=40x32x1x1 data_format=NCX weights_format=OIX", 0},
        Case{"f32 src=1x16x16x40 weights=3x3x1x40 groups=40 data_format=NXC weights_format=XIO", 0},
        Case{"f16 src=1x40x16x16 weights=40x4x3x3 groups=10 data_format=NCX weights_format=OIX", 0},
        Case{"f64 src=1x16x16x32 weights=3x3x32x40 data_format=NXC weights_format=XIO", 0},
        Case{"f64 src=1x32x16x16 weights=40x32x1x1 data_format=NCX weights_format=OIX", 0},
        Case{"f64 src=1x40x16x16 weights=40x4x3x3 groups=10 data_format=NCX weights_format=OIX", 0},
        Case{"f32 src=1x16x16x32 weights=3x3x32x40 data_format=NXC weights_format=XIO", 4}}) {
    const Problem problem = testing::problem_of("Convolution " + std::string(line));
    for (const Isa isa : testing::supported_isas()) {
      const auto plan = make_plan(problem, {.isa = isa, .winograd = winograd});
      ASSERT_TRUE(plan) << line;
      const auto zeros = [&](const Extents& dims) {
        return std::vector<std::byte>(static_cast<std::size_t>(*element_count(dims)) *
                                      size_of(problem.dtype));
      };
      const auto src = zeros(problem.src.dims);
      auto dst = zeros(plan->dst_dims());
      const Packed packed = pack(*plan, zeros(problem.weights.dims).data(), nullptr);
      std::vector<std::byte> workspace(plan->workspace_bytes);
      EXPECT_LE(
          heap_bytes_of([&] { execute(*plan, packed, src.data(), dst.data(), workspace.data()); }),
          kBookkeeping)
          << line << "\n"
          << describe(*plan);
    }
  }
}

TEST(Memory, OfCntksConvolutionIsItsWorkspace) {
  for (const Extent sharing : {0, 1}) {
    CntkConvolutionAttributes a;
    a.kernel = {3, 3, 4};
    a.stride = {1, 1, 4};
    a.auto_padding = {1, 1, 0};
    a.sharing = {sharing};
    a.map_count = {8};
    a.max_temp_mem_size_in_samples = 2;
    CntkTensors tensors;
    tensors.src.dims = {16, 16, 4, 6};
    tensors.weights.dims = {sharing == 1 ? 8 : 8 * 256, 36};
    const auto shape = infer_cntk(tensors, a, Reading::kDocumented);
    ASSERT_TRUE(shape) << shape.why().detail;
    const auto plan = make_cntk_plan(*shape);
    ASSERT_TRUE(plan);
    const std::vector<float> src(16 * 16 * 4 * 6, 1.0F);
    const std::vector<float> weights(static_cast<std::size_t>(tensors.weights.dims[0] * 36), 1.0F);
    std::vector<float> dst(16 * 16 * 8 * 6);
    const Packed packed = pack(*plan, weights.data());
    std::vector<std::byte> workspace(plan->workspace_bytes);
    EXPECT_LE(
        heap_bytes_of([&] { execute(*plan, packed, src.data(), dst.data(), workspace.data()); }),
        kBookkeeping * 6);
  }
}

// Sanitizers hold memory of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Of each of so many plans on several threads TBB would keep two pages, had it an arena of its own.
TEST(Memory, OfThreadsIsGivenBack) {
  constexpr int kPlans = 1024;
  const auto pages = [] {
    std::ifstream file("/proc/self/statm");
    long count = 0;
    file >> count;
    return count;
  };
  const auto make_and_run = [&] {
    for (int plan = 0; plan < kPlans; ++plan) ThreadPool(2).run(8, [](Extent, int) {});
    return pages();
  };
  const long before = make_and_run();
  ASSERT_GT(before, 0);
  EXPECT_LT(make_and_run() - before, kPlans / 4);
}
#endif

}  // namespace
}  // namespace concord::optimized

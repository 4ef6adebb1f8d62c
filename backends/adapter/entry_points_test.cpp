// SPDX-License-Identifier: Apache-2.0
// The entry points as a host sees them, a polite one and a hostile one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "backends/adapter/adapter.h"
#include "backends/adapter/load_plugin.h"
#include "plugin_codec/plugin_problem.h"
#include "plugin_codec/problem_from_plugin.h"

namespace concord::backends {
namespace {

using ::testing::HasSubstr;

const char* const kLine =
    "Convolution f32 src=1x2x5x4 weights=3x2x2x2 bias=3 data_format=NCX "
    "weights_format=OIX";

Problem parsed(const std::string& line) { return *parse(line); }

// A backend that does what its configuration says: "", or the name of a function that throws.
class ScriptedBackend : public Backend {
 public:
  explicit ScriptedBackend(std::string script) : script_(std::move(script)) {}

  Or<Answer> query(const Problem& problem) override {
    if (script_ == "query throws") throw std::runtime_error("from query");
    if (script_ == "query throws seven") throw 7;
    if (script_ == "declines") return declines(std::string(1000, 'x'));
    if (script_ == "answers success as refusal") return Refused{CONCORD_OK, "odd"};
    Answer answer;
    answer.dst_dims = {1, 3, 4, 3};
    if (script_ == "nine dimensions") answer.dst_dims.assign(9, 1);
    answer.implementation = print(problem);
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem&, const PrepareOptions& options) override {
    if (script_ == "prepare throws") throw std::bad_alloc();
    if (script_ == "prepares nothing") return std::unique_ptr<Prepared>();
    class Filler : public Prepared {
     public:
      explicit Filler(bool throws) : throws_(throws) { workspace_bytes = 8; }
      std::optional<Refused> execute(const Buffers& buffers) override {
        if (throws_) throw std::out_of_range("from execute");
        std::memset(buffers.dst.data, 0, buffers.dst.bytes);
        return std::nullopt;
      }

     private:
      bool throws_;
    };
    auto filler = std::make_unique<Filler>(script_ == "execute throws");
    // A test can see from outside which weights were shown: by how much workspace there is.
    if (options.weights != nullptr) {
      filler->workspace_bytes =
          static_cast<std::size_t>(*static_cast<const float*>(options.weights));
    }
    return std::unique_ptr<Prepared>(std::move(filler));
  }

 private:
  std::string script_;
};

Or<std::unique_ptr<Backend>> open_scripted(const std::string& config) {
  if (config == "unknown") return invalid("no such script");
  if (config == "open throws") throw std::logic_error("from open");
  return std::unique_ptr<Backend>(std::make_unique<ScriptedBackend>(config));
}

const concord_plugin& plugin() {
  static const concord_plugin table = make_plugin("scripted", "1.0", open_backend<open_scripted>);
  return table;
}

// A backend that is open.
class Opened {
 public:
  explicit Opened(const char* script = "") {
    EXPECT_EQ(plugin().open(script, &backend, reason), CONCORD_OK) << reason;
  }
  ~Opened() { plugin().close(backend); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  concord_status query(const concord_problem* problem) {
    answer = concord_answer{};
    answer.struct_size = sizeof answer;
    return plugin().query(backend, problem, &answer);
  }
  concord_status prepare(const concord_problem* problem) {
    prepared = concord_prepared{};
    prepared.struct_size = sizeof prepared;
    return plugin().prepare(backend, problem, &options, &prepared);
  }

  void* backend = nullptr;
  char reason[CONCORD_TEXT] = "";
  concord_answer answer{};
  concord_prepared prepared{};
  concord_prepare_options options{sizeof(concord_prepare_options), 1, {}};
};

Problem with_dst() {
  Problem problem = parsed(kLine);
  problem.dst = Tensor{{1, 3, 4, 3}, {}};
  return problem;
}

// The memory of one execution of with_dst(), as large as it must be.
struct Execution {
  std::vector<float> src = std::vector<float>(40), weights = std::vector<float>(24),
                     bias = std::vector<float>(3), dst = std::vector<float>(36, 5.0F);
  alignas(64) std::array<std::byte, 64> workspace{};
  std::array<concord_buffer, 3> inputs{
      {{src.data(), 160}, {weights.data(), 96}, {bias.data(), 12}}};
  concord_buffer output{dst.data(), 144};
  char reason[CONCORD_TEXT] = "";
  concord_execution call{
      sizeof(concord_execution), inputs.data(), &output, workspace.data(), 64, reason};
};

TEST(EntryPoints, CarriesEveryProblemUnchanged) {
  for (const char* line :
       {kLine,
        "Convolution1 bf16 src=1x9x7x3:256x28x4x1 weights=3x3x3x8 auto_pad=same_upper "
        "data_format=NXC filter_format=XIO reading=documented",
        "AtrousConv2d f32 src=2x9x10x2 weights=3x2x2x2 rate=3 padding=SAME",
        "Convolution f16 src=3x2 weights=() strides=() pads_begin=-1,2,3 groups=0 "
        "data_format=NCX weights_format=OIX",
        "Convolution f32 src=1x2x5x4 weights=3x2x2x2 dst=1x3x4x3:99x33x8x2 data_format=NCX "
        "weights_format=OIX"}) {
    const Problem problem = parsed(line);
    const PluginProblem structs(problem);
    const auto back = problem_from_plugin(*structs.get());
    ASSERT_TRUE(back) << back.why().reason;
    EXPECT_EQ(print(*back), print(problem));
  }
}

TEST(EntryPoints, GivesDstTheStridesOfADenseTensorIfItIsDense) {
  const PluginProblem structs(with_dst());
  const auto back = problem_from_plugin(*structs.get());
  EXPECT_EQ(back->dst->strides, (Extents{36, 12, 3, 1}));
}

TEST(EntryPoints, DeclinesWhatItDoesNotKnow) {
  PluginProblem structs(parsed(kLine));
  const auto status = [&] { return problem_from_plugin(*structs.get()).why().status; };
  structs.problem().operation = 77;
  EXPECT_EQ(status(), CONCORD_UNSUPPORTED);
  structs.problem().operation = CONCORD_CONVOLUTION;
  structs.problem().reading = 2;
  EXPECT_EQ(status(), CONCORD_UNSUPPORTED);
  structs.problem().reading = 0;
  std::get<concord_convolution>(structs.attributes()).auto_pad = -1;
  EXPECT_EQ(status(), CONCORD_UNSUPPORTED);
  std::get<concord_convolution>(structs.attributes()).auto_pad = 0;
  structs.inputs()[0].dtype = 9;
  EXPECT_EQ(status(), CONCORD_UNSUPPORTED);
  structs.inputs()[0].dtype = CONCORD_F32;
  structs.inputs()[1].dtype = 9;
  EXPECT_EQ(status(), CONCORD_UNSUPPORTED);
}

TEST(EntryPoints, AsksForStructsOfFullSizeAndListsWithinBounds) {
  const auto refused = [](auto spoil) {
    PluginProblem structs(parsed(kLine));
    spoil(structs);
    const auto back = problem_from_plugin(*structs.get());
    return !back && back.why().status == CONCORD_FAULT;
  };
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().struct_size = 8; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().inputs = nullptr; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().outputs = nullptr; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().attributes = nullptr; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().num_inputs = -1; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().num_inputs = 4; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.problem().num_outputs = 0; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.inputs()[1].rank = 9; }));
  EXPECT_TRUE(refused([](PluginProblem& d) { d.output().rank = -3; }));
  EXPECT_TRUE(refused(
      [](PluginProblem& d) { std::get<concord_convolution>(d.attributes()).struct_size = 4; }));
  EXPECT_TRUE(refused([](PluginProblem& d) {
    std::get<concord_convolution>(d.attributes()).strides.size = 1 << 30;
  }));
  EXPECT_TRUE(refused(
      [](PluginProblem& d) { std::get<concord_convolution>(d.attributes()).pads_end.size = -1; }));
}

TEST(EntryPoints, TakesAnImageLayoutThatAnEarlierHostDoesNotHaveForCudnn) {
  PluginProblem structs(parsed("CntkConvolution f32 src=5x1 weights=1x3 imageLayout=HWC"));
  auto& attributes = std::get<concord_cntk_convolution>(structs.attributes());
  const auto layout = [&] {
    const auto problem = problem_from_plugin(*structs.get());
    return std::get<CntkConvolutionAttributes>(problem->attributes).image_layout;
  };
  EXPECT_EQ(layout(), CntkLayout::kHwc);
  attributes.struct_size = offsetof(concord_cntk_convolution, image_layout);
  EXPECT_EQ(layout(), CntkLayout::kCudnn);
  --attributes.struct_size;
  EXPECT_EQ(problem_from_plugin(*structs.get()).why().status, CONCORD_FAULT);
}

TEST(EntryPoints, TakesAnAbsentBiasForNone) {
  PluginProblem structs(parsed(kLine));
  structs.inputs()[2].dtype = 0;
  EXPECT_FALSE(problem_from_plugin(*structs.get())->bias);
}

TEST(EntryPoints, CutsTextWithinItsBytesAndBetweenCharacters) {
  char text[CONCORD_TEXT + 1];
  text[CONCORD_TEXT] = '!';
  put_text(std::string(300, 'a'), text);
  EXPECT_EQ(std::string(text), std::string(255, 'a'));
  put_text(std::string(254, 'a') + "\xC3\xA9!", text);  // the two bytes of an e with an accent
  EXPECT_EQ(std::string(text), std::string(254, 'a'));
  put_text("a\nb\tc", text);
  EXPECT_STREQ(text, "a b c");
  EXPECT_EQ(text[CONCORD_TEXT], '!');
  put_text("no place to put it", nullptr);
}

TEST(EntryPoints, TurnsWhatIsThrownIntoAFault) {
  void* backend = nullptr;
  char reason[CONCORD_TEXT] = "";
  EXPECT_EQ(plugin().open("open throws", &backend, reason), CONCORD_FAULT);
  EXPECT_THAT(reason, HasSubstr("from open"));
  EXPECT_EQ(backend, nullptr);

  const PluginProblem structs(with_dst());
  Opened querying("query throws");
  EXPECT_EQ(querying.query(structs.get()), CONCORD_FAULT);
  EXPECT_THAT(querying.answer.reason, HasSubstr("from query"));
  Opened seven("query throws seven");
  EXPECT_EQ(seven.query(structs.get()), CONCORD_FAULT);
  EXPECT_THAT(seven.answer.reason, HasSubstr("unknown type"));
  Opened preparing("prepare throws");
  EXPECT_EQ(preparing.prepare(structs.get()), CONCORD_FAULT);
  EXPECT_THAT(preparing.prepared.reason, HasSubstr("bad_alloc"));
  Opened executing("execute throws");
  ASSERT_EQ(executing.prepare(structs.get()), CONCORD_OK);
  Execution execution;
  EXPECT_EQ(plugin().execute(executing.backend, executing.prepared.handle, &execution.call),
            CONCORD_FAULT);
  EXPECT_THAT(execution.reason, HasSubstr("from execute"));
  plugin().release(executing.backend, executing.prepared.handle);
}

TEST(EntryPoints, PassesRefusalsOnWithTheirReasons) {
  void* backend = nullptr;
  char reason[CONCORD_TEXT] = "";
  EXPECT_EQ(plugin().open("unknown", &backend, reason), CONCORD_INVALID);
  EXPECT_STREQ(reason, "no such script");
  const PluginProblem structs(parsed(kLine));
  Opened declining("declines");
  EXPECT_EQ(declining.query(structs.get()), CONCORD_UNSUPPORTED);
  EXPECT_EQ(std::strlen(declining.answer.reason), 255U);
  Opened odd("answers success as refusal");
  EXPECT_EQ(odd.query(structs.get()), CONCORD_FAULT);
  Opened nine("nine dimensions");
  EXPECT_EQ(nine.query(structs.get()), CONCORD_FAULT);
  Opened nothing("prepares nothing");
  EXPECT_EQ(nothing.prepare(PluginProblem(with_dst()).get()), CONCORD_FAULT);
}

TEST(EntryPoints, SurvivesAHostThatPassesNothing) {
  Opened opened;
  char reason[CONCORD_TEXT] = "";
  EXPECT_EQ(plugin().open(nullptr, nullptr, nullptr), CONCORD_FAULT);
  EXPECT_EQ(plugin().open("", nullptr, reason), CONCORD_FAULT);
  EXPECT_EQ(plugin().query(nullptr, nullptr, nullptr), CONCORD_FAULT);
  EXPECT_EQ(opened.query(nullptr), CONCORD_FAULT);
  EXPECT_EQ(plugin().query(nullptr, nullptr, &opened.answer), CONCORD_FAULT);
  EXPECT_EQ(plugin().prepare(opened.backend, nullptr, nullptr, nullptr), CONCORD_FAULT);
  EXPECT_EQ(opened.prepare(nullptr), CONCORD_FAULT);
  EXPECT_EQ(plugin().execute(opened.backend, nullptr, nullptr), CONCORD_FAULT);
  plugin().release(opened.backend, nullptr);
  plugin().close(nullptr);
}

TEST(EntryPoints, PreparesForOneThreadAtLeastAndForACompleteDst) {
  Opened opened;
  const PluginProblem complete(with_dst()), without_dst(parsed(kLine));
  opened.options.threads = 0;
  EXPECT_EQ(opened.prepare(complete.get()), CONCORD_FAULT);
  opened.options.threads = 2;
  EXPECT_EQ(opened.prepare(without_dst.get()), CONCORD_FAULT);
  EXPECT_THAT(opened.prepared.reason, HasSubstr("dst"));
  opened.options.struct_size = 8;
  EXPECT_EQ(opened.prepare(complete.get()), CONCORD_FAULT);
}

TEST(EntryPoints, WithoutAPlanSaysSoAndKeepsItsRules) {
  Opened opened;
  const PluginProblem complete(with_dst());
  char text[CONCORD_TEXT] = "before";
  const auto describe = [&](std::size_t size) {
    return plugin().describe_plan(opened.backend, complete.get(), &opened.options, text, size);
  };
  EXPECT_EQ(describe(sizeof text), CONCORD_UNSUPPORTED);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(describe(sizeof text - 1), CONCORD_FAULT);
  opened.options.threads = 0;
  EXPECT_EQ(describe(sizeof text), CONCORD_FAULT);
}

TEST(EntryPoints, ShowsConstantWeightsToTheBackend) {
  Opened opened;
  const float weights = 24;
  opened.options.data[1] = &weights;
  ASSERT_EQ(opened.prepare(PluginProblem(with_dst()).get()), CONCORD_OK);
  EXPECT_EQ(opened.prepared.workspace_bytes, 24U);
  plugin().release(opened.backend, opened.prepared.handle);
}

TEST(EntryPoints, ExecutesOnBuffersOfExactlyTheRightSizeAndAlignment) {
  Opened opened;
  ASSERT_EQ(opened.prepare(PluginProblem(with_dst()).get()), CONCORD_OK) << opened.prepared.reason;
  EXPECT_EQ(opened.prepared.workspace_bytes, 8U);
  const auto run = [&](auto spoil) {
    Execution execution;
    spoil(execution);
    return plugin().execute(opened.backend, opened.prepared.handle, &execution.call);
  };
  EXPECT_EQ(run([](Execution&) {}), CONCORD_OK);
  EXPECT_EQ(run([](Execution& e) { e.inputs[0].bytes = 159; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.inputs[1].data = nullptr; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.inputs[2].bytes = 16; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.output.bytes = 0; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.output.data = e.workspace.data() + 1; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.workspace = nullptr; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.workspace_bytes = 7; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.workspace = e.workspace.data() + 4; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.inputs = nullptr; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.outputs = nullptr; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) { e.call.struct_size = 1; }), CONCORD_FAULT);
  EXPECT_EQ(run([](Execution& e) {
              e.call.reason = nullptr;
              e.output.bytes = 1;
            }),
            CONCORD_FAULT);
  plugin().release(opened.backend, opened.prepared.handle);
}

TEST(EntryPoints, SaysNoToAProblemWhoseTensorsHaveNoSize) {
  Opened opened;
  Problem problem = with_dst();
  problem.src.dims[0] = INT64_MAX;
  EXPECT_EQ(opened.prepare(PluginProblem(problem).get()), CONCORD_INVALID);
  problem.src.dims[0] = -1;
  EXPECT_EQ(opened.prepare(PluginProblem(problem).get()), CONCORD_INVALID);
}

}  // namespace
}  // namespace concord::backends

// SPDX-License-Identifier: Apache-2.0
// The faulty backend: faulty:NAME has the bug of that name, faulty:none has none. It shows which
// bugs the suite finds, and so how far a passed suite can be trusted.
#include <utility>

#include "backends/faulty/catalogue.h"

namespace concord::backends::faulty {
namespace {

Views views_of(const Problem& problem, const PaddedConvolution& padded) {
  Views views{padded.src, padded.weights, padded.dst, std::nullopt};
  if (problem.bias) views.bias = Tensor{{padded.OC}, {*padded.bias_stride}};
  return views;
}

class FaultyPrepared : public Prepared {
 public:
  FaultyPrepared(const Mutation& mutation, Problem problem, const PaddedConvolution& padded,
                 const PrepareOptions& options, Memory& memory)
      : mutation_(mutation),
        problem_(std::move(problem)),
        views_(views_of(problem_, padded)),
        nest_(nest_of(padded)),
        threads_(options.threads),
        constant_weights_(options.weights != nullptr),
        releases_before_(memory.releases),
        memory_(memory) {
    workspace_bytes = mutation.workspace_bytes;
  }
  ~FaultyPrepared() override { ++memory_.releases; }
  FaultyPrepared(const FaultyPrepared&) = delete;
  FaultyPrepared& operator=(const FaultyPrepared&) = delete;

  std::optional<Refused> execute(const Buffers& buffers) override {
    if (problem_.dtype == Dtype::kF64) {
      faulty::execute(mutation_.doubles, nest_, views_, buffers);
      return std::nullopt;
    }
    Run run{problem_,
            nest_,
            views_,
            buffers,
            memory_,
            threads_,
            executions_,
            constant_weights_,
            memory_.releases - releases_before_};
    const concord_status status = faulty::execute(mutation_, nest_, run);
    ++executions_;
    ++memory_.executions;
    if (status == CONCORD_OK) return std::nullopt;
    return Refused{status, "a planted failure"};
  }

 private:
  const Mutation& mutation_;
  Problem problem_;
  Views views_;
  Nest nest_;
  int threads_;
  bool constant_weights_;
  int releases_before_;
  int executions_ = 0;
  Memory& memory_;
};

class FormPrepared : public Prepared {
 public:
  FormPrepared(const Mutation& mutation, Problem problem, reference::Resolution resolution)
      : mutation_(mutation), problem_(std::move(problem)), resolution_(std::move(resolution)) {
    const auto workspace = mutation_.forms.workspace;
    if (workspace != nullptr) workspace_bytes = workspace(problem_, resolution_);
  }

  std::optional<Refused> execute(const Buffers& buffers) override {
    faulty::execute(mutation_.forms, mutation_.doubles, problem_, resolution_, buffers);
    return std::nullopt;
  }

 private:
  const Mutation& mutation_;
  Problem problem_;
  reference::Resolution resolution_;
};

class FaultyBackend : public Backend {
 public:
  explicit FaultyBackend(const Bug& bug) : mutation_(bug.mutation) {}

  Or<Answer> query(const Problem& asked) override {
    const Problem problem = believed(asked);
    if (problem.dtype == Dtype::kF64 && !serves_f64(problem)) {
      return declines("the plain loops of this bug sum in f32");
    }
    if (is_form(problem)) return query_form(problem);
    const auto padded = lower(problem);
    if (!padded) return padded.why();
    if (mutation_.query != nullptr) {
      if (auto no = mutation_.query(problem)) return *std::move(no);
    }
    Answer answer;
    answer.dst_dims = padded->dst_dims;
    answer.same_bits_any_threads = true;
    answer.implementation = "plain loops";
    if (mutation_.answer != nullptr) mutation_.answer(problem, answer);
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare(const Problem& asked,
                                        const PrepareOptions& options) override {
    const Problem problem = believed(asked);
    if (is_form(problem)) return prepare_form(problem);
    const auto padded = lower(problem);
    if (!padded) return padded.why();
    if (mutation_.prepare != nullptr) {
      if (auto no = mutation_.prepare(problem)) return *std::move(no);
    }
    return std::unique_ptr<Prepared>(
        std::make_unique<FaultyPrepared>(mutation_, problem, *padded, options, memory_));
  }

 private:
  bool serves_f64(const Problem& problem) const {
    return mutation_.doubles.served && !is_continuous(problem.operation());
  }

  Problem believed(Problem problem) const {
    const auto believe = is_form(problem) ? mutation_.forms.problem : mutation_.problem;
    if (believe != nullptr) believe(problem);
    return problem;
  }

  Or<Answer> query_form(const Problem& problem) const {
    const auto resolution = reference::resolve(problem);
    if (!resolution) return invalid(resolution.why().detail);
    Answer answer;
    answer.dst_dims = resolution->dst.dims;
    answer.same_bits_any_threads = true;
    answer.implementation = "plain loops";
    if (mutation_.forms.answer != nullptr) mutation_.forms.answer(problem, answer);
    return answer;
  }

  Or<std::unique_ptr<Prepared>> prepare_form(const Problem& problem) const {
    const auto resolution = reference::resolve(problem);
    if (!resolution) return invalid(resolution.why().detail);
    return std::unique_ptr<Prepared>(
        std::make_unique<FormPrepared>(mutation_, problem, *resolution));
  }

  const Mutation& mutation_;
  Memory memory_;
};

Or<std::unique_ptr<Backend>> open(const std::string& config) {
  const Bug* bug = find_bug(config);
  if (bug == nullptr) {
    return invalid("no bug is named '" + config.substr(0, 60) +
                   "'; 'none', or near it: " + near_names(config));
  }
  return std::unique_ptr<Backend>(std::make_unique<FaultyBackend>(*bug));
}

}  // namespace
}  // namespace concord::backends::faulty

CONCORD_BACKEND("faulty", CONCORD_VERSION, concord::backends::faulty::open)

/// catalogue_text().
extern "C" __attribute__((visibility("default"))) const char* concord_faulty_catalogue(void);
extern "C" const char* concord_faulty_catalogue(void) {
  return concord::backends::faulty::catalogue_text().c_str();
}

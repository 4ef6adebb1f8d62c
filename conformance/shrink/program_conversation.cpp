// SPDX-License-Identifier: Apache-2.0
// Of a stand-alone program in C99 and POSIX: what is asked of the plugin, and what its answers must
// be.
#include "conformance/shrink/program_body.h"

namespace concord::conformance {

const char* const kProgramConversation = R"concord(
/* Fills the stack that the next call begins on like the heap; called so that no compiler inlines it. */
static void fill_frame(void) {
  volatile unsigned char frame[32768];
  size_t i;
  for (i = 0; i < sizeof frame; ++i) frame[i] = (unsigned char)~HEAP;
  (void)frame[0];
}
static void (*volatile fill_stack)(void) = fill_frame;

/* What is allowed of each element. */
typedef struct limits {
  const double *lowest, *highest, *nan_too;
} limits;

static void check_values(region dst, limits l) {
  char text[400] = "";
  size_t wrong = 0, i;
  for (i = 0; i < elements; ++i) {
    const double got = value_of(dst.data + place_of(i, NULL));
    int used;
    if (got >= l.lowest[i] && got <= l.highest[i]) continue;
    if (got != got && (l.lowest[i] != l.lowest[i] || l.nan_too[i] != 0)) continue;
    if (wrong++ > 0) continue;
    used = name_element(text, sizeof text, i);
    snprintf(text + used, sizeof text - (size_t)used, " = %.9g, accepted from %.9g to %.9g",
             readable(got), l.lowest[i], l.highest[i]);
  }
  if (wrong == 0) return;
  printf("%lu of %lu elements are wrong\n", (unsigned long)wrong, (unsigned long)elements);
  fail(text);
}

/* Two executions leave the same bits; but a NaN is a NaN, whatever its sign and payload are. */
static void check_same_bits(const unsigned char *before, const unsigned char *now,
                            const char *what) {
  char text[400];
  size_t i;
  for (i = 0; i < elements; ++i) {
    const size_t at = place_of(i, NULL);
    const double a = value_of(before + at), b = value_of(now + at);
    int used;
    if (memcmp(before + at, now + at, size_of_element()) == 0 || (a != a && b != b)) continue;
    used = snprintf(text, sizeof text, "%s gave different bits: ", what);
    used += name_element(text + used, sizeof text - (size_t)used, i);
    snprintf(text + used, sizeof text - (size_t)used, " was %.9g and then %.9g", readable(a),
             readable(b));
    fail(text);
  }
}

/* True if so many errors have a sum beyond what chance allows; `squares` are those of the channels' sums. */
static int is_biased(double count, double sum, double squares, double shrinking) {
  const double absolute = INDEPENDENT_LIMIT * sqrt(count) + SHARED;
  const double relative = CHANNELS_LIMIT * sqrt(squares);
  const double limit = TAKES_LARGER ? fmax(absolute, relative) : fmin(absolute, relative);
  return fabs(sum) > limit + shrinking * count;
}

/* The errors of all elements together, each divided by its scale: how large, in which direction. */
static void check_statistics(region dst) {
  static double drifts[CHANNELS], growths[CHANNELS];
  double count = 0, squares = 0, drift = 0, growth = 0, drift_squares = 0, growth_squares = 0;
  char text[200];
  size_t i;
  for (i = 0; i < elements; ++i) {
    const double got = value_of(dst.data + place_of(i, NULL));
    double z;
    if (!STATISTICAL || scales[i] == 0 || got - got != 0) continue;
    z = (got - wanted[i]) / scales[i];
    count += 1;
    squares += z * z;
    drifts[(size_t)channels[i]] += z;
    growths[(size_t)channels[i]] += wanted[i] < 0 ? -z : z;
  }
  for (i = 0; i < CHANNELS; ++i) {
    drift += drifts[i];
    drift_squares += drifts[i] * drifts[i];
    growth += growths[i];
    growth_squares += growths[i] * growths[i];
    drifts[i] = growths[i] = 0;
  }
  if (count == 0) return;
  if (squares / count > MEAN_SQUARE_LIMIT) {
    snprintf(text, sizeof text, "the mean square of all errors is %g, allowed %g", squares / count,
             MEAN_SQUARE_LIMIT);
    fail(text);
  }
  if ((MEAN_ZERO && (is_biased(count, drift, drift_squares, 0) ||
                     is_biased(count, growth, growth_squares, GROWTH_SHRINKING))) ||
      (HAS_CHANNELS && fabs(drift) > CHANNELS_LIMIT * sqrt(drift_squares))) {
    fail("the errors are biased");
  }
}

static void check_outside(region r, int run, const unsigned char *is_element) {
  size_t i;
  for (i = 0; i < r.size; ++i) {
    const unsigned char *at = r.pages + i;
    if (at >= r.data && at < r.data + r.bytes && (is_element == NULL || is_element[at - r.data])) {
      continue;
    }
    if (*at != garbage_at(i, run)) fail("memory outside the elements of dst, or around the workspace, was written");
  }
}

static unsigned char *mark_elements(void) {
  unsigned char *marks = calloc(DST_BYTES + 1, 1);
  size_t i;
  if (marks == NULL) cannot("calloc", "no memory");
  for (i = 0; i < elements; ++i) memset(marks + place_of(i, NULL), 1, size_of_element());
  return marks;
}

/* What a conversation about the problem is for: other data that only warm the plugin up, a
 * judgement, or what was judged before, with another number of threads. */
typedef enum purpose { WARM_UP, JUDGE, COMPARE } purpose;

enum { NOTHING, OTHER_INPUTS, SECOND_HANDLE }; /* SEQUENCE: what comes after the first execution */

static void prepare(const concord_plugin *plugin, void *backend, const concord_problem *problem,
                    const void *const *from, int threads, concord_prepared *prepared) {
  concord_prepare_options options;
  concord_status status;
  int i;
  memset(&options, 0, sizeof options);
  memset(prepared, 0, sizeof *prepared);
  options.struct_size = sizeof options;
  options.threads = threads;
  for (i = 0; i < 3 && !HIDES_WEIGHTS; ++i) {
    if (is_constant[i]) options.data[i] = make_input(i, from[i], image_bytes[i], 0);
  }
  prepared->struct_size = sizeof *prepared;
  fill_stack();
  status = plugin->prepare(backend, problem, &options, prepared);
  if (status != CONCORD_OK) {
    printf("prepare answered %d: %s\n", (int)status, prepared->reason);
    fail("query had answered that the problem is served");
  }
}

typedef struct call {
  const concord_plugin *plugin;
  void *backend, *handle;
  const concord_execution *execution;
  concord_status status;
} call;

static void *make_call(void *which) {
  call *c = which;
  fill_stack();
  c->status = c->plugin->execute(c->backend, c->handle, c->execution);
  return NULL;
}

/* `elsewhere`: at another address, with other garbage. Returns dst. */
static region execute(const concord_plugin *plugin, void *backend, const concord_prepared *prepared,
                      const void *const *from, int elsewhere, int judged) {
  const size_t alignment = prepared->workspace_alignment == 0 ? 64 : prepared->workspace_alignment;
  static region targets[2], workspaces[2];
  const region dst = reuse_region(&targets[elsewhere], DST_BYTES, 1, elsewhere, 1);
  const region workspace =
      reuse_region(&workspaces[elsewhere], prepared->workspace_bytes, alignment, elsewhere, 0);
  char reason[CONCORD_TEXT] = "";
  concord_buffer buffers[3], target;
  concord_execution execution;
  call c;
  pthread_t thread;
  int i;
  fill_garbage(dst, elsewhere);
  fill_garbage(workspace, elsewhere);
  for (i = 0; i < 3; ++i) {
    buffers[i].data = make_input(i, from[i], image_bytes[i], elsewhere);
    buffers[i].bytes = image_bytes[i];
  }
  target.data = dst.data;
  target.bytes = DST_BYTES;
  memset(&execution, 0, sizeof execution);
  execution.struct_size = sizeof execution;
  execution.inputs = buffers;
  execution.outputs = &target;
  execution.workspace = prepared->workspace_bytes == 0 ? NULL : workspace.data;
  execution.workspace_bytes = prepared->workspace_bytes;
  execution.reason = reason;
  c.plugin = plugin;
  c.backend = backend;
  c.handle = prepared->handle;
  c.execution = &execution;
  if (ON_ANOTHER_THREAD && elsewhere) {
    if (pthread_create(&thread, NULL, make_call, &c) != 0) cannot("pthread_create", "refused");
    pthread_join(thread, NULL);
  } else {
    make_call(&c);
  }
  if (c.status != CONCORD_OK) {
    printf("execute answered %d: %s\n", (int)c.status, reason);
    fail("query had answered that the problem is served");
  }
  if (judged) {
    unsigned char *marks = mark_elements();
    check_outside(dst, elsewhere, marks);
    check_outside(workspace, elsewhere, NULL);
    free(marks);
  }
  return dst;
}

static int promises_same_bits(void) {
  return answer.same_bits_any_threads && !answer.bits_vary_by_run;
}

static void go_round(const concord_plugin *plugin, void *backend, const concord_problem *problem,
                     int window, long held[WINDOWS][HELD]) {
  int round;
  for (round = 1; round <= window * WINDOWS; ++round) {
    concord_prepared prepared;
    prepare(plugin, backend, problem, images, THREADS, &prepared);
    execute(plugin, backend, &prepared, images, 0, 0);
    plugin->release(backend, prepared.handle);
    if (round % window == 0) measure(held[round / window - 1]);
  }
}

/* Allocators and caches hold more for a while: memory must grow through many rounds. */
static void check_growth(const concord_plugin *plugin, void *backend,
                         const concord_problem *problem) {
  long held[WINDOWS][HELD];
  go_round(plugin, backend, problem, FEW, held);
  check_held(held, FEW, 0, HANDLES);
  if (find_growth(held, FEW, HANDLES, HELD) == HELD) return;
  go_round(plugin, backend, problem, MANY, held);
  check_held(held, MANY, HANDLES, HELD);
}

static void converse(const concord_plugin *plugin, void *backend, const concord_problem *problem,
                     const void *const *images, purpose why) {
  static unsigned char first[DST_BYTES + 1], second[DST_BYTES + 1];
  static const limits now = {lowest, highest, nan_too};
  static const limits later = {later_lowest, later_highest, later_nan_too};
  const int judged = why != WARM_UP, has_other = why == JUDGE && SEQUENCE == SECOND_HANDLE;
  concord_prepared prepared, other;
  region dst;
  int run;
  prepare(plugin, backend, problem, images, why == COMPARE ? OTHER_THREADS : THREADS, &prepared);
  dst = execute(plugin, backend, &prepared, images, 0, judged);
  if (why == COMPARE && promises_same_bits()) {
    check_same_bits(first, dst.data, "another number of threads");
  }
  if (judged) check_values(dst, now);
  if (judged) check_statistics(dst);
  if (why == JUDGE && DST_BYTES > 0) memcpy(first, dst.data, DST_BYTES);
  if (has_other) prepare(plugin, backend, problem, later_images, THREADS, &other);
  if (why == JUDGE && SEQUENCE != NOTHING) {
    dst = execute(plugin, backend, has_other ? &other : &prepared, later_images, 0, 1);
    check_values(dst, later);
    if (DST_BYTES > 0) memcpy(second, dst.data, DST_BYTES);
  }
  for (run = 1; run < (why == COMPARE ? 1 : why == WARM_UP ? 2 : EXECUTIONS); ++run) {
    dst = execute(plugin, backend, &prepared, images, run % 2, judged);
    if (judged && !answer.bits_vary_by_run) check_same_bits(first, dst.data, "another execution");
  }
  plugin->release(backend, prepared.handle);
  if (!has_other) return;
  dst = execute(plugin, backend, &other, later_images, 1, 1);
  if (!answer.bits_vary_by_run) check_same_bits(second, dst.data, "the first one's release");
  plugin->release(backend, other.handle);
}

static void ask(const concord_plugin *plugin, void *backend, concord_problem *problem) {
  concord_status status;
  int axis;
  memset(&answer, 0, sizeof answer);
  answer.struct_size = sizeof answer;
  problem->outputs = &asked_output;
  fill_stack();
  status = plugin->query(backend, problem, &answer);
  problem->outputs = &output;
  if (status == CONCORD_UNSUPPORTED) cannot("the plugin declines the problem", answer.reason);
  if (!IS_VALID && status == CONCORD_INVALID) return;
  if (!IS_VALID || status != CONCORD_OK) {
    printf("query answered %d: %s\n", (int)status, answer.reason);
    fail(IS_VALID ? "the problem is valid" : "the specification forbids the problem");
  }
  if (answer.outputs[0].rank != output.rank) fail("query infers a dst of another rank");
  for (axis = 0; axis < output.rank; ++axis) {
    if (answer.outputs[0].dims[axis] != output.dims[axis]) fail("query infers another shape of dst");
  }
}

/* The same question with a number that concord_plugin.h does not list. */
static void ask_unknown(const concord_plugin *plugin, void *backend,
                        const concord_problem *problem) {
  struct {
    concord_problem problem;
    concord_tensor inputs[3], dst;
    attributes_type attributes;
  } asked;
  concord_answer declined;
  concord_status status;
  memset(&asked, 0, sizeof asked);
  memset(&declined, 0, sizeof declined);
  declined.struct_size = sizeof declined;
  asked.problem = *problem;
  memcpy(asked.inputs, inputs, sizeof inputs);
  asked.dst = asked_output;
  asked.attributes = attributes;
  asked.problem.inputs = asked.inputs;
  asked.problem.outputs = &asked.dst;
  asked.problem.attributes = &asked.attributes;
  asked.UNKNOWN = UNKNOWN_NUMBER;
  status = plugin->query(backend, &asked.problem, &declined);
  if (status == CONCORD_UNSUPPORTED || status == CONCORD_INVALID) return;
  printf("query answered %d: %s\n", (int)status, declined.reason);
  fail("an unknown number is to be declined");
}

static const concord_plugin *load(const char *path) {
  concord_plugin_v1_function get;
  void *symbol, *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) cannot(path, dlerror());
  symbol = dlsym(library, CONCORD_PLUGIN_SYMBOL);
  if (symbol == NULL) cannot(path, "no " CONCORD_PLUGIN_SYMBOL);
  memcpy(&get, &symbol, sizeof get); /* ISO C has no cast for this */
  return get();
}

static void try_plugin(const char *path, const char *config) {
  const concord_plugin *plugin = load(path);
  char reason[CONCORD_TEXT] = "";
  concord_problem problem;
  void *backend = NULL;
  int attempt;
  memset(&problem, 0, sizeof problem);
  problem.struct_size = sizeof problem;
  problem.operation = OPERATION;
  problem.reading = READING;
  problem.num_inputs = NUM_INPUTS;
  problem.num_outputs = 1;
  problem.inputs = inputs;
  problem.outputs = &output;
  problem.attributes = &attributes;
  alarm(SECONDS);
  if (plugin->open(config, &backend, reason) != CONCORD_OK) cannot("open", reason);
  take_state(&left_by_open);
#ifdef __GLIBC__
  mallopt(M_PERTURB, HEAP); /* fills what malloc gives and free takes */
#endif
  for (attempt = 0; attempt < ATTEMPTS; ++attempt) { /* it may fail now and then only */
    alarm(SECONDS);
    ask(plugin, backend, &problem);
    if (IS_VALID && WARMED) converse(plugin, backend, &problem, other_images, WARM_UP);
    if (IS_VALID) converse(plugin, backend, &problem, images, JUDGE);
    check_state();
    if (MANY_ROUNDS) check_growth(plugin, backend, &problem);
    if (IS_VALID && OTHER_THREADS > 0 && (ALSO_IF_BITS_DIFFER || promises_same_bits())) {
      converse(plugin, backend, &problem, images, COMPARE);
    }
    if (ASKS_UNKNOWN) ask_unknown(plugin, backend, &problem);
  }
  plugin->close(backend);
  printf("right\n");
  finish(RIGHT);
}

int main(int argc, char **argv) {
  const char *config = argc > 2 ? argv[2] : argc > 1 ? "" : CONFIG;
  const pid_t child = fork();
  int status = 0;
  if (child < 0) return 2;
  if (child == 0) try_plugin(argc > 1 ? argv[1] : PLUGIN, config);
  while (waitpid(child, &status, 0) != child) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) >= RIGHT && WEXITSTATUS(status) <= NOT_TRIED) {
    return WEXITSTATUS(status) - RIGHT;
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    printf("WRONG: the plugin did not return in time\n");
  } else if (WIFSIGNALED(status)) {
    printf("WRONG: the plugin died of signal %d\n", WTERMSIG(status));
  } else {
    printf("WRONG: the plugin exited\n");
  }
  return 1;
}
)concord";

}  // namespace concord::conformance

// SPDX-License-Identifier: Apache-2.0
// The part of a stand-alone program that is the same for every failure: C99 and POSIX.
#include "conformance/shrink/program_body.h"

namespace concord::conformance {

// Two literals, since a compiler need not take one of more than 4095 characters.
const char* const kProgramMemory = R"concord(
static concord_answer answer;

/* How the process with the plugin ends, if it is not the plugin that ends it. */
enum { RIGHT = 40, WRONG = 41, NOT_TRIED = 42 };

static void finish(int code) {
  fflush(stdout);
  _exit(code);
}

static void fail(const char *what) {
  printf("WRONG: %s\n", what);
  finish(WRONG);
}

static void cannot(const char *what, const char *why) {
  printf("not tried: %s: %s\n", what, why);
  finish(NOT_TRIED);
}

/* Memory whose end, or whose beginning, is at a page that must not be touched. */
typedef struct region {
  unsigned char *pages; /* that may be touched */
  size_t size;          /* of them */
  unsigned char *data;
  size_t bytes;
} region;

static region make_region(size_t bytes, size_t alignment, int at_beginning) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t from_end = (bytes + alignment - 1) / alignment * alignment;
  region r;
  unsigned char *all;
  r.bytes = bytes;
  r.size = (from_end + page - 1) / page * page;
  all = mmap(NULL, r.size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) cannot("mmap", "no memory");
  r.pages = all + page;
  if (r.size > 0 && mprotect(r.pages, r.size, PROT_READ | PROT_WRITE) != 0) {
    cannot("mprotect", "refused");
  }
  r.data = at_beginning ? r.pages : r.pages + r.size - from_end;
  return r;
}

static void fill_garbage(region r, unsigned sign) {
  size_t i;
  for (i = 0; i < r.size; ++i) r.pages[i] = (unsigned char)(i % 2 == 0 ? 0xd5 : 0x7f | sign);
}

/* The same address for the same input each time: other data need not come elsewhere. */
static void *make_input(int which, const void *image, size_t bytes, int at_beginning) {
  static region kept[2][3];
  region r;
  if (kept[at_beginning][which].pages == NULL) {
    kept[at_beginning][which] = make_region(bytes, 1, at_beginning);
  }
  r = kept[at_beginning][which];
  if (r.size > 0) mprotect(r.pages, r.size, PROT_READ | PROT_WRITE);
  fill_garbage(r, 0);
  if (bytes > 0) memcpy(r.data, image, bytes);
  if (r.size > 0) mprotect(r.pages, r.size, PROT_READ);
  return r.data;
}

static size_t size_of_element(void) { return output.dtype == CONCORD_F32 ? 4 : 2; }

static double value_of(const unsigned char *at) {
  uint16_t half;
  uint32_t word;
  float wide;
  int exponent;
  double value;
  if (output.dtype == CONCORD_F32) {
    memcpy(&wide, at, sizeof wide);
    return wide;
  }
  memcpy(&half, at, sizeof half);
  if (output.dtype == CONCORD_BF16) {
    word = (uint32_t)half << 16;
    memcpy(&wide, &word, sizeof wide);
    return wide;
  }
  exponent = half >> 10 & 31;
  value = (half & 1023) + (exponent > 0 ? 1024 : 0);
  if (exponent == 31) value = (half & 1023) != 0 ? NAN : INFINITY;
  for (; exponent > 1; --exponent) value *= 2;
  value /= 16777216; /* 2^24: the smallest subnormal is 1 */
  return (half & 0x8000) != 0 ? -value : value;
}

/* The place of element `i`, last axis fastest; and its index, if `index` is not null. */
static size_t place_of(size_t i, int64_t *index) {
  size_t place = 0;
  int axis;
  for (axis = output.rank - 1; axis >= 0; --axis) {
    const size_t extent = (size_t)output.dims[axis];
    place += i % extent * (size_t)output.strides[axis];
    if (index != NULL) index[axis] = (int64_t)(i % extent);
    i /= extent;
  }
  return place * size_of_element();
}
)concord";

const char* const kProgramConversation = R"concord(
/* What is allowed of each element. */
typedef struct limits {
  const double *lowest, *highest, *nan_too;
} limits;

static void check_values(region dst, limits l) {
  char text[400] = "";
  size_t wrong = 0, i;
  for (i = 0; i < elements; ++i) {
    int64_t index[CONCORD_MAX_RANK];
    const double got = value_of(dst.data + place_of(i, index));
    int axis, used;
    if (got >= l.lowest[i] && got <= l.highest[i]) continue;
    if (got != got && (l.lowest[i] != l.lowest[i] || l.nan_too[i] != 0)) continue;
    if (wrong++ > 0) continue;
    used = snprintf(text, sizeof text, "dst[");
    for (axis = 0; axis < output.rank; ++axis) {
      used += snprintf(text + used, sizeof text - (size_t)used, axis > 0 ? ",%ld" : "%ld",
                       (long)index[axis]);
    }
    snprintf(text + used, sizeof text - (size_t)used, "] = %.9g, allowed from %.9g to %.9g", got,
             l.lowest[i], l.highest[i]);
  }
  if (wrong == 0) return;
  printf("%lu of %lu elements are wrong\n", (unsigned long)wrong, (unsigned long)elements);
  fail(text);
}

/* The errors of all elements together, each divided by its scale: how large, in which direction. */
static void check_statistics(region dst) {
  double count = 0, squares = 0, drift = 0, growth = 0;
  char text[200];
  size_t i;
  for (i = 0; i < elements; ++i) {
    const double got = value_of(dst.data + place_of(i, NULL));
    double z;
    if (!STATISTICAL || scales[i] == 0 || got - got != 0) continue;
    z = (got - wanted[i]) / scales[i];
    count += 1;
    squares += z * z;
    drift += z;
    growth += wanted[i] < 0 ? -z : z;
  }
  if (count == 0) return;
  if (squares / count > MEAN_SQUARE_LIMIT) {
    snprintf(text, sizeof text, "the mean square of all errors is %g, allowed %g", squares / count,
             MEAN_SQUARE_LIMIT);
    fail(text);
  }
  if (MEAN_ZERO && (drift * drift > BIAS_LIMIT * BIAS_LIMIT * count ||
                    growth * growth > BIAS_LIMIT * BIAS_LIMIT * count)) {
    fail("the errors have a direction");
  }
}

static void check_outside(region r, unsigned sign, const unsigned char *is_element) {
  size_t i;
  for (i = 0; i < r.size; ++i) {
    const unsigned char *at = r.pages + i;
    const unsigned char garbage = (unsigned char)(i % 2 == 0 ? 0xd5 : 0x7f | sign);
    if (at >= r.data && at < r.data + r.bytes && (is_element == NULL || is_element[at - r.data])) {
      continue;
    }
    if (*at != garbage) fail("memory outside the elements of dst, or around the workspace, was written");
  }
}

static unsigned char *mark_elements(void) {
  unsigned char *marks = calloc(DST_BYTES + 1, 1);
  size_t i;
  if (marks == NULL) cannot("calloc", "no memory");
  for (i = 0; i < elements; ++i) memset(marks + place_of(i, NULL), 1, size_of_element());
  return marks;
}

/* One conversation about the problem; `judged` is 0 for other data that only warm the plugin up. */
static void converse(const concord_plugin *plugin, void *backend, const concord_problem *problem,
                     const void *const *images, int judged) {
  static unsigned char first[DST_BYTES + 1];
  static const limits now = {lowest, highest, nan_too};
  static const limits later = {later_lowest, later_highest, later_nan_too};
  concord_prepare_options options;
  concord_prepared prepared;
  unsigned char *marks = mark_elements();
  concord_status status;
  int run, i;
  memset(&options, 0, sizeof options);
  memset(&prepared, 0, sizeof prepared);
  options.struct_size = sizeof options;
  options.threads = THREADS;
  for (i = 0; i < 3 && !CHANGES_WEIGHTS; ++i) {
    if (is_constant[i]) options.data[i] = make_input(i, images[i], image_bytes[i], 0);
  }
  prepared.struct_size = sizeof prepared;
  status = plugin->prepare(backend, problem, &options, &prepared);
  if (status != CONCORD_OK) {
    printf("prepare answered %d: %s\n", (int)status, prepared.reason);
    fail("query had answered that the problem is served");
  }
  for (run = 0; run < 2; ++run) { /* the second time elsewhere, with other garbage */
    const size_t alignment = prepared.workspace_alignment == 0 ? 64 : prepared.workspace_alignment;
    const unsigned sign = run == 0 ? 0 : 0x80;
    const int changed = judged && CHANGES_WEIGHTS && run == 1;
    region dst = make_region(DST_BYTES, 1, run);
    region workspace = make_region(prepared.workspace_bytes, alignment, run);
    char reason[CONCORD_TEXT] = "";
    concord_buffer buffers[3], target;
    concord_execution execution;
    fill_garbage(dst, sign);
    fill_garbage(workspace, sign);
    for (i = 0; i < 3; ++i) {
      buffers[i].data = make_input(i, (changed ? later_images : images)[i], image_bytes[i], run);
      buffers[i].bytes = image_bytes[i];
    }
    target.data = dst.data;
    target.bytes = DST_BYTES;
    memset(&execution, 0, sizeof execution);
    execution.struct_size = sizeof execution;
    execution.inputs = buffers;
    execution.outputs = &target;
    execution.workspace = prepared.workspace_bytes == 0 ? NULL : workspace.data;
    execution.workspace_bytes = prepared.workspace_bytes;
    execution.reason = reason;
    status = plugin->execute(backend, prepared.handle, &execution);
    if (status != CONCORD_OK) {
      printf("execute answered %d: %s\n", (int)status, reason);
      fail("query had answered that the problem is served");
    }
    if (!judged) continue;
    check_values(dst, changed ? later : now);
    if (!changed) check_statistics(dst);
    check_outside(dst, sign, marks);
    check_outside(workspace, sign, NULL);
    for (i = 0; i < DST_BYTES; ++i) {
      if (run == 1 && !changed && !answer.bits_vary_by_run && marks[i] && first[i] != dst.data[i]) {
        fail("a second execution gave other bits");
      }
    }
    if (DST_BYTES > 0) memcpy(first, dst.data, DST_BYTES);
  }
  plugin->release(backend, prepared.handle);
  free(marks);
}

static void ask(const concord_plugin *plugin, void *backend, concord_problem *problem) {
  concord_status status;
  int axis;
  memset(&answer, 0, sizeof answer);
  answer.struct_size = sizeof answer;
  problem->outputs = &asked_output;
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
  for (attempt = 0; attempt < ATTEMPTS; ++attempt) { /* it may fail now and then only */
    alarm(SECONDS);
    ask(plugin, backend, &problem);
    if (IS_VALID && WARMED) converse(plugin, backend, &problem, other_images, 0);
    if (IS_VALID) converse(plugin, backend, &problem, images, 1);
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
    printf("WRONG: the plugin did not come back in time\n");
  } else if (WIFSIGNALED(status)) {
    printf("WRONG: the plugin died of signal %d\n", WTERMSIG(status));
  } else {
    printf("WRONG: the plugin ended its process\n");
  }
  return 1;
}
)concord";

}  // namespace concord::conformance

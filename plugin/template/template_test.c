/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host in C: loads a plugin and makes every call of the ABI.
 * usage: template_test PLUGIN.so
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "concord_plugin.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

static const concord_plugin *load(const char *path) {
  concord_plugin_v1_function get;
  void *symbol;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return NULL;
  }
  symbol = dlsym(library, CONCORD_PLUGIN_SYMBOL);
  if (symbol == NULL) {
    fprintf(stderr, "%s has no %s\n", path, CONCORD_PLUGIN_SYMBOL);
    return NULL;
  }
  /* ISO C has no cast from an object pointer to a function pointer; POSIX says that this works. */
  memcpy(&get, &symbol, sizeof get);
  return get();
}

/* A problem with all that it points to. */
typedef struct example {
  concord_problem problem;
  concord_tensor inputs[3];
  concord_tensor output;
  concord_convolution attributes;
} example;

static void set_tensor(concord_tensor *tensor, int rank, const int64_t *dims) {
  int64_t stride = 1;
  memset(tensor, 0, sizeof *tensor);
  tensor->dtype = CONCORD_F32;
  tensor->rank = rank;
  for (int axis = rank - 1; axis >= 0; --axis) {
    tensor->dims[axis] = dims[axis];
    tensor->strides[axis] = stride;
    stride *= dims[axis];
  }
}

static void set_list(concord_list *list, int64_t height, int64_t width) {
  memset(list, 0, sizeof *list);
  list->size = 2;
  list->at[0] = height;
  list->at[1] = width;
}

/* src 1x1x4x4, weights 1x1x3x3, bias 1, strides 1. */
static void set_example(example *e) {
  static const int64_t src[4] = {1, 1, 4, 4}, weights[4] = {1, 1, 3, 3}, bias[1] = {1};
  memset(e, 0, sizeof *e);
  set_tensor(&e->inputs[0], 4, src);
  set_tensor(&e->inputs[1], 4, weights);
  set_tensor(&e->inputs[2], 1, bias);
  e->output.dtype = CONCORD_F32;
  e->attributes.struct_size = sizeof e->attributes;
  set_list(&e->attributes.strides, 1, 1);
  set_list(&e->attributes.dilations, 1, 1);
  set_list(&e->attributes.pads_begin, 0, 0);
  set_list(&e->attributes.pads_end, 0, 0);
  e->attributes.data_format = CONCORD_NCX;
  e->attributes.weights_format = CONCORD_OIX;
  e->attributes.groups = 1;
  e->problem.struct_size = sizeof e->problem;
  e->problem.operation = CONCORD_CONVOLUTION;
  e->problem.num_inputs = 3;
  e->problem.num_outputs = 1;
  e->problem.inputs = e->inputs;
  e->problem.outputs = &e->output;
  e->problem.attributes = &e->attributes;
}

static concord_status ask(const concord_plugin *plugin, void *backend, const example *e,
                          concord_answer *answer) {
  memset(answer, 0, sizeof *answer);
  answer->struct_size = sizeof *answer;
  return plugin->query(backend, &e->problem, answer);
}

static concord_status run(const concord_plugin *plugin, void *backend, example *e, void *src,
                          void *weights, void *bias, void *dst, size_t dst_bytes) {
  const size_t element = e->inputs[0].dtype == CONCORD_F64 ? sizeof(double) : sizeof(float);
  concord_prepare_options options;
  concord_prepared prepared;
  concord_execution execution;
  concord_buffer inputs[3], output;
  char reason[CONCORD_TEXT] = "";
  concord_status status;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.threads = 1;
  memset(&prepared, 0, sizeof prepared);
  prepared.struct_size = sizeof prepared;
  status = plugin->prepare(backend, &e->problem, &options, &prepared);
  if (status != CONCORD_OK) return status;
  EXPECT(prepared.workspace_bytes == 0);

  inputs[0].data = src;
  inputs[0].bytes = 16 * element;
  inputs[1].data = weights;
  inputs[1].bytes = 9 * element;
  inputs[2].data = bias;
  inputs[2].bytes = element;
  output.data = dst;
  output.bytes = dst_bytes;
  memset(&execution, 0, sizeof execution);
  execution.struct_size = sizeof execution;
  execution.inputs = inputs;
  execution.outputs = &output;
  execution.reason = reason;
  status = plugin->execute(backend, prepared.handle, &execution);
  plugin->release(backend, prepared.handle);
  return status;
}

/* The corners and the centre of a 3x3 window are summed. Worked by hand. */
static float src_data[16] = {-3, -1.5f, 2, .5f, -.5f, -1, 1, 1.5f, 2, 2.5f, -1, 0, 3, -2, -1, 4};
static float weights_data[9] = {1, 0, 1, 0, 1, 0, 1, 0, 1};
static float bias_data[1] = {-1};

static void test_values(const concord_plugin *plugin, void *backend) {
  static const float want[4] = {-2, 1.5f, 4, .5f};
  static const int64_t dst_dims[4] = {1, 1, 2, 2};
  float dst[4] = {99, 99, 99, 99};
  concord_answer answer;
  example e;
  set_example(&e);
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_OK);
  EXPECT(answer.outputs[0].rank == 4);
  EXPECT(memcmp(answer.outputs[0].dims, dst_dims, sizeof dst_dims) == 0);
  set_tensor(&e.output, 4, dst_dims);
  EXPECT(run(plugin, backend, &e, src_data, weights_data, bias_data, dst, sizeof dst) ==
         CONCORD_OK);
  EXPECT(memcmp(dst, want, sizeof want) == 0);
}

/* The same in f64, with a term that f32 loses beside the others. */
static void test_double(const concord_plugin *plugin, void *backend) {
  static const int64_t dst_dims[4] = {1, 1, 2, 2};
  double src[16], weights[9], bias[1] = {0x1p-40}, dst[4];
  concord_answer answer;
  example e;
  for (int i = 0; i < 16; ++i) src[i] = src_data[i];
  for (int i = 0; i < 9; ++i) weights[i] = weights_data[i];
  set_example(&e);
  set_tensor(&e.output, 4, dst_dims);
  for (int i = 0; i < 3; ++i) e.inputs[i].dtype = CONCORD_F64;
  e.output.dtype = CONCORD_F64;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_OK);
  EXPECT(answer.arithmetic.accumulator == CONCORD_ACCUMULATE_F64);
  EXPECT(run(plugin, backend, &e, src, weights, bias, dst, sizeof dst) == CONCORD_OK);
  EXPECT(dst[0] == -1 + 0x1p-40 && dst[1] == 2.5 + 0x1p-40);
  EXPECT(dst[2] == 5 + 0x1p-40 && dst[3] == 1.5 + 0x1p-40);
  e.inputs[1].dtype = CONCORD_F32;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
}

/* dst transposed in memory, with a gap behind each column: NaN must stay there. */
static void test_strides(const concord_plugin *plugin, void *backend) {
  static const float want[5] = {-2, 4, 0, 1.5f, .5f};
  static const int64_t dst_dims[4] = {1, 1, 2, 2};
  float dst[5];
  example e;
  set_example(&e);
  set_tensor(&e.output, 4, dst_dims);
  e.output.strides[2] = 1;
  e.output.strides[3] = 3;
  for (int i = 0; i < 5; ++i) dst[i] = NAN;
  EXPECT(run(plugin, backend, &e, src_data, weights_data, bias_data, dst, sizeof dst) ==
         CONCORD_OK);
  for (int i = 0; i < 5; ++i) EXPECT(i == 2 ? isnan(dst[i]) : dst[i] == want[i]);
}

/* Kernel 3, stride 2, input 4: two outputs need one element of padding, at the end or before. */
static void test_auto_pad(const concord_plugin *plugin, void *backend) {
  static const int64_t dst_dims[4] = {1, 1, 2, 2};
  float ones[16], dst[4], kernel[9], zero = 0;
  example e;
  for (int i = 0; i < 16; ++i) ones[i] = 1;
  for (int i = 0; i < 9; ++i) kernel[i] = 1;
  set_example(&e);
  set_list(&e.attributes.strides, 2, 2);
  set_tensor(&e.output, 4, dst_dims);
  e.attributes.auto_pad = CONCORD_PAD_SAME_UPPER;
  EXPECT(run(plugin, backend, &e, ones, kernel, &zero, dst, sizeof dst) == CONCORD_OK);
  EXPECT(dst[0] == 9 && dst[1] == 6 && dst[2] == 6 && dst[3] == 4);
  e.attributes.auto_pad = CONCORD_PAD_SAME_LOWER;
  EXPECT(run(plugin, backend, &e, ones, kernel, &zero, dst, sizeof dst) == CONCORD_OK);
  EXPECT(dst[0] == 4 && dst[1] == 6 && dst[2] == 6 && dst[3] == 9);
}

/* A header of the future has one more attribute. */
static void test_newer_attributes(const concord_plugin *plugin, void *backend) {
  struct {
    concord_convolution known;
    int64_t newer;
  } attributes;
  concord_answer answer;
  example e;
  set_example(&e);
  memset(&attributes, 0, sizeof attributes);
  attributes.known = e.attributes;
  attributes.known.struct_size = sizeof attributes;
  e.problem.attributes = &attributes;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_OK);
  attributes.newer = 1;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_UNSUPPORTED);
}

static void test_refusals(const concord_plugin *plugin, void *backend) {
  concord_answer answer;
  example e;
  set_example(&e);
  e.problem.operation = CONCORD_ATROUS_CONV2D;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_UNSUPPORTED);
  /* One reason for all, without a number that only the header explains: reports count reasons. */
  EXPECT(strcmp(answer.reason, "only Convolution is served") == 0);
  set_example(&e);
  e.inputs[1].dtype = CONCORD_BF16;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  set_example(&e);
  e.output.dtype = CONCORD_F64;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  set_example(&e);
  e.inputs[0].rank = 5;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_UNSUPPORTED);
  set_example(&e);
  e.attributes.strides.at[1] = 0;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  EXPECT(strstr(answer.reason, "strides") != NULL);
  set_example(&e);
  e.attributes.groups = 2;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  set_example(&e);
  set_list(&e.attributes.dilations, 4, 1);
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  set_example(&e);
  e.inputs[2].dims[0] = 2;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
  set_example(&e);
  e.inputs[0].strides[2] = 1;
  EXPECT(ask(plugin, backend, &e, &answer) == CONCORD_INVALID);
}

int main(int count, char **arguments) {
  const concord_plugin *plugin;
  void *backend = NULL;
  char reason[CONCORD_TEXT] = "";
  if (count != 2) {
    fprintf(stderr, "usage: %s PLUGIN.so\n", arguments[0]);
    return 2;
  }
  plugin = load(arguments[1]);
  if (plugin == NULL) return 1;
  EXPECT(plugin->abi == CONCORD_ABI);
  EXPECT(plugin->struct_size == sizeof *plugin);
  EXPECT(strcmp(plugin->name, "template") == 0);
  EXPECT(plugin->open("fast", &backend, reason) == CONCORD_INVALID);
  EXPECT(strstr(reason, "fast") != NULL);
  EXPECT(plugin->open("", &backend, reason) == CONCORD_OK);
  test_values(plugin, backend);
  test_double(plugin, backend);
  test_strides(plugin, backend);
  test_auto_pad(plugin, backend);
  test_newer_attributes(plugin, backend);
  test_refusals(plugin, backend);
  plugin->close(backend);
  if (failures == 0) printf("ok\n");
  return failures == 0 ? 0 : 1;
}

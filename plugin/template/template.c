/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin to copy. It computes f32 and f64 convolution over two spatial axes with plain loops in
 * convolve(). To judge your library, call it there, decline in decline_unserved() what it does not
 * support, and write its name and version into the table at the end.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "concord_plugin.h"

/* What convolve() needs: everything resolved, height first, strides in elements. */
typedef struct plan {
  int32_t dtype; /* of all tensors */
  int64_t n, groups, ic, oc;
  int64_t i[2], o[2], k[2];
  int64_t stride[2], dilation[2], pad[2];
  int64_t src[4], weights[4], dst[4]; /* strides of [n,c,h,w], [oc,ic,h,w] and [n,c,h,w] */
  int64_t bias;                       /* its stride */
  int has_bias;
} plan;

/* Larger sizes are declined, so that no arithmetic below can overflow. */
#define LARGEST_EXTENT ((int64_t)1 << 20)
#define LARGEST_STRIDE ((int64_t)1 << 38)

/* Writes a sentence to `reason`, which has CONCORD_TEXT bytes, and returns `status`. */
static concord_status refuse(char *reason, concord_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, CONCORD_TEXT, format, arguments);
  va_end(arguments);
  return status;
}

/* Is a field set that a later header appended to those that this plugin reads? They are 0 where a
 * problem does not use them. */
static int has_newer_attributes(const concord_convolution *a) {
  const char *bytes = (const char *)a;
  for (size_t i = offsetof(concord_convolution, groups) + sizeof a->groups; i < a->struct_size;
       ++i) {
    if (bytes[i] != 0) return 1;
  }
  return 0;
}

/* Declines what is valid but not served here. Replace with what your library does not support. */
static concord_status decline_unserved(const concord_problem *problem, char *reason) {
  const concord_convolution *a = problem->attributes;
  if (problem->operation != CONCORD_CONVOLUTION) {
    return refuse(reason, CONCORD_UNSUPPORTED, "only Convolution is served");
  }
  if (problem->reading != CONCORD_READING_IMPLEMENTED) {
    return refuse(reason, CONCORD_UNSUPPORTED, "only reading=implemented is served");
  }
  const int32_t dtype = problem->inputs[0].dtype;
  for (int32_t i = 0; i < problem->num_inputs; ++i) {
    if (problem->inputs[i].dtype != dtype) {
      return refuse(reason, CONCORD_INVALID, "input %d has another dtype than src", (int)i);
    }
    if (dtype != CONCORD_F32 && dtype != CONCORD_F64) {
      return refuse(reason, CONCORD_UNSUPPORTED, "only f32 and f64 are served");
    }
  }
  if (problem->outputs[0].dtype != dtype) {
    return refuse(reason, CONCORD_INVALID, "dst has another dtype than src");
  }
  if (problem->inputs[0].rank != 4) {
    return refuse(reason, CONCORD_UNSUPPORTED, "only two spatial axes are served, not %d",
                  (int)problem->inputs[0].rank - 2);
  }
  if (a->auto_pad < 0 || a->auto_pad > CONCORD_PAD_VALID || a->data_format < 0 ||
      a->data_format > CONCORD_NCX || a->weights_format < 0 || a->weights_format > CONCORD_OIX) {
    return refuse(reason, CONCORD_UNSUPPORTED, "auto_pad or a format is not known to this plugin");
  }
  if (has_newer_attributes(a)) {
    return refuse(reason, CONCORD_UNSUPPORTED, "an attribute is not known to this plugin");
  }
  return CONCORD_OK;
}

/* Do two indices share an element? Sorted by stride, each axis must step over those before it. */
static int overlaps(const concord_tensor *tensor) {
  int64_t reach = 0;
  unsigned done = 0;
  for (int axis = 0; axis < tensor->rank; ++axis) {
    if (tensor->dims[axis] == 0) return 0; /* no element at all */
  }
  for (int round = 0; round < tensor->rank; ++round) {
    int next = -1;
    for (int axis = 0; axis < tensor->rank; ++axis) {
      if (!(done >> axis & 1u) && (next < 0 || tensor->strides[axis] < tensor->strides[next])) {
        next = axis;
      }
    }
    done |= 1u << next;
    if (tensor->dims[next] <= 1) continue;
    if (tensor->strides[next] <= reach) return 1;
    reach += (tensor->dims[next] - 1) * tensor->strides[next];
  }
  return 0;
}

static concord_status check_tensor(const concord_tensor *tensor, int rank, const char *name,
                                   char *reason) {
  if (tensor->rank != rank) {
    return refuse(reason, CONCORD_INVALID, "%s has %d dimensions, not %d", name, (int)tensor->rank,
                  rank);
  }
  for (int axis = 0; axis < rank; ++axis) {
    if (tensor->dims[axis] < 0 || tensor->strides[axis] < 0) {
      return refuse(reason, CONCORD_INVALID, "%s has a negative extent or stride", name);
    }
    if (tensor->dims[axis] > LARGEST_EXTENT || tensor->strides[axis] > LARGEST_STRIDE) {
      return refuse(reason, CONCORD_UNSUPPORTED, "%s is too large for this plugin", name);
    }
  }
  if (overlaps(tensor)) return refuse(reason, CONCORD_INVALID, "%s overlaps itself", name);
  return CONCORD_OK;
}

static concord_status check_list(const concord_list *list, int64_t least, const char *name,
                                 char *reason) {
  if (list->size != 2) {
    return refuse(reason, CONCORD_INVALID, "%s has %d values, not 2", name, (int)list->size);
  }
  for (int axis = 0; axis < 2; ++axis) {
    if (list->at[axis] < least) {
      return refuse(reason, CONCORD_INVALID, "%s has the value %lld", name,
                    (long long)list->at[axis]);
    }
    if (list->at[axis] > LARGEST_EXTENT) {
      return refuse(reason, CONCORD_UNSUPPORTED, "%s is too large for this plugin", name);
    }
  }
  return CONCORD_OK;
}

static concord_status check_everything(const concord_problem *problem, char *reason) {
  const concord_convolution *a = problem->attributes;
  concord_status status = decline_unserved(problem, reason);
  if (!status) status = check_tensor(&problem->inputs[0], 4, "src", reason);
  if (!status) status = check_tensor(&problem->inputs[1], 4, "weights", reason);
  if (!status && problem->num_inputs == 3) {
    status = check_tensor(&problem->inputs[2], 1, "bias", reason);
  }
  if (!status && problem->outputs[0].rank != 0) {
    status = check_tensor(&problem->outputs[0], 4, "dst", reason);
  }
  if (!status) status = check_list(&a->strides, 1, "strides", reason);
  if (!status) status = check_list(&a->dilations, 1, "dilations", reason);
  if (!status) status = check_list(&a->pads_begin, 0, "pads_begin", reason);
  if (!status) status = check_list(&a->pads_end, 0, "pads_end", reason);
  return status;
}

/* The padding before an axis and the number of outputs: SAME gives ceil(i / stride) of them and
 * shares the padding that they need between both ends. */
static concord_status resolve_axis(const concord_convolution *a, int axis, plan *p, char *reason) {
  const int64_t i = p->i[axis], stride = p->stride[axis];
  const int64_t kernel = (p->k[axis] - 1) * p->dilation[axis] + 1;
  int64_t begin = a->pads_begin.at[axis], end = a->pads_end.at[axis];
  if (a->auto_pad != CONCORD_PAD_NONE) {
    const int64_t rest = i % stride == 0 ? stride : i % stride;
    const int64_t total = a->auto_pad == CONCORD_PAD_VALID || kernel < rest ? 0 : kernel - rest;
    begin = a->auto_pad == CONCORD_PAD_SAME_LOWER ? total - total / 2 : total / 2;
    end = total - begin;
  }
  if (i + begin + end - kernel < -stride) {
    return refuse(reason, CONCORD_INVALID, "the kernel exceeds the padded input on axis %d", axis);
  }
  p->pad[axis] = begin;
  p->o[axis] = i + begin + end < kernel ? 0 : (i + begin + end - kernel) / stride + 1;
  return CONCORD_OK;
}

/* The positions of the axes n, c, h, w (or oc, ic, h, w) in a tensor. */
static const int kNCX[4] = {0, 1, 2, 3}, kNXC[4] = {0, 3, 1, 2}, kXIO[4] = {3, 2, 0, 1};

static concord_status make_plan(const concord_problem *problem, plan *p, char *reason) {
  const concord_convolution *a = problem->attributes;
  const concord_tensor *src = &problem->inputs[0], *weights = &problem->inputs[1];
  const concord_tensor *dst = &problem->outputs[0];
  const concord_status checked = check_everything(problem, reason);
  if (checked != CONCORD_OK) return checked;

  const int *data_axes = a->data_format == CONCORD_NCX ? kNCX : kNXC;
  const int *weights_axes = a->weights_format == CONCORD_OIX ? kNCX : kXIO;
  memset(p, 0, sizeof *p);
  p->dtype = src->dtype;
  p->n = src->dims[0];
  p->ic = src->dims[data_axes[1]];
  p->oc = weights->dims[weights_axes[0]];
  p->groups = a->groups;
  if (p->groups < 1 || p->ic % p->groups != 0 || p->oc % p->groups != 0 ||
      weights->dims[weights_axes[1]] != p->ic / p->groups) {
    return refuse(reason, CONCORD_INVALID, "the channels do not match groups=%lld",
                  (long long)p->groups);
  }
  for (int axis = 0; axis < 4; ++axis) {
    p->src[axis] = src->strides[data_axes[axis]];
    p->weights[axis] = weights->strides[weights_axes[axis]];
    p->dst[axis] = dst->strides[data_axes[axis]]; /* means nothing in query */
  }
  for (int axis = 0; axis < 2; ++axis) {
    p->i[axis] = src->dims[data_axes[2 + axis]];
    p->k[axis] = weights->dims[weights_axes[2 + axis]];
    p->stride[axis] = a->strides.at[axis];
    p->dilation[axis] = a->dilations.at[axis];
    if (p->k[axis] < 1) return refuse(reason, CONCORD_INVALID, "the kernel is empty");
    if (resolve_axis(a, axis, p, reason) != CONCORD_OK) return CONCORD_INVALID;
  }
  if (problem->num_inputs == 3) {
    p->has_bias = 1;
    p->bias = problem->inputs[2].strides[0];
    if (problem->inputs[2].dims[0] != p->oc) {
      return refuse(reason, CONCORD_INVALID, "bias does not have one element per output channel");
    }
  }
  return CONCORD_OK;
}

/* Elements are computed with in double. Rounded to float, a product or a sum of two floats is what
 * float arithmetic gives. */
static double load(const plan *p, const void *data, int64_t at) {
  return p->dtype == CONCORD_F64 ? ((const double *)data)[at] : (double)((const float *)data)[at];
}

static double rounded(const plan *p, double value) {
  return p->dtype == CONCORD_F64 ? value : (double)(float)value;
}

static void store(const plan *p, double value, void *data, int64_t at) {
  if (p->dtype == CONCORD_F64) {
    ((double *)data)[at] = value;
  } else {
    ((float *)data)[at] = (float)value;
  }
}

/* One element of dst, without the bias. */
static double sum_at(const plan *p, const void *src, const void *weights, int64_t n, int64_t oc,
                     int64_t oh, int64_t ow) {
  const int64_t channels = p->ic / p->groups;
  const int64_t group = oc / (p->oc / p->groups);
  double sum = 0;
  for (int64_t ic = 0; ic < channels; ++ic) {
    for (int64_t kh = 0; kh < p->k[0]; ++kh) {
      const int64_t ih = oh * p->stride[0] + kh * p->dilation[0] - p->pad[0];
      if (ih < 0 || ih >= p->i[0]) continue; /* padding adds nothing */
      for (int64_t kw = 0; kw < p->k[1]; ++kw) {
        const int64_t iw = ow * p->stride[1] + kw * p->dilation[1] - p->pad[1];
        if (iw < 0 || iw >= p->i[1]) continue;
        const double x = load(
            p, src,
            n * p->src[0] + (group * channels + ic) * p->src[1] + ih * p->src[2] + iw * p->src[3]);
        const double w =
            load(p, weights,
                 oc * p->weights[0] + ic * p->weights[1] + kh * p->weights[2] + kw * p->weights[3]);
        sum = rounded(p, sum + rounded(p, x * w));
      }
    }
  }
  return sum;
}

/* The convolution itself: your library's call goes here. `bias` is NULL without one. */
static void convolve(const plan *p, const void *src, const void *weights, const void *bias,
                     void *dst) {
  for (int64_t n = 0; n < p->n; ++n) {
    for (int64_t oc = 0; oc < p->oc; ++oc) {
      for (int64_t oh = 0; oh < p->o[0]; ++oh) {
        for (int64_t ow = 0; ow < p->o[1]; ++ow) {
          const double sum = sum_at(p, src, weights, n, oc, oh, ow);
          store(p, bias ? sum + load(p, bias, oc * p->bias) : sum, dst,
                n * p->dst[0] + oc * p->dst[1] + oh * p->dst[2] + ow * p->dst[3]);
        }
      }
    }
  }
}

/* The entry points. */

static concord_status open_backend(const char *config, void **backend, char *reason) {
  if (config[0] != '\0') {
    return refuse(reason, CONCORD_INVALID, "this plugin takes no configuration, not '%s'", config);
  }
  *backend = NULL; /* no state of its own */
  return CONCORD_OK;
}

static void close_backend(void *backend) { (void)backend; }

static concord_status query(void *backend, const concord_problem *problem, concord_answer *answer) {
  plan p;
  (void)backend;
  const concord_status status = make_plan(problem, &p, answer->reason);
  if (status != CONCORD_OK) return status;

  const concord_convolution *a = problem->attributes;
  const int *axes = a->data_format == CONCORD_NCX ? kNCX : kNXC;
  concord_shape *dst = &answer->outputs[0];
  dst->rank = 4;
  dst->dims[axes[0]] = p.n;
  dst->dims[axes[1]] = p.oc;
  dst->dims[axes[2]] = p.o[0];
  dst->dims[axes[3]] = p.o[1];
  for (int axis = 0; axis < 4 && problem->outputs[0].rank != 0; ++axis) {
    if (problem->outputs[0].dims[axis] != dst->dims[axis]) {
      return refuse(answer->reason, CONCORD_INVALID, "dst does not have the inferred shape");
    }
  }
  /* All else in answer->arithmetic stays zero: sums of the inputs as given, one rounding. */
  if (p.dtype == CONCORD_F64) answer->arithmetic.accumulator = CONCORD_ACCUMULATE_F64;
  answer->same_bits_any_threads = 1;
  strcpy(answer->implementation, "plain loops");
  return CONCORD_OK;
}

static concord_status prepare(void *backend, const concord_problem *problem,
                              const concord_prepare_options *options, concord_prepared *prepared) {
  plan *p = malloc(sizeof *p);
  (void)backend;
  (void)options; /* one thread, and no weights to pack */
  if (p == NULL) return refuse(prepared->reason, CONCORD_FAULT, "out of memory");
  const concord_status status = make_plan(problem, p, prepared->reason);
  if (status != CONCORD_OK) {
    free(p);
    return status;
  }
  prepared->handle = p;
  return CONCORD_OK;
}

static concord_status execute(void *backend, void *handle, const concord_execution *execution) {
  const plan *p = handle;
  (void)backend;
  convolve(p, execution->inputs[0].data, execution->inputs[1].data,
           p->has_bias ? execution->inputs[2].data : NULL, execution->outputs[0].data);
  return CONCORD_OK;
}

static void release(void *backend, void *handle) {
  (void)backend;
  free(handle);
}

const concord_plugin *concord_plugin_v1(void) {
  static const concord_plugin plugin = {CONCORD_ABI,  sizeof(concord_plugin),
                                        "template",   "1.0",
                                        open_backend, close_backend,
                                        query,        prepare,
                                        execute,      release,
                                        NULL};
  return &plugin;
}

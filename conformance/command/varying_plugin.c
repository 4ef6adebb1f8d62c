/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The template with sums whose order depends on where dst lies, or on the number of threads, as its
 * configuration says:
 *
 * - nan: the operands of each addition change places, which only a NaN shows, for IEEE 754 does not
 *   say whose sign and payload the sum of two of them has;
 * - zero: sums begin with -0;
 * - order: channels are summed from the last to the first;
 * - threads: the same with more than one thread, though it declares the same bits;
 * - threads_undeclared: the same, and it declares nothing.
 */
#include <stdint.h>

#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin
#include "plugin/template/template.c"
#undef concord_plugin_v1

static char variant[32];
static int threads = 1;

static int is_variant(const char *name) { return strcmp(variant, name) == 0; }

static concord_status open_varying(const char *config, void **backend, char *reason) {
  strncpy(variant, config, sizeof variant - 1);
  return open_backend("", backend, reason);
}

static concord_status query_varying(void *backend, const concord_problem *problem,
                                    concord_answer *answer) {
  const concord_status status = query(backend, problem, answer);
  if (is_variant("threads_undeclared")) answer->same_bits_any_threads = 0;
  return status;
}

static concord_status prepare_varying(void *backend, const concord_problem *problem,
                                      const concord_prepare_options *options,
                                      concord_prepared *prepared) {
  threads = options->threads;
  return prepare(backend, problem, options, prepared);
}

/* As processors add that let the first of two NaN through. */
static float add(float first, float second) { return first != first ? first : first + second; }

/* Where along `axis` the tap `k` of the output `o` reads; negative in the padding. */
static int64_t place(const plan *p, int axis, int64_t o, int64_t k) {
  const int64_t i = o * p->stride[axis] + k * p->dilation[axis] - p->pad[axis];
  return i < p->i[axis] ? i : -1;
}

static float sum_varying(const plan *p, const float *src, const float *weights, int64_t group,
                         int64_t oh, int64_t ow, int is_aligned) {
  const int64_t channels = p->ic / p->groups;
  const int swapped = is_aligned && is_variant("nan");
  const int reversed = is_aligned ? is_variant("order") : 0;
  const int by_threads = strncmp(variant, "threads", 7) == 0 && threads > 1;
  float sum = is_aligned && is_variant("zero") ? -0.0F : 0.0F;
  for (int64_t i = 0; i < channels; ++i) {
    const int64_t ic = reversed || by_threads ? channels - 1 - i : i;
    for (int64_t kh = 0; kh < p->k[0]; ++kh) {
      const int64_t ih = place(p, 0, oh, kh);
      if (ih < 0) continue;
      for (int64_t kw = 0; kw < p->k[1]; ++kw) {
        const int64_t iw = place(p, 1, ow, kw);
        if (iw < 0) continue;
        const float product =
            src[(group * channels + ic) * p->src[1] + ih * p->src[2] + iw * p->src[3]] *
            weights[ic * p->weights[1] + kh * p->weights[2] + kw * p->weights[3]];
        sum = swapped ? add(product, sum) : add(sum, product);
      }
    }
  }
  return sum;
}

static concord_status execute_varying(void *backend, void *handle, const concord_execution *e) {
  const plan *p = handle;
  const float *src = e->inputs[0].data, *weights = e->inputs[1].data;
  const float *bias = p->has_bias ? e->inputs[2].data : NULL;
  float *dst = e->outputs[0].data;
  const int is_aligned = (uintptr_t)dst % 64 == 0;
  (void)backend;
  for (int64_t n = 0; n < p->n; ++n) {
    for (int64_t oc = 0; oc < p->oc; ++oc) {
      for (int64_t oh = 0; oh < p->o[0]; ++oh) {
        for (int64_t ow = 0; ow < p->o[1]; ++ow) {
          const float sum = sum_varying(p, src + n * p->src[0], weights + oc * p->weights[0],
                                        oc / (p->oc / p->groups), oh, ow, is_aligned);
          dst[n * p->dst[0] + oc * p->dst[1] + oh * p->dst[2] + ow * p->dst[3]] =
              bias ? add(sum, bias[oc * p->bias]) : sum;
        }
      }
    }
  }
  return CONCORD_OK;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin table;
  table = *template_plugin();
  table.open = open_varying;
  table.query = query_varying;
  table.prepare = prepare_varying;
  table.execute = execute_varying;
  return &table;
}

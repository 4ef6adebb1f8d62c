/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The template with carelessness in query, by its configuration: "behind" looks at the extent
 * behind the last one, "formats" takes any number for a format, "table" ends where a format is no
 * index, and "flag" declares what the stack happens to hold.
 */
#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin_v1
#include "plugin/template/template.c"
#undef concord_plugin_v1

static enum { kBehind, kFormats, kTable, kFlag } carelessness;

static concord_status open_careless(const char *config, void **backend, char *reason) {
  carelessness = strcmp(config, "behind") == 0    ? kBehind
                 : strcmp(config, "formats") == 0 ? kFormats
                 : strcmp(config, "flag") == 0    ? kFlag
                                                  : kTable;
  return open_backend("", backend, reason);
}

static concord_status query_careless(void *backend, const concord_problem *problem,
                                     concord_answer *answer) {
  volatile unsigned char never_set[64];
  const concord_tensor *src = &problem->inputs[0];
  if (problem->operation != CONCORD_CONVOLUTION) return query(backend, problem, answer);
  concord_convolution attributes = *(const concord_convolution *)problem->attributes;
  concord_problem taken = *problem;
  taken.attributes = &attributes;
  if (carelessness == kBehind && src->dims[src->rank] < 0) {
    return refuse(answer->reason, CONCORD_INVALID, "src has a negative extent");
  }
  if (carelessness == kBehind && attributes.strides.at[attributes.strides.size] < 0) {
    return refuse(answer->reason, CONCORD_INVALID, "a stride is negative");
  }
  if (attributes.weights_format < 0 || attributes.weights_format > CONCORD_OIX) {
    if (carelessness == kTable) abort();
    if (carelessness == kFormats) attributes.weights_format = CONCORD_XIO;
  }
  const concord_status status = query(backend, &taken, answer);
  if (carelessness == kFlag) answer->bits_vary_by_run = never_set[sizeof never_set / 2] != 0;
  return status;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin plugin;
  plugin = *template_plugin_v1();
  plugin.name = "careless";
  plugin.open = open_careless;
  plugin.query = query_careless;
  return &plugin;
}

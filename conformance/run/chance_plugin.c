/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The template with results that are a few steps too short: always, as "chance:always", or, as
 * "chance:3f12ab00", only where the bits of src's first element are these. No result leaves its
 * interval; their statistics fail.
 */
#include <math.h>
#include <stdint.h>

#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin_v1
#include "plugin/template/template.c"
#undef concord_plugin_v1

static int is_always;
static uint32_t unlucky;

static concord_status open_chance(const char *config, void **backend, char *reason) {
  is_always = strcmp(config, "always") == 0;
  unlucky = is_always ? 0 : (uint32_t)strtoul(config, NULL, 16);
  return open_backend("", backend, reason);
}

static concord_status execute_biased(void *backend, void *handle,
                                     const concord_execution *execution) {
  const plan *p = handle;
  const concord_status status = execute(backend, handle, execution);
  float *dst = execution->outputs[0].data;
  uint32_t first;
  memcpy(&first, execution->inputs[0].data, sizeof first);
  if (!is_always && first != unlucky) return status;
  for (int64_t n = 0; n < p->n; ++n) {
    for (int64_t oc = 0; oc < p->oc; ++oc) {
      for (int64_t oh = 0; oh < p->o[0]; ++oh) {
        for (int64_t ow = 0; ow < p->o[1]; ++ow) {
          float *at = dst + n * p->dst[0] + oc * p->dst[1] + oh * p->dst[2] + ow * p->dst[3];
          for (int step = 0; step < 6; ++step) *at = nextafterf(*at, 0);
        }
      }
    }
  }
  return status;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin plugin;
  plugin = *template_plugin_v1();
  plugin.name = "chance";
  plugin.open = open_chance;
  plugin.execute = execute_biased;
  return &plugin;
}

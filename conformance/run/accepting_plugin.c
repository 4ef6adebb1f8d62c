/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with one planted bug: it serves whatever it is asked for, and checks nothing. */
#include <string.h>

#include "plugin/concord_plugin.h"

static concord_status open_backend(const char *config, void **backend, char *reason) {
  (void)config;
  (void)reason;
  *backend = NULL;
  return CONCORD_OK;
}

static void close_backend(void *backend) { (void)backend; }

static concord_status query(void *backend, const concord_problem *problem, concord_answer *answer) {
  (void)backend;
  answer->outputs[0].rank = problem->inputs[0].rank;
  memcpy(answer->outputs[0].dims, problem->inputs[0].dims, sizeof(answer->outputs[0].dims));
  return CONCORD_OK;
}

static concord_status prepare(void *backend, const concord_problem *problem,
                              const concord_prepare_options *options, concord_prepared *prepared) {
  (void)backend;
  (void)problem;
  (void)options;
  (void)prepared;
  return CONCORD_OK;
}

static concord_status execute(void *backend, void *handle, const concord_execution *execution) {
  (void)backend;
  (void)handle;
  (void)execution;
  return CONCORD_OK;
}

static void release(void *backend, void *handle) {
  (void)backend;
  (void)handle;
}

const concord_plugin *concord_plugin_v1(void) {
  static const concord_plugin plugin = {CONCORD_ABI,  sizeof(concord_plugin),
                                        "accepting",  "1.0",
                                        open_backend, close_backend,
                                        query,        prepare,
                                        execute,      release,
                                        NULL};
  return &plugin;
}

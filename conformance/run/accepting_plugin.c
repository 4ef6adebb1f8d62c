/* SPDX-License-Identifier: Apache-2.0 */
/* The template with one planted bug: it serves whatever it is asked for, and checks nothing. */
#include <string.h>

#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin_v1
#include "plugin/template/template.c"
#undef concord_plugin_v1

static concord_status accept_query(void *backend, const concord_problem *problem,
                                   concord_answer *answer) {
  (void)backend;
  answer->outputs[0].rank = problem->inputs[0].rank;
  memcpy(answer->outputs[0].dims, problem->inputs[0].dims, sizeof(answer->outputs[0].dims));
  return CONCORD_OK;
}

static concord_status prepare_nothing(void *backend, const concord_problem *problem,
                                      const concord_prepare_options *options,
                                      concord_prepared *prepared) {
  (void)backend;
  (void)problem;
  (void)options;
  prepared->handle = NULL; /* which the template's release() may free */
  return CONCORD_OK;
}

static concord_status execute_nothing(void *backend, void *handle,
                                      const concord_execution *execution) {
  (void)backend;
  (void)handle;
  (void)execution;
  return CONCORD_OK;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin plugin;
  plugin = *template_plugin_v1();
  plugin.name = "accepting";
  plugin.query = accept_query;
  plugin.prepare = prepare_nothing;
  plugin.execute = execute_nothing;
  return &plugin;
}

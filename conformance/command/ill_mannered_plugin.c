/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin that computes what the template does, rightly, and whose conduct is bad in the one way
 * that its configuration names.
 */
#include <fenv.h>
#include <string.h>

#include "plugin/concord_plugin.h"

#define concord_plugin_v1 well_mannered_plugin
#include "plugin/template/template.c"
#undef concord_plugin_v1

static char deed[32];

static int is_deed(const char *name) { return strcmp(deed, name) == 0; }

static concord_status open_ill(const char *config, void **backend, char *reason) {
  strncpy(deed, config, sizeof deed - 1);
  return well_mannered_plugin()->open("", backend, reason);
}

static void close_ill(void *backend) {
  if (is_deed("abort_in_close")) {
    fprintf(stderr, "close: 1 object leaked\n");
    abort();
  }
  well_mannered_plugin()->close(backend);
}

static concord_status query_ill(void *backend, const concord_problem *problem,
                                concord_answer *answer) {
  static int queries = 0;
  const concord_status status = well_mannered_plugin()->query(backend, problem, answer);
  if (is_deed("decline_every_other") && ++queries % 2 == 0) return CONCORD_UNSUPPORTED;
  if (is_deed("declare_anew")) answer->arithmetic.accumulator = ++queries % 2;
  return status;
}

static concord_status execute_ill(void *backend, void *handle, const concord_execution *execution) {
  const concord_status status = well_mannered_plugin()->execute(backend, handle, execution);
  if (is_deed("leave_rounding")) fesetround(FE_UPWARD);
  return status;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin table;
  table = *well_mannered_plugin();
  table.open = open_ill;
  table.close = close_ill;
  table.query = query_ill;
  table.execute = execute_ill;
  return &table;
}

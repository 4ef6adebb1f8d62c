/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The template with a planted bug: an odd element of padding that belongs at the end of an axis is
 * put at its beginning, and the other way round. It serves Convolution alone, so on any other
 * operation only lowering can catch it.
 */
#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin_v1
#include "plugin/template/template.c"
#undef concord_plugin_v1

static concord_status prepare_late(void *backend, const concord_problem *problem,
                                   const concord_prepare_options *options,
                                   concord_prepared *prepared) {
  concord_convolution swapped = *(const concord_convolution *)problem->attributes;
  concord_problem changed = *problem;
  const concord_list begin = swapped.pads_begin;
  swapped.pads_begin = swapped.pads_end;
  swapped.pads_end = begin;
  changed.attributes = &swapped;
  return prepare(backend, &changed, options, prepared);
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin plugin;
  plugin = *template_plugin_v1();
  plugin.name = "late_padding";
  plugin.prepare = prepare_late;
  return &plugin;
}

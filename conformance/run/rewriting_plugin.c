/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The template, which computes rightly, and does one thing besides. "element" and "between": when
 * it has computed it writes to the memory that src comes from, at the first element or a gigabyte
 * behind it. "stall": it never comes to the end of a problem that is not huge. "decline": nor does
 * it here, and it prepares no huge problem.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "plugin/concord_plugin.h"

#define concord_plugin_v1 template_plugin_v1
#include "plugin/template/template.c"
#undef concord_plugin_v1

#define ARENA 4 /* the descriptor of all tensors' memory, in every worker */
#define HUGE_BYTES ((size_t)1 << 30)

static char deed[16];

static int is_deed(const char *name) { return strcmp(deed, name) == 0; }

static concord_status open_rewriting(const char *config, void **backend, char *reason) {
  snprintf(deed, sizeof deed, "%s", config);
  return open_backend("", backend, reason);
}

static concord_status prepare_rewriting(void *backend, const concord_problem *problem,
                                        const concord_prepare_options *options,
                                        concord_prepared *prepared) {
  /* The tests' huge problem is the one whose src has gaps. */
  if (is_deed("decline") && problem->inputs[0].strides[0] > (int64_t)HUGE_BYTES) {
    return refuse(prepared->reason, CONCORD_FAULT, "too large to prepare");
  }
  return prepare(backend, problem, options, prepared);
}

/* Where in the arena the byte at this address lies; -1 if it is in no mapping. */
static off_t place_of(const void *address) {
  const unsigned long long at = (unsigned long long)(uintptr_t)address;
  unsigned long long begin, end, offset;
  off_t place = -1;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%llx-%llx %*s %llx", &begin, &end, &offset) != 3) continue;
    if (begin <= at && at < end) place = (off_t)(offset + (at - begin));
  }
  if (maps != NULL) fclose(maps);
  return place;
}

/* The plugin's own mapping of its inputs is read-only, but the file behind it is open. */
static int flip_byte_behind(const void *address, off_t distance) {
  const off_t place = place_of(address);
  unsigned char byte;
  if (place < 0 || pread(ARENA, &byte, 1, place + distance) != 1) return 0;
  byte ^= 1;
  return pwrite(ARENA, &byte, 1, place + distance) == 1;
}

static concord_status execute_rewriting(void *backend, void *handle,
                                        const concord_execution *execution) {
  const concord_status status = execute(backend, handle, execution);
  const void *src = execution->inputs[0].data;
  const int is_huge = execution->inputs[0].bytes > HUGE_BYTES;
  if (is_deed("element") && !flip_byte_behind(src, 0)) return CONCORD_FAULT;
  if (is_deed("between") && !flip_byte_behind(src, (off_t)HUGE_BYTES)) return CONCORD_FAULT;
  if (!is_huge && (is_deed("stall") || is_deed("decline"))) sleep(1000);
  return status;
}

const concord_plugin *concord_plugin_v1(void) {
  static concord_plugin plugin;
  plugin = *template_plugin_v1();
  plugin.name = "rewriting";
  plugin.open = open_rewriting;
  plugin.prepare = prepare_rewriting;
  plugin.execute = execute_rewriting;
  return &plugin;
}

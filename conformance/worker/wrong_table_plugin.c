/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin of a later version of the plugin ABI. */
#include "plugin/concord_plugin.h"

static const concord_plugin kTable = {
    CONCORD_ABI + 7, sizeof(concord_plugin), 0, 0, 0, 0, 0, 0, 0, 0, 0};

const concord_plugin *concord_plugin_v1(void) { return &kTable; }

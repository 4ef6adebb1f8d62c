// SPDX-License-Identifier: Apache-2.0
// A worker does not outlive its host, whatever the plugin is doing.
#ifndef CONCORD_CONFORMANCE_WORKER_HOST_WATCH_H_
#define CONCORD_CONFORMANCE_WORKER_HOST_WATCH_H_

namespace concord::conformance {

/// Starts a thread that sleeps until the host's end of `channel` is closed, then kills this process
/// and, if it leads one, its process group. False, and a line on standard error, if no thread can
/// be started.
bool watch_host(int channel);

}  // namespace concord::conformance

#endif  // CONCORD_CONFORMANCE_WORKER_HOST_WATCH_H_

// SPDX-License-Identifier: Apache-2.0
// Where pocl, an OpenCL driver for processors, keeps the kernels that it has compiled.
#ifndef CONCORD_BACKENDS_CLBLAST_KERNEL_CACHE_H_
#define CONCORD_BACKENDS_CLBLAST_KERNEL_CACHE_H_

namespace concord::backends {

/// Gives pocl a new folder in /tmp for its kernels if it cannot write the one that the user named
/// in POCL_CACHE_DIR or, without a name, its own in the user's cache folder, as in the sandbox:
/// pocl compiles nothing without one. To be called before the first call of OpenCL.
void find_kernel_cache();

}  // namespace concord::backends

#endif  // CONCORD_BACKENDS_CLBLAST_KERNEL_CACHE_H_

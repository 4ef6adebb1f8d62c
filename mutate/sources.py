# SPDX-License-Identifier: Apache-2.0
"""What can be mutated: a row per source."""

import fnmatch
from typing import NamedTuple


class Source(NamedTuple):
    """Files whose compiled code is mutated, and the plugin that they are part of."""
    plugin: str
    files: tuple      # globs, relative to the root of the sources; `*` matches any text
    without: tuple = ()
    config: str = ""  # the plugin's configuration, after the colon of --backend

    def has(self, path):
        """True if `path`, relative to the root, is one of its files or a header among them."""
        return (any(fnmatch.fnmatch(path, one) for one in self.files) and
                not any(fnmatch.fnmatch(path, one) for one in self.without))


# Kernels that no processor of most machines executes, or that another one shadows here.
_OTHER_KERNELS = ("optimized/kernels/*/*avx2.cpp", "optimized/kernels/*/neon.cpp",
                  "optimized/kernels/amx/*", "optimized/amx/*", "optimized/testing/*", "*_test.cpp")
SOURCES = {
    "template": Source("template", ("plugin/template/template.c",)),
    "eigen": Source("eigen", ("backends/eigen/*",)),
    "xnnpack": Source("xnnpack", ("backends/xnnpack/*",)),
    "onednn": Source("onednn", ("backends/onednn/*",)),
    # What every adapter has in common, as Eigen's uses it.
    "adapter": Source("eigen", ("backends/adapter/*",)),
    "reference": Source("reference", ("backends/reference/*", "reference/*")),
    # Plans, packing, shapes, the operations: all but the kernels.
    "optimized": Source("optimized", ("optimized/*", "backends/optimized/*"),
                        ("optimized/kernels/*", *_OTHER_KERNELS)),
    "generic": Source("optimized", ("optimized/kernels/*",),
                      (*_OTHER_KERNELS, "*avx512*.cpp"), "isa=generic"),
    # Of bf16, on a processor that has AMX.
    "amx": Source("optimized", ("optimized/amx/*", "optimized/kernels/amx/*")),
    "avx512": Source("optimized", ("optimized/kernels/*",), (*_OTHER_KERNELS, "*generic.cpp")),
}

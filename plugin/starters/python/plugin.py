#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A backend to begin with: it computes pointwise convolutions in f32 and declines everything else.

`concord run` counts the reasons of declining: take one line after another out of refusal() as
convolve(), where your library's call belongs, learns it.
"""

import numpy as np

import concord_exec


class MyConvolution(concord_exec.ConvolutionBackend):
    """What the base class offers is described in concord_exec/convolution.py."""

    name, version = "mine", "0.1"  # version of the library that computes
    dtypes = ("f32",)  # of f32, f16, bf16 and f64
    # The strictest: sums in f32, one rounding. docs/plugin.md lists what else can be declared.
    arithmetic = {}

    def refusal(self, g):
        """Why g is not served, or None."""
        if max(g.kernel) > 1:
            return "only kernels of one element so far"
        if max(g.strides) > 1:
            return "no strides so far"
        if max(g.pads_begin + g.pads_end) > 0:
            return "no padding so far"
        if g.groups > 1:
            return "no groups so far"
        if g.has_bias:
            return "no bias so far"
        return None

    def convolve(self, g, src, weights, bias):
        """dst [N, OC, extent...] from src [N, IC, size...], weights [OC, IC/G, kernel...], bias [OC]"""
        dst = np.zeros(g.dst, src.dtype)
        for ic in range(g.src[1]):
            dst += src[:, ic : ic + 1] * weights[np.newaxis, :, ic]
        return dst


if __name__ == "__main__":
    concord_exec.serve(MyConvolution())

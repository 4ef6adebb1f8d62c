#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A backend in numpy, to show how a program is judged: --backend 'exec:backends/exec/numpy_conv.py'

It serves Convolution1 and Convolution in every dtype, sums in f64 and rounds once.
"""

import math

import numpy as np

import concord_exec


class NumpyConvolution(concord_exec.ConvolutionBackend):
    """y[n,oc,o] = bias[oc] + sum over ic, k of x[n, ic, o*S + k*D - P] * w[oc,ic,k], in f64"""

    name, version = "numpy", np.__version__
    dtypes = ("f32", "f16", "bf16", "f64")
    arithmetic = {"accumulator": 1}  # CONCORD_ACCUMULATE_F64
    implementation = "einsum over each tap"

    def refusal(self, g):
        padded = math.prod(s + b + e for s, b, e in zip(g.sizes, g.pads_begin, g.pads_end))
        if max(g.src[0], 1) * max(g.src[1], 1) * padded > 2**28:
            return "the padded src does not fit in memory"
        return None

    def convolve(self, g, src, weights, bias):
        x, w = src.astype(np.float64), weights.astype(np.float64)
        x = np.pad(x, [(0, 0), (0, 0)] + list(zip(g.pads_begin, g.pads_end)))
        x = x.reshape(x.shape[0], g.groups, w.shape[1], *x.shape[2:])
        w = w.reshape(g.groups, w.shape[0] // g.groups, *w.shape[1:])
        y = np.zeros((x.shape[0], g.groups, w.shape[1], *g.extents))
        if bias is not None:
            y += bias.astype(np.float64).reshape(g.groups, -1, *[1] * g.rank)
        for tap in np.ndindex(*g.kernel):
            window = tuple(slice(k * d, k * d + (o - 1) * s + 1, s)
                           for k, d, o, s in zip(tap, g.dilations, g.extents, g.strides))
            y += np.einsum("goi,ngi...->ngo...", w[(...,) + tap], x[(...,) + window])
        return y.reshape(g.dst)


if __name__ == "__main__":
    concord_exec.serve(NumpyConvolution())

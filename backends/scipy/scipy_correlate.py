#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""SciPy behind the exec protocol: scipy.signal.correlate by its direct method or, with the argument "ndimage",
scipy.ndimage.correlate.

Both know windows that lie inside the input, and neither batch, groups, strides or dilation. This program pads,
takes one image and output channel at a time, drops what a stride leaves out, and correlates each phase of a
dilation alone, since zeros between the taps would be multiplied. signal.correlate sums over the channels, as one
more axis; for ndimage, whose outputs are as many as its inputs, this program adds the channels in f64.
"""

import itertools
import math
import pathlib
import sys

import numpy as np
import scipy
import scipy.ndimage
import scipy.signal

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "exec"))
import concord_exec  # noqa: E402  pylint: disable=wrong-import-position

LARGEST_COPY, LARGEST_CALLS = 2**26, 2**13


def phases(kernel, dilations, extents, padded):
    """The parts of a dilated correlation that have no dilation: for each remainder of the outputs' positions, where
    they are written and what they read."""
    for first in itertools.product(*(range(min(d, e)) for d, e in zip(dilations, extents))):
        written = tuple(slice(f, None, d) for f, d in zip(first, dilations))
        outputs = [-(-(e - f) // d) for f, d, e in zip(first, dilations, extents)]
        read = tuple(slice(f, f + (o + k - 2) * d + 1, d)
                     for f, d, o, k in zip(first, dilations, outputs, kernel))
        assert all(part.stop <= size for part, size in zip(read, padded))
        yield written, read


class Signal(concord_exec.ConvolutionBackend):
    """scipy.signal.correlate"""

    name, version = "scipy", scipy.__version__
    dtypes = ("f32", "f64")
    adapter_part = ("auto_pad, layout of tensors, padding, one image and output channel at a time, strides by leaving "
                    "out, dilations by phases, bias")
    implementation = "signal.correlate, direct"
    largest_work = 2**26  # products; it computes some 30 million a second, and a request has 10 seconds

    def refusal(self, g):
        if g.rank > 3:
            return "more than three spatial axes"
        if 0 in g.src or 0 in g.weights:
            return f"a tensor without elements: src {g.src}, weights {g.weights}"
        dense = [self.dense_extent(g, axis) for axis in range(g.rank)]
        if g.src[0] * g.src[1] * math.prod(self.padded(g)) > LARGEST_COPY:
            return "the padded src would not fit in memory"
        if g.src[0] * math.prod(g.weights) * math.prod(dense) > self.largest_work:
            return "too many products where strides are left out afterwards"
        return None

    def arithmetic_of(self, g):
        return {"accumulator": 1} if g.dtype == "f64" else {}  # CONCORD_ACCUMULATE_F64

    @staticmethod
    def padded(g):
        return [s + b + e for s, b, e in zip(g.sizes, g.pads_begin, g.pads_end)]

    def dense_extent(self, g, axis):
        """How many windows stride 1 would have."""
        return self.padded(g)[axis] - g.dilations[axis] * (g.kernel[axis] - 1)

    def convolve(self, g, src, weights, bias):
        src = np.pad(src, [(0, 0), (0, 0)] + list(zip(g.pads_begin, g.pads_end)))
        # Whole windows of the outputs alone: what the last stride leaves over is cut off.
        extents = [(extent - 1) * stride + 1 for extent, stride in zip(g.extents, g.strides)]
        strided = tuple(slice(None, None, stride) for stride in g.strides)
        dst = np.empty(g.dst, src.dtype)
        per_group = g.weights[0] // g.groups
        for n, oc in np.ndindex(*g.dst[:2]):
            first = oc // per_group * g.weights[1]
            image = src[n, first:first + g.weights[1]]
            dense = np.empty(extents, self.result_type(src.dtype))
            for written, read in phases(g.kernel, g.dilations, extents, image.shape[1:]):
                dense[written] = self.correlate(image[(slice(None),) + read], weights[oc])
            result = dense[strided]
            dst[n, oc] = result if bias is None else result + bias[oc]
        return dst

    def result_type(self, dtype):
        return dtype

    def correlate(self, image, kernel):
        """The windows of [C, size...] that lie inside, by one kernel [C, taps...]."""
        return scipy.signal.correlate(image, kernel, mode="valid", method="direct")[0]


class NdImage(Signal):
    """scipy.ndimage.correlate, which computes in double and skips weights of nearly zero."""

    implementation = "ndimage.correlate"
    adapter_part = Signal.adapter_part + ", the sum over the channels in f64"
    largest_work = 2**32

    def arithmetic_of(self, g):
        # CONCORD_ACCUMULATE_F64, CONCORD_ZERO_WEIGHTS_SKIPPED
        return {"accumulator": 1, "zero_weights": 1}

    def refusal(self, g):
        calls = g.src[0] * math.prod(g.weights[:2]) * math.prod(map(min, g.dilations, g.extents))
        if calls > LARGEST_CALLS:
            return f"{calls} calls, one for each image, pair of channels and phase"
        return super().refusal(g)

    def result_type(self, dtype):
        return np.float64

    def correlate(self, image, kernel):
        inside = tuple(slice(k // 2, k // 2 + size - k + 1)
                       for k, size in zip(kernel.shape[1:], image.shape[1:]))
        return sum(scipy.ndimage.correlate(plane, taps, output=np.float64, mode="constant")[inside]
                   for plane, taps in zip(image, kernel))


if __name__ == "__main__":
    KNOWN = {"": Signal, "ndimage": NdImage}
    CONFIG = sys.argv[1] if len(sys.argv) > 1 else ""
    if CONFIG not in KNOWN:
        sys.exit(f"this program knows the argument 'ndimage', not '{CONFIG}'")
    concord_exec.serve(KNOWN[CONFIG]())

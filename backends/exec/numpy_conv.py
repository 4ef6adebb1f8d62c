#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A backend in numpy, to show how a program is judged: --backend 'exec:backends/exec/numpy_conv.py'

It serves the oneDNN Graph Convolution in f32 and f16, sums in f64 and rounds once.
"""

import numpy as np

import concord_exec
from concord_exec import declines, invalid


def check_lists(attributes, rank):
    """Refuses attribute lists of a wrong length or with values out of range."""
    for name, least in (("strides", 1), ("dilations", 1), ("pads_begin", 0), ("pads_end", 0)):
        values = attributes[name]
        if name.startswith("pads") and attributes["auto_pad"] != "none":
            continue
        if len(values) != rank or min(values) < least:
            raise invalid(f"{name} is {values}; expected {rank} values of at least {least}")


def channels_first(problem):
    """The axes of src and of weights in the order [N, C, spatial...] and [OC, IC/G, spatial...]."""
    attributes, rank = problem["attributes"], len(problem["inputs"][0]["dims"])
    spatial = list(range(2, rank))
    data = [0, 1] + spatial
    if attributes["data_format"] == "NXC":
        data = [0, rank - 1] + list(range(1, rank - 1))
    weights = [0, 1] + spatial
    if attributes["weights_format"] == "XIO":
        weights = [rank - 1, rank - 2] + list(range(rank - 2))
    return data, weights


class Geometry:
    """The sizes of a convolution: checked, and channels first."""

    def __init__(self, problem):
        attributes = problem["attributes"]
        src, weights = problem["inputs"][0]["dims"], problem["inputs"][1]["dims"]
        rank = len(src) - 2
        if rank not in (1, 2, 3) or len(weights) != len(src):
            raise invalid(f"src has {len(src)} dimensions and weights has {len(weights)}")
        check_lists(attributes, rank)
        self.data_axes, self.weights_axes = channels_first(problem)
        src = [src[axis] for axis in self.data_axes]
        weights = [weights[axis] for axis in self.weights_axes]
        self.groups = attributes["groups"]
        if self.groups < 1 or src[1] != weights[1] * self.groups or weights[0] % self.groups:
            raise invalid(f"{src[1]} channels, weights {weights} and {self.groups} groups")
        if len(problem["inputs"]) == 3 and problem["inputs"][2]["dims"] != [weights[0]]:
            raise invalid(f"bias is {problem['inputs'][2]['dims']}; expected [{weights[0]}]")
        self.kernel, self.strides = weights[2:], attributes["strides"]
        self.dilations = attributes["dilations"]
        padded = attributes["auto_pad"] == "none"
        self.pads_begin = attributes["pads_begin"] if padded else [0] * rank
        self.pads_end = attributes["pads_end"] if padded else [0] * rank
        self.extents = [self.extent(src[2 + i], i) for i in range(rank)]
        self.dst = [0] * (rank + 2)
        for axis, extent in zip(self.data_axes, [src[0], weights[0]] + self.extents):
            self.dst[axis] = extent

    def extent(self, size, i):
        """floor((size + pads - dilated kernel) / stride) + 1"""
        dilated = self.dilations[i] * (self.kernel[i] - 1) + 1
        padded = size + self.pads_begin[i] + self.pads_end[i]
        extent = (padded - dilated) // self.strides[i] + 1
        if self.kernel[i] < 1 or extent < 0 or max(padded, dilated) > concord_exec.LARGEST:
            raise invalid(f"a kernel of {dilated} on {padded} elements with padding")
        return extent


class NumpyConvolution:
    """The two methods that concord_exec.serve() asks for."""

    name, version = "numpy", np.__version__

    def query(self, problem):
        if problem["operation"] != "Convolution" or problem["dtype"] in ("bf16", "f64"):
            raise declines(f"only Convolution in f32 and f16, not {problem['text'][:40]}")
        if problem["attributes"]["auto_pad"] not in ("none", "valid"):
            raise declines("only auto_pad none and valid")
        stated = problem["outputs"][0]
        for name, tensor in zip(("src", "weights", "bias"), problem["inputs"]):
            concord_exec.check_layout(name, tensor, problem["dtype"])
        if stated is not None:
            concord_exec.check_layout("dst", stated, problem["dtype"])
        dst = Geometry(problem).dst
        if stated is not None and stated["dims"] != dst:
            raise invalid(f"dst is {stated['dims']}; expected {dst}")
        return {
            "dst_dims": dst,
            "arithmetic": {"accumulator": 1},  # CONCORD_ACCUMULATE_F64
            "same_bits_any_threads": True,
            "implementation": "einsum over each tap",
        }

    def prepare(self, problem, _threads):
        geometry = Geometry(problem)
        return lambda inputs, dst: convolve(geometry, inputs, dst)


def convolve(g, inputs, dst):
    """y[n,oc,o] = bias[oc] + sum over ic, k of x[n, ic, o*S + k*D - P] * w[oc,ic,k], in f64"""
    if dst.size == 0:
        return
    x = inputs[0].transpose(g.data_axes).astype(np.float64)
    w = inputs[1].transpose(g.weights_axes).astype(np.float64)
    x = np.pad(x, [(0, 0), (0, 0)] + list(zip(g.pads_begin, g.pads_end)))
    x = x.reshape(x.shape[0], g.groups, w.shape[1], *x.shape[2:])
    w = w.reshape(g.groups, w.shape[0] // g.groups, *w.shape[1:])
    y = np.zeros((x.shape[0], g.groups, w.shape[1], *g.extents))
    for tap in np.ndindex(*g.kernel):
        window = tuple(
            slice(k * d, k * d + (o - 1) * s + 1, s)
            for k, d, o, s in zip(tap, g.dilations, g.extents, g.strides)
        )
        y += np.einsum("goi,ngi...->ngo...", w[(...,) + tap], x[(...,) + window])
    y = y.reshape(y.shape[0], g.groups * w.shape[1], *g.extents)
    if len(inputs) == 3:
        y += inputs[2].astype(np.float64).reshape(-1, *[1] * len(g.extents))
    with np.errstate(over="ignore"):
        dst.transpose(g.data_axes)[...] = y.astype(dst.dtype)


if __name__ == "__main__":
    concord_exec.serve(NumpyConvolution())

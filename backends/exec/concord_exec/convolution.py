# SPDX-License-Identifier: Apache-2.0
"""A backend of which only the convolution itself has to be written."""

import time

import numpy as np

from .bf16 import bf16_bits, bf16_values
from .geometry import Geometry
from .problem import check_tensors, declines, invalid


class ConvolutionBackend:
    """Serves Convolution1 and Convolution through `convolve()`. Change what differs:

    name, version    what the report calls the library
    dtypes           of f32, f16, bf16 and f64, those that are served
    arithmetic       what the library declares: docs/plugin.md; {} is the strictest
    refusal(g)       why it does not serve this Geometry, or None
    convolve(g, src, weights, bias)
                     dst as [N, OC, extent...] from src [N, IC, size...], weights
                     [OC, IC/G, kernel...] and bias [OC] or None: all dense, bf16 as float32. A
                     result in a wider dtype is rounded once to nearest; of bf16, uint16 are bits.
    """

    name, version = "unnamed", "0"
    dtypes = ("f32",)
    arithmetic = {}
    same_bits_any_threads = True
    bits_vary_by_run = False
    adapter_part = "auto_pad, layout of tensors"
    implementation = ""

    def refusal(self, _geometry):
        """Why this is not served, in one sentence; None if it is."""
        return None

    def convolve(self, geometry, src, weights, bias):
        """The library's call goes here."""
        raise NotImplementedError("convolve() is not written")

    def query(self, problem):
        """The answer to `query`: dst's shape and the arithmetic; or raises Refused."""
        if problem["operation"] not in ("Convolution1", "Convolution"):
            raise declines(f"the operation {problem['operation']} is not served")
        if problem["dtype"] == "mixed":
            raise invalid("the tensors differ in dtype")
        if problem["dtype"] not in self.dtypes:
            raise declines(f"the dtype {problem['dtype']} is not served")
        check_tensors(problem)
        geometry = Geometry(problem)
        reason = self.refusal(geometry)
        if reason is not None:
            raise declines(reason)
        return {"dst_dims": geometry.dst_dims, "arithmetic": self.arithmetic_of(geometry),
                "same_bits_any_threads": self.same_bits_any_threads,
                "bits_vary_by_run": self.bits_vary_by_run, "adapter_part": self.adapter_part,
                "implementation": self.implementation}

    def arithmetic_of(self, _geometry):
        """What is declared for one problem; `arithmetic` unless it depends on the problem."""
        return self.arithmetic

    def prepare(self, problem, threads):
        """The function that computes dst in place and returns how long convolve() took."""
        geometry = Geometry(problem)
        geometry.threads = threads
        return lambda inputs, dst: self._compute(geometry, inputs, dst)

    def _compute(self, g, inputs, dst):
        if g.is_empty:
            return 0.0
        is_bf16 = g.dtype == "bf16"
        read = bf16_values if is_bf16 else np.asarray
        src = np.ascontiguousarray(read(inputs[0].transpose(g.data_axes)))
        weights = np.ascontiguousarray(read(inputs[1].transpose(g.weights_axes)))
        bias = np.ascontiguousarray(read(inputs[2])) if g.has_bias else None
        begin = time.perf_counter()
        result = np.asarray(self.convolve(g, src, weights, bias))
        seconds = time.perf_counter() - begin
        if list(result.shape) != g.dst:
            raise ValueError(f"convolve() returned the shape {list(result.shape)}, not {g.dst}")
        if is_bf16 and result.dtype != np.uint16:
            result = bf16_bits(result)
        with np.errstate(over="ignore", under="ignore"):
            dst.transpose(g.data_axes)[...] = result.astype(dst.dtype, copy=False)
        return seconds

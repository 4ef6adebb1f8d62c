# SPDX-License-Identifier: Apache-2.0
"""Refusals, and checks of a problem's tensors."""

import math

import numpy as np

OK, UNSUPPORTED, INVALID, FAULT = range(4)
# numpy has no bfloat16: its elements are passed as their bits.
ELEMENT = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "bf16": np.dtype("<u2"),
           "f64": np.dtype("<f8")}
LARGEST = 2**63 - 1


class Refused(Exception):
    """A problem that is not computed: a status, and one sentence of reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def declines(reason):
    """The backend does not serve this."""
    return Refused(UNSUPPORTED, reason)


def invalid(reason):
    """The problem violates its specification."""
    return Refused(INVALID, reason)


def check_layout(name, tensor, dtype):
    """Refuses a tensor too large for any memory, or with strides that let elements overlap: each
    axis must step over everything that the axes of smaller strides reach."""
    dims, strides = tensor["dims"], tensor["strides"]
    if len(dims) != len(strides) or min(dims + strides, default=0) < 0:
        raise invalid(f"{name} is {dims} with strides {strides}: one is negative or missing")
    reach = sum((d - 1) * s for d, s in zip(dims, strides) if d > 0) + 1
    if max(reach, math.prod(max(d, 1) for d in dims)) * ELEMENT[dtype].itemsize > LARGEST:
        raise invalid(f"{name} is {dims} with strides {strides}: its bytes overflow 64 bits")
    reached = 0
    for stride, extent in sorted((s, d) for d, s in zip(dims, strides) if d > 1):
        if stride <= reached and 0 not in dims:
            raise invalid(f"{name} is {dims} with strides {strides}: elements overlap")
        reached += stride * (extent - 1)


def check_tensors(problem):
    """check_layout() of src, weights, bias and, where it is stated, dst."""
    stated = problem["outputs"][0]
    tensors = list(zip(("src", "weights", "bias"), problem["inputs"]))
    for name, tensor in tensors + ([] if stated is None else [("dst", stated)]):
        check_layout(name, tensor, problem["dtype"])

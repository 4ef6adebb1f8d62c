#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch on the CPU behind the exec protocol: torch.nn.functional.conv1d, conv2d and conv3d. With the argument
"native" PyTorch's own kernels run instead of oneDNN's.

Padding that is the same at both ends is PyTorch's, also padding="same" where the stride is 1; other padding is
added by torch.nn.functional.pad.
"""

import math
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "exec"))
import concord_exec  # noqa: E402  pylint: disable=wrong-import-position

LARGEST_COPY = 2**28
CONVOLVE = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}


def onednn_takes_bf16():
    """Whether PyTorch hands convolutions in bf16 to oneDNN: not on processors without AVX-512."""
    one = torch.ones(1, 1, 1, 1, dtype=torch.bfloat16)
    try:
        torch.mkldnn_convolution(one, one, None, [0, 0], [1, 1], [1, 1], 1)
    except RuntimeError:
        return False
    return True


class PyTorch(concord_exec.ConvolutionBackend):
    """torch.nn.functional.convNd"""

    name, version = "pytorch", torch.__version__
    dtypes = ("f32", "bf16", "f64")
    # Which kernel runs, and how it splits its sums, depends on the sizes and the number of threads.
    same_bits_any_threads = False
    adapter_part = "auto_pad but for SAME_UPPER at stride 1, layout of tensors, unequal padding by torch.nn.functional.pad"

    def __init__(self, native):
        torch.backends.mkldnn.enabled = not native
        self.sums_in_bf16 = native or not onednn_takes_bf16()
        self.implementation = "native" if native else "mkldnn enabled"

    def refusal(self, g):
        if g.rank > 3:
            return "more than three spatial axes"
        if 0 in g.src or 0 in g.weights:
            return f"a tensor without elements: src {g.src}, weights {g.weights}"
        padded = math.prod(s + b + e for s, b, e in zip(g.sizes, g.pads_begin, g.pads_end))
        if g.src[0] * g.src[1] * padded > LARGEST_COPY:
            return "the padded src would not fit in memory"
        return None

    def arithmetic_of(self, g):
        if g.dtype == "f64":
            return {"accumulator": 1}  # CONCORD_ACCUMULATE_F64
        if g.dtype == "bf16":
            # oneDNN's instructions for bf16 take subnormals for zero; PyTorch's own kernels sum in bf16.
            return {"accumulator": 3} if self.sums_in_bf16 else {"flushes_subnormals": 1}
        return {}

    def convolve(self, g, src, weights, bias):
        torch.set_num_threads(g.threads)
        dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f64": torch.float64}[g.dtype]
        x, w = torch.from_numpy(src).to(dtype), torch.from_numpy(weights).to(dtype)
        b = None if bias is None else torch.from_numpy(bias).to(dtype)
        if g.auto_pad == "same_upper" and set(g.strides) == {1}:
            padding = "same"
        elif g.pads_begin == g.pads_end:
            padding = g.pads_begin
        else:
            pairs = zip(reversed(g.pads_begin), reversed(g.pads_end))
            x, padding = F.pad(x, [pad for pair in pairs for pad in pair]), 0
        y = CONVOLVE[g.rank](x, w, b, stride=g.strides, padding=padding, dilation=g.dilations, groups=g.groups)
        return y.view(torch.int16).numpy().view("uint16") if g.dtype == "bf16" else y.numpy()


if __name__ == "__main__":
    CONFIG = sys.argv[1] if len(sys.argv) > 1 else ""
    if CONFIG not in ("", "native"):
        sys.exit(f"this program knows the argument 'native', not '{CONFIG}'")
    concord_exec.serve(PyTorch(CONFIG == "native"))

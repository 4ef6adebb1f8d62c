# SPDX-License-Identifier: Apache-2.0
"""The program's side of `--backend 'exec:COMMAND'`: docs/exec_protocol.md as a Python package.

`serve(backend)` answers requests until the host closes the channel. A backend is either

- a `ConvolutionBackend` with one method `convolve(geometry, src, weights, bias)`, which gets dense
  channels-first arrays and returns dst; problems are checked, SAME is resolved, and tensors are
  unpacked and stored by this package; or
- any object with `name`, `version` and two methods:

      query(problem)             -> a dict with dst_dims, arithmetic, ...; or raises Refused
      prepare(problem, threads)  -> a function f(inputs, dst) that computes dst in place

  `problem` is the object of docs/exec_protocol.md; inputs and dst are numpy arrays in the memory
  shared with the host, with bfloat16 as its bits. `Geometry(problem)` checks and resolves a
  `Convolution1` or a `Convolution`.
"""

from .bf16 import bf16_bits, bf16_values
from .channel import PROTOCOL, serve
from .convolution import ConvolutionBackend
from .geometry import Geometry
from .problem import ELEMENT, LARGEST, Refused, check_layout, check_tensors, declines, invalid

__version__ = "1.0.0"
__all__ = ["ConvolutionBackend", "ELEMENT", "Geometry", "LARGEST", "PROTOCOL", "Refused",
           "bf16_bits", "bf16_values", "check_layout", "check_tensors", "declines", "invalid",
           "serve"]

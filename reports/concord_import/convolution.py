# SPDX-License-Identifier: Apache-2.0
"""One convolution as a problem line, or the reason why no line can state it."""

import dataclasses
import math

from concord_report.service import DTYPES

AUTO_PADS = ("same_upper", "same_lower", "valid")
MOST_ELEMENTS = 2**59  # eight bytes each fit 63 bits


class NotHandled(Exception):
    """Why something is not imported; `detail` tells this one from others of the same reason."""

    def __init__(self, reason, detail=""):
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail


@dataclasses.dataclass(kw_only=True)
class Convolution:
    """A forward convolution.

    Shapes  src [N, IC, spatial...], weights [OC, IC/groups, kernel...], all in this order
    Units   dilations of 1 are dense
    """

    dtype: str
    src: list
    weights: list
    has_bias: bool
    strides: list
    pads_begin: list
    pads_end: list
    dilations: list
    groups: int = 1
    auto_pad: str | None = None
    channels_last: bool = False

    def line(self):
        """The problem line. Raises NotHandled for what Concord would refuse or cannot state."""
        self._check()
        words = ["Convolution", self.dtype, "src=" + "x".join(map(str, self._src_in_memory())),
                 "weights=" + "x".join(map(str, self.weights))]
        if self.has_bias:
            words.append(f"bias={self.weights[0]}")
        for key, values, default in (("strides", self.strides, 1), ("pads_begin", self.pads_begin, 0),
                                     ("pads_end", self.pads_end, 0), ("dilations", self.dilations, 1)):
            if any(value != default for value in values):
                words.append(f"{key}={','.join(map(str, values))}")
        if self.auto_pad:
            words.append("auto_pad=" + self.auto_pad)
        if self.groups != 1:
            words.append(f"groups={self.groups}")
        return " ".join([*words, "data_format=" + ("NXC" if self.channels_last else "NCX"), "weights_format=OIX"])

    def _src_in_memory(self):
        return [self.src[0], *self.src[2:], self.src[1]] if self.channels_last else self.src

    def _check(self):
        rank = len(self.src) - 2
        if rank not in (1, 2, 3) or len(self.weights) != len(self.src):
            raise NotHandled("not a convolution over 1 to 3 axes",
                             f"{len(self.src)} dimensions of src, {len(self.weights)} of weights")
        if self.dtype not in DTYPES:
            raise NotHandled(f"its type is none of {', '.join(DTYPES)}", self.dtype)
        self._check_lists(rank)
        self._check_channels()
        self._check_sizes()

    def _check_lists(self, rank):
        for what, values, length, least in (
                ("src", self.src, rank + 2, 0), ("weights", self.weights, rank + 2, 0),
                ("kernel", self.weights[2:], rank, 1), ("strides", self.strides, rank, 1),
                ("dilations", self.dilations, rank, 1), ("pads", self.pads_begin, rank, 0),
                ("pads", self.pads_end, rank, 0), ("groups", [self.groups], 1, 1)):
            if len(values) != length:
                raise NotHandled(f"its {what} are not as many as its axes", f"{what} {values}")
            if any(type(value) is not int for value in values):
                raise NotHandled(f"its {what} are not integers", f"{what} {values}")
            if min(values) < least:
                raise NotHandled(f"its {what} are below {least}", f"{what} {values}")
        if self.auto_pad and any(self.pads_begin + self.pads_end):
            raise NotHandled("it has pads and auto_pad at once", f"{self.auto_pad}, {self.pads_begin}, {self.pads_end}")

    def _check_channels(self):
        detail = f"IC {self.src[1]}, OC {self.weights[0]}, groups {self.groups}, weights' channels {self.weights[1]}"
        if self.groups * self.weights[1] != self.src[1] or self.weights[0] % self.groups:
            raise NotHandled("its groups do not divide its channels", detail)

    def _check_sizes(self):
        padded = [i + b + e for i, b, e in zip(self.src[2:], self.pads_begin, self.pads_end)]
        filters = [(k - 1) * d + 1 for k, d in zip(self.weights[2:], self.dilations)]
        extents = [(p - f) // s + 1 for p, f, s in zip(padded, filters, self.strides)]
        if self.auto_pad in ("same_upper", "same_lower"):
            padded = [p + f for p, f in zip(padded, filters)]
            extents = [-(-i // s) for i, s in zip(self.src[2:], self.strides)]
        if min(extents) < 0:
            raise NotHandled("its filter is longer than its padded input", f"{filters} on {padded}")
        tensors = (self.src[:2] + padded, self.weights, self.weights[:2] + filters,
                   [self.src[0], self.weights[0], *extents])
        if any(math.prod(max(extent, 1) for extent in dims) > MOST_ELEMENTS for dims in tensors):
            raise NotHandled("its size does not fit 64 bits", f"src {self.src}, weights {self.weights}")


def pads_end_of(extent, kernel, stride, dilation, pad, output):
    """The least padding at the end of an axis that gives this output. Raises NotHandled: none does."""
    dilated = (kernel - 1) * dilation + 1
    end = max(0, (output - 1) * stride + dilated - extent - pad)
    if (extent + pad + end - dilated) // stride + 1 != output:
        raise NotHandled("its output is smaller than its input and padding give",
                         f"{output} of {extent} with {pad} before it, kernel {kernel}, stride {stride}")
    return end

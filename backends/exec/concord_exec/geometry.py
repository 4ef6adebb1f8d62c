# SPDX-License-Identifier: Apache-2.0
"""The geometry of Convolution1 and Convolution: checked, SAME resolved, channels first."""

from .problem import LARGEST, declines, invalid

# An attribute that is not among these is newer than this file, and harmless where it is 0.
KNOWN = {"strides", "pads_begin", "pads_end", "dilations", "auto_pad", "groups", "data_format",
         "weights_format", "filter_format"}


def same_padding(size, dilated, stride, auto_pad, reading):
    """The padding before and after an axis under same_upper or same_lower."""
    if reading == "documented":
        total = dilated - 1  # as many outputs as inputs before the stride thins them
    else:
        total = max((-(-size // stride) - 1) * stride + dilated - size, 0)
    before = total // 2 if auto_pad == "same_upper" else total - total // 2
    return before, total - before


def axes_of(attributes, rank):
    """The axes of src and of weights in the order [N, C, spatial...] and [OC, IC/G, spatial...]."""
    spatial = list(range(2, rank))
    data, weights = [0, 1] + spatial, [0, 1] + spatial
    if attributes["data_format"] == "NXC":
        data = [0, rank - 1] + list(range(1, rank - 1))
    # Convolution1 calls it filter_format.
    if (attributes.get("weights_format") or attributes["filter_format"]) == "XIO":
        weights = [rank - 1, rank - 2] + list(range(rank - 2))
    return data, weights


class Geometry:
    """What a convolution needs to know, refused with Refused if the problem violates its
    specification. All lists are outermost axis first, and whatever the formats are:

    operation, dtype, reading       as in the problem
    rank                            how many spatial axes
    src, weights, dst               [N, IC, size...], [OC, IC/G, kernel...], [N, OC, extent...]
    groups, has_bias
    sizes, kernel, extents          of the spatial axes of src, weights and dst
    strides, dilations              dilation 1 is dense
    pads_begin, pads_end            what auto_pad means is already resolved
    dst_dims                        dst's shape in the problem's own data_format
    data_axes, weights_axes         array.transpose(axes) puts channels first
    auto_pad, data_format, weights_format   as the user wrote them
    """

    def __init__(self, problem):
        if problem["operation"] not in ("Convolution1", "Convolution"):
            raise declines(f"the operation {problem['operation']} is not served")
        self.operation, self.dtype = problem["operation"], problem["dtype"]
        self.reading, attributes = problem["reading"], problem["attributes"]
        for key, value in attributes.items():
            if key not in KNOWN and any(value if isinstance(value, list) else [value]):
                raise declines(f"the attribute {key} is not served")
        src, weights = problem["inputs"][0]["dims"], problem["inputs"][1]["dims"]
        self.rank = rank = len(src) - 2
        if rank < 1 or len(weights) != len(src):
            raise invalid(f"src has {len(src)} dimensions and weights has {len(weights)}")
        self.auto_pad, self.data_format = attributes["auto_pad"], attributes["data_format"]
        self.weights_format = attributes.get("weights_format") or attributes["filter_format"]
        self.data_axes, self.weights_axes = axes_of(attributes, rank + 2)
        self.src = [src[axis] for axis in self.data_axes]
        self.weights = [weights[axis] for axis in self.weights_axes]
        self.sizes, self.kernel = self.src[2:], self.weights[2:]
        self.groups, self.has_bias = attributes["groups"], len(problem["inputs"]) == 3
        self._check_channels(problem)
        self.strides = self._list(attributes, "strides", 1)
        self.dilations = self._list(attributes, "dilations", 1)
        begin, end = [0] * rank, [0] * rank
        if self.auto_pad == "none":
            begin = self._list(attributes, "pads_begin", 0)
            end = self._list(attributes, "pads_end", 0)
        self.pads_begin, self.pads_end = begin, end
        self.extents = [self._extent(axis) for axis in range(rank)]
        self.dst = [self.src[0], self.weights[0]] + self.extents
        self.dst_dims = [0] * (rank + 2)
        for axis, extent in zip(self.data_axes, self.dst):
            self.dst_dims[axis] = extent
        stated = problem["outputs"][0]
        if stated is not None and stated["dims"] != self.dst_dims:
            raise invalid(f"dst is {stated['dims']}; expected {self.dst_dims}")

    def _check_channels(self, problem):
        src, weights, groups = self.src, self.weights, self.groups
        if groups < 1 or src[1] != weights[1] * groups or weights[0] % groups:
            raise invalid(f"src has {src[1]} channels and weights {weights[:2]}, in {groups} groups")
        if self.has_bias and problem["inputs"][2]["dims"] != [weights[0]]:
            raise invalid(f"bias is {problem['inputs'][2]['dims']}; expected [{weights[0]}]")

    def _list(self, attributes, name, least):
        values = attributes[name]
        if len(values) != self.rank or min(values) < least:
            raise invalid(f"{name} is {values}; expected {self.rank} values of at least {least}")
        return values

    def _extent(self, axis):
        """floor((size + pads - dilated kernel) / stride) + 1"""
        size, kernel, stride = self.sizes[axis], self.kernel[axis], self.strides[axis]
        if kernel < 1:
            raise invalid(f"the kernel is {self.kernel}: it has an empty axis")
        dilated = self.dilations[axis] * (kernel - 1) + 1
        if self.auto_pad in ("same_upper", "same_lower"):
            self.pads_begin[axis], self.pads_end[axis] = same_padding(
                size, dilated, stride, self.auto_pad, self.reading)
        padded = size + self.pads_begin[axis] + self.pads_end[axis]
        extent = (padded - dilated) // stride + 1
        if extent < 0 or max(padded, dilated) > LARGEST:
            raise invalid(f"a kernel of {dilated} on {padded} elements with padding")
        return extent

    @property
    def is_empty(self):
        """Has dst no elements?"""
        return 0 in self.dst

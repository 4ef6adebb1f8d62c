# SPDX-License-Identifier: Apache-2.0
"""Problem descriptors as oneDNN prints and benchdnn reads them: g2mb1ic16ih10oc32oh5kh3sh2dh0ph1"""

import re

from concord_import.convolution import Convolution, NotHandled, pads_end_of

AXES = "dhw"
TOKEN = re.compile(r"_*(mb|ic|oc|g|[iokspd][dhw])([0-9]{1,18})")
CHANNELS_LAST = {"acb", "acdb", "acdeb", "axb", "nwc", "nhwc", "ndhwc"}


def numbers_of(word):
    """Key -> number of each token of a descriptor without a name. Raises NotHandled."""
    numbers, at = {}, 0
    while at < len(word.rstrip("_")):
        token = TOKEN.match(word, at)
        if token is None:
            raise NotHandled("its problem descriptor cannot be read", f"'{word[at:at + 40]}' in '{word[:120]}'")
        numbers[token[1]] = int(token[2])
        at = token.end()
    return numbers


def convolution_of(numbers, axes, types, has_bias, channels_last):
    """The Convolution of a complete descriptor, over those of the axes d, h, w. Raises NotHandled.

    `types` maps src, wei, dst and perhaps bia to oneDNN's words; a descriptor's dilation is 0 if dense.
    """
    def each(key, default=None):
        values = [numbers.get(key + axis, default) for axis in axes]
        if None in values:
            raise NotHandled("its problem descriptor is not complete", f"no {key}{axes[values.index(None)]}")
        return values

    for key in "ic", "oc":
        if key not in numbers:
            raise NotHandled("its problem descriptor is not complete", f"no {key}")
    groups = numbers.get("g", 1)
    if groups < 1 or numbers["ic"] % groups:
        raise NotHandled("its groups do not divide its channels", f"IC {numbers['ic']}, groups {groups}")
    extents, kernel, strides, pads = each("i"), each("k"), each("s", 1), each("p", 0)
    dilations = [value + 1 for value in each("d", 0)]
    if 0 in strides:
        raise NotHandled("its strides are below 1", f"strides {strides}")
    return Convolution(
        dtype=_dtype(types), src=[numbers.get("mb", 2), numbers["ic"], *extents],
        weights=[numbers["oc"], numbers["ic"] // groups, *kernel], has_bias=has_bias, strides=strides,
        pads_begin=pads, pads_end=[pads_end_of(*axis) for axis in
                                   zip(extents, kernel, strides, dilations, pads, each("o"))],
        dilations=dilations, groups=groups, channels_last=channels_last)


def _dtype(types):
    if len(set(types.values())) != 1:
        raise NotHandled("its tensors have different types", ", ".join(f"{what} {word}" for what, word in types.items()))
    return next(iter(types.values()))

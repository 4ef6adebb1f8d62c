# SPDX-License-Identifier: Apache-2.0
"""Which failing case shows which finding: the conditions that docs/findings.md states, as functions of a case.

A rule names the program of the finding in this folder, and is true of exactly the cases in which the defect
can show. finding_of() is None for a failure that no rule explains: an unknown defect, or a false alarm.
"""

import math
import re


class Case:
    """A failing case of results.json, its problem read."""

    def __init__(self, result):
        self.fill, self.dtype, self.verdict = result["fill"], result["dtype"], result["verdict"]
        self.reason = result.get("reason") or ""
        self.problem = result["problem"]
        self.operation = self.problem.split()[0]
        self.fields = dict(word.split("=", 1) for word in self.problem.split() if "=" in word)
        src, weights = self._dims("src"), self._dims("weights")
        atrous = self.operation == "AtrousConv2d"
        last = atrous or self.fields.get("data_format", "NXC") == "NXC"
        oix = not atrous and "OIX" in (self.fields.get("weights_format"), self.fields.get("filter_format"))
        self.input = src[1:-1] if last else src[2:]
        self.channels_in = src[-1] if last else src[1]
        self.kernel = weights[2:] if oix else weights[:-2]
        self.channels_out = weights[0] if oix else weights[-1]
        self.groups = int(self.fields.get("groups", 1))
        self.strides = self._list("strides", 1)
        self.dilations = [int(self.fields.get("rate", 1))] * 2 if atrous else self._list("dilations", 1)
        self.pads_begin, self.pads_end = self._list("pads_begin", 0), self._list("pads_end", 0)
        self.auto_pad = self.fields.get("auto_pad", self.fields.get("padding", "none")).lower()

    def pads(self):
        """The padding at the beginning and at the end of each axis, auto_pad resolved."""
        if self.auto_pad == "valid":
            return [(0, 0)] * len(self.kernel)
        if not self.auto_pad.startswith("same"):
            return list(zip(self.pads_begin, self.pads_end))
        return [self._same(*axis) for axis in zip(self.input, self.kernel, self.strides, self.dilations)]

    def _same(self, size, kernel, stride, dilation):
        dilated, documented = dilation * (kernel - 1) + 1, self.fields.get("reading") == "documented"
        total = max((-(-size // stride) - 1) * stride + dilated - size, 0)
        if documented:
            total = dilated - 1
            if self.operation == "AtrousConv2d":
                return 0, total
        smaller, larger = total // 2, total - total // 2
        return (larger, smaller) if self.auto_pad == "same_lower" else (smaller, larger)

    def _dims(self, name):
        """The extents of a tensor; its strides follow a colon."""
        return [int(extent) for extent in re.split("x", self.fields[name].split(":")[0])]

    def _list(self, name, default):
        words = self.fields.get(name)
        return [int(word) for word in words.split(",")] if words else [default] * len(self.kernel)


def cimg_kernel(case):
    """The kernel as [depth, height, width] and the odd extent that CImg widens it to; None where it does not."""
    if len(case.kernel) > 3:
        return None
    depth, height, width = [1] * (3 - len(case.kernel)) + case.kernel
    largest = max(depth, height, width)
    small = largest <= (5 if depth == 1 else 3)
    if min(height, width) < 2 or not small or set(case.strides) != {1}:
        return None
    return (depth, height, width), largest + 1 - largest % 2


def cimg_shifts(case):
    """Widened at the beginning, a kernel's centre is not where the widened one's is."""
    widened = cimg_kernel(case)
    if widened is None:
        return False
    (depth, *plane), odd = widened
    return any(odd - k + (k - 1) // 2 != odd // 2 for k in plane) or depth == 2


def cimg_multiplies_zeros(case):
    widened = cimg_kernel(case)
    return widened is not None and case.fill == "special" and min(widened[0][1:]) < widened[1]


def onednn_pairs_channels(case):
    """bf16, special values, and a last input channel of a group without a partner."""
    return case.dtype == "bf16" and case.fill == "special" and case.channels_in // case.groups % 2 == 1


def onednn_overhangs(case):
    """A row of 2p - 1 outputs, or several of them that threads share, with p pads at its end: at least four, and fewer than taps."""
    extent, kernel, (begin, end) = case.input[-1], case.kernel[-1], case.pads()[-1]
    outputs = extent + begin + end - case.dilations[-1] * (kernel - 1)
    period = 2 * end - 1
    return (case.dtype in ("f32", "bf16") and case.strides[-1] == 1 and 4 <= end < kernel and extent >= period
            and outputs % period == 0)


def onednn_long_pads(case):
    """The longest pad that an int holds, and pads along a row so long that making a primitive takes its time."""
    pads = case.pads()
    longest = max(max(each) for each in pads)
    return case.dtype in ("f32", "bf16") and (case.verdict == "CRASH" and longest == 2 ** 31 - 1
                                              or case.verdict == "HANG" and max(pads[-1]) >= 2 ** 21)


def onednn_far_strides(case):
    """A strided depthwise layer in f32 whose padding before a row, of all channels, takes 2^31 bytes or more."""
    before, _ = case.pads()[-1]
    return (case.verdict == "CRASH" and case.dtype == "f32" and case.groups == case.channels_in == case.channels_out
            and case.strides[-1] > 1 and 4 * case.channels_in * before >= 2 ** 31)


def onednn_forgets_pads(case):
    """bf16, and a pad of three or more before each row, none behind it, smaller than the stride; of two or more, with any behind it, where threads share rows."""
    begin, end = case.pads()[-1]
    shared = case.reason.startswith("with threads=")
    return case.dtype == "bf16" and begin < case.strides[-1] and (3 <= begin and end == 0 or shared and 2 <= begin)


def onednn_ignores_bias_stride(case):
    """A bias whose elements do not follow each other."""
    extent, _, stride = case.fields.get("bias", "").partition(":")
    return case.dtype in ("f32", "bf16") and extent != "1" and stride not in ("", "1")


def onednn_threads(case):
    return case.dtype == "bf16" and len(case.kernel) == 3


def scipy_drops_weights(case):
    """Fills with weights of NaN, or so small that they are left out; those of `wide` may be scaled by 2^-80."""
    return case.fill in ("special", "subnormal", "wide")


def libxsmm_ignores_padding(case):
    """Padding that the adapter leaves to LIBXSMM, along one of its two axes."""
    pads = [(0, 0)] * (2 - len(case.kernel)) + case.pads()
    return len(pads) == 2 and all(begin == end for begin, end in pads) and pads.count((0, 0)) == 1


def libxsmm_pairs_channels(case):
    return case.dtype == "bf16" and case.verdict == "CRASH" and case.channels_in // case.groups % 2 == 1


def libxsmm_overwrites_its_stack(case):
    """More than 1,024 blocks of input channels times taps."""
    channels = case.channels_in // case.groups
    block = channels if channels <= 32 else math.gcd(channels, 32)
    return case.dtype == "f32" and channels // block * math.prod(case.kernel) > 1024


def libxsmm_keeps_pages(case):
    """Rounds of prepare, execute and release, after each of which a page of some tensor's memory is left."""
    return case.verdict == "FAIL" and "bytes of address space in" in case.reason


def opencv_forgets_dilation(case):
    """SAME_UPPER, which the adapter leaves to OpenCV, of a dilated kernel."""
    return (case.auto_pad == "same_upper" and case.fields.get("reading") != "documented"
            and max(case.dilations) > 1)


def opencv_forgets_padding(case):
    """SAME_UPPER of a stride larger than the kernel, where there is padding all the same."""
    return (case.auto_pad == "same_upper" and case.fields.get("reading") != "documented"
            and any(stride > kernel and pads != (0, 0)
                    for stride, kernel, pads in zip(case.strides, case.kernel, case.pads())))


def opencv_depthwise(case):
    """Where OpenCV has its depthwise kernel of 3x3 taps."""
    return (case.kernel == [3, 3] and case.groups == case.channels_in > 1
            and case.input[1] >= 16 + 2 * case.dilations[1])


def opencv_takes_padding_for_dilation(case):
    """Depthwise 3x3, and padding before each row, smaller than the dilation."""
    return opencv_depthwise(case) and 0 < case.pads()[1][0] < case.dilations[1]


def opencv_reads_behind_a_row(case):
    """Depthwise 3x3, where a window that begins above the image ends below it."""
    begin, stride = case.pads()[0][0], case.strides[0]
    above = begin % stride or stride  # of the last window that begins above
    return opencv_depthwise(case) and begin >= above and 2 * case.dilations[0] - above >= case.input[0]


def tfjs_crops(case):
    """SAME_UPPER, which the adapter leaves to conv3d, where along an axis the windows end before the image does."""
    return (len(case.kernel) == 3 and case.auto_pad == "same_upper" and case.fields.get("reading") != "documented"
            and any((-(-size // stride) - 1) * stride + dilation * (kernel - 1) + 1 < size for size, stride, dilation, kernel
                    in zip(case.input, case.strides, case.dilations, case.kernel)))


def darknet_ignores_stride_and_padding(case):
    """One tap, which darknet takes for a matrix product of the whole image, with a stride or padding of its own."""
    pads = case.pads()
    own = pads[0][0] > 0 and len({*pads[0], *pads[-1]}) == 1  # other padding is the adapter's
    return set(case.kernel) == {1} and (max(case.strides) > 1 or own)


def tiny_dnn_plane(case):
    """The elements of an output channel, where tiny-dnn has its AVX kernel; None elsewhere."""
    if case.kernel != [5, 5]:
        return None
    return math.prod((size + sum(pads) - 5) // stride + 1
                     for size, pads, stride in zip(case.input, case.pads(), case.strides))


def tiny_dnn_aborts(case):
    """An output channel ends before the next multiple of eight elements, at which aligned stores begin."""
    plane = tiny_dnn_plane(case) or 1
    return (case.verdict == "CRASH" and plane > 1
            and any(-channel * plane % 8 >= plane for channel in range(case.channels_out // case.groups)))


def tiny_dnn_multiplies_neighbours(case):
    return case.verdict == "FAIL" and case.fill == "special" and (tiny_dnn_plane(case) or 1) > 1


def tiny_dnn_reads_25_pixels(case):
    """One output, of rows wider than its window."""
    return (case.verdict == "FAIL" and tiny_dnn_plane(case) == 1
            and case.input[1] + sum(case.pads()[1]) > 5)


ONEDNN_RULES = [("onednn_long_pads", onednn_long_pads), ("onednn_far_strides", onednn_far_strides),
                ("onednn_overhang", onednn_overhangs),
                ("onednn_odd_channels_nan", onednn_pairs_channels), ("onednn_strided_pad", onednn_forgets_pads)]
TFJS_RULES = [("tfjs_conv3d_same_crops", tfjs_crops)]
RULES = {
    "onednn": ONEDNN_RULES,
    "onednn:plain": ONEDNN_RULES + [("onednn_bias_stride", onednn_ignores_bias_stride)],
    "darknet": [("darknet_one_tap", darknet_ignores_stride_and_padding)],
    "opencv": [("opencv_dilated_same", opencv_forgets_dilation), ("opencv_same_stride", opencv_forgets_padding),
               ("opencv_depthwise_dilated", opencv_takes_padding_for_dilation),
               ("opencv_depthwise_one_row", opencv_reads_behind_a_row)],
    "libxsmm": [("libxsmm_bf16_odd_channels", libxsmm_pairs_channels),
                ("libxsmm_one_axis_padding", libxsmm_ignores_padding), ("libxsmm_page_leak", libxsmm_keeps_pages),
                ("libxsmm_many_blocks", libxsmm_overwrites_its_stack)],
    "pytorch": [("onednn_overhang", onednn_overhangs), ("onednn_odd_channels_nan", onednn_pairs_channels),
                ("onednn_amx_threads", onednn_threads)],
    "scipy:ndimage": [("scipy_small_weights", scipy_drops_weights)],
    "cimg:neumann": [("cimg_default_boundary", cimg_shifts),
                     ("cimg_even_kernel_nan", cimg_multiplies_zeros)],
    "tiny_dnn:avx": [("tiny_dnn_small_planes", tiny_dnn_aborts), ("tiny_dnn_one_output", tiny_dnn_reads_25_pixels),
                     ("tiny_dnn_spreads_nan", tiny_dnn_multiplies_neighbours)],
    "tfjs": TFJS_RULES,
    "tfjs:wasm": TFJS_RULES,
    "tfjs:wasm_scalar": TFJS_RULES,
}


def finding_of(backend, result):
    """The name of the finding that a failing case of a backend shows, or None."""
    case = Case(result)
    return next((name for name, rule in RULES.get(backend, []) if rule(case)), None)

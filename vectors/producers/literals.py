#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors whose numbers are printed in public tests: typed from there, not computed."""

import numpy

import problems
import writing

TF = "tensorflow/tensorflow, tensorflow/python/kernel_tests/conv_ops_test.py, "
ONEDNN = "oneapi-src/oneDNN at 515bfba, tests/gtests/graph/unit/backend/dnnl/test_convolution.cpp"
CNTK = "microsoft/CNTK at 0c79c928, Tests/UnitTests/MathTests/ConvolutionEngineTests.cpp, "

# TensorFlow's tests fill input and filter with 1, 2, 3, ...; H W Cin, kh kw Cout, strides, padding.
TENSORFLOW = {
    "testConv2D1x1Filter": ((2, 3, 3), (1, 1, 3), (1, 1), "valid", """30 36 42 66 81 96 102 126 150
        138 171 204 174 216 258 210 261 312"""),
    "testConv2D2x2Filter": ((2, 3, 3), (2, 2, 3), (1, 1), "valid", "2271 2367 2463 2901 3033 3165"),
    "testConv2D1x2Filter": ((2, 3, 3), (1, 2, 3), (1, 1), "valid",
                            "231 252 273 384 423 462 690 765 840 843 936 1029"),
    "testConv2D2x2FilterStride2": ((2, 3, 3), (2, 2, 3), (2, 2), "valid", "2271 2367 2463"),
    "testConv2D2x2FilterStride2Same": ((2, 3, 3), (2, 2, 3), (2, 2), "same_upper",
                                       "2271 2367 2463 1230 1305 1380"),
    "testConv2D2x2FilterStride1x2": ((3, 6, 1), (2, 2, 1), (1, 2), "valid", "58 78 98 118 138 158"),
    "testConv2DKernelSmallerThanStrideValid": ((7, 7, 1), (2, 2, 1), (3, 3), "valid",
                                               "65 95 275 305"),
    "testConv2DKernelSmallerThanStrideSame-3x3": ((3, 3, 1), (1, 1, 1), (2, 2), "same_upper",
                                                  "1 3 7 9"),
    "testConv2DKernelSmallerThanStrideSame-4x4": ((4, 4, 1), (1, 1, 1), (2, 2), "same_upper",
                                                  "1 3 9 11"),
    "testConv2DKernelSmallerThanStrideSame-2x2": ((4, 4, 1), (2, 2, 1), (3, 3), "same_upper",
                                                  "44 28 41 16"),
    "testConv2DKernelSizeMatchesInputSize": ((2, 2, 1), (2, 2, 2), (1, 1), "valid", "50 60"),
}
ONEDNN_SRC = (-3.0, -1.5, 2.0, 0.5, -0.5, -1.0, 1.0, 1.5, 2.0, 2.5, -1.0, 0.0, 3.0, -2.0, -1.0, 4.0)


def numbers(text):
    return numpy.array([float(word) for word in text.split()])


def add(out, name, p, src, weights, dst, source, bias=None):
    """src, weights and dst in the problem's own axis order, flat."""
    own = {role: p.to_own(role, numpy.empty(getattr(p, role))).shape for role in ("src", "weights")}
    tensors = {"src": numpy.reshape(src, own["src"]),
               "weights": numpy.reshape(weights, own["weights"]), "bias": bias}
    dst_shape = (p.src[0], p.weights[0], *problems.output_plane(p))
    shape = p.to_own("dst", numpy.empty(dst_shape)).shape
    tensors["dst"] = numpy.reshape(dst, shape)
    if all(problems.fits(p.dtype, t) for t in tensors.values() if t is not None):
        out.add(name, p, tensors, source=source)


def square(operation, dtype, src, weights, strides, padding="none", **fields):
    spatial = len(strides)
    return problems.Problem(operation, dtype, src, weights, strides, (1,) * spatial,
                            (0,) * spatial, (0,) * spatial, padding, **fields)


def add_tensorflow(out, dtype):
    for name, ((H, W, IC), (kh, kw, OC), strides, padding, dst) in TENSORFLOW.items():
        src, weights = numpy.arange(1, H * W * IC + 1), numpy.arange(1, kh * kw * IC * OC + 1)
        for operation in ("Convolution", "Convolution1", "AtrousConv2d"):
            if operation == "AtrousConv2d" and strides != (1, 1):
                continue
            p = square(operation, dtype, (1, IC, H, W), (OC, IC, kh, kw), strides, padding,
                       data_format="NXC", weights_format="XIO")
            test = name.split("-")[0]
            add(out, f"{operation}/{name}", p, src, weights, numbers(dst), TF + test)


def add_onednn(out, dtype):
    checker, dst = [1, 0] * 4 + [1], numpy.array([-1, 2.5, 5, 1.5])
    for data_format, weights_format in (("NCX", "OIX"), ("NXC", "OIX"), ("NCX", "XIO"),
                                        ("NXC", "XIO")):
        formats = {"data_format": data_format, "weights_format": weights_format}
        for operation in ("Convolution", "Convolution1"):
            for label, unit in (("2d", ()), ("3d", (1,))):
                for bias in (None, numpy.array([-1.0])):
                    p = square(operation, dtype, (1, 1, *unit, 4, 4), (1, 1, *unit, 3, 3),
                               (1,) * (2 + len(unit)), bias=bias is not None, **formats)
                    name = f"{operation}/checker-{label}-{data_format}-{weights_format}"
                    name += "" if bias is None else "-bias"
                    shift = 0 if bias is None else -1
                    add(out, name, p, ONEDNN_SRC, checker, dst + shift, ONEDNN, bias)
    p = square("Convolution", dtype, (1, 1, 3, 4), (1, 1, 3, 4), (1, 1), data_format="NXC",
               weights_format="XIO")
    add(out, "Convolution/whole", p, ONEDNN_SRC[:12], [1, 0] * 6, [0.5], ONEDNN)


def add_cntk(out, dtype):
    """Those of CNTK's numbers whose padding all operations can state."""
    p = square("Convolution", dtype, (2, 3, 5, 5), (2, 3, 3, 3), (2, 2))
    per_map = numbers("15219 15921 18729 19431")
    add(out, "Convolution/cntk-forward", p, numpy.tile(numpy.arange(75), 2),
        numpy.tile(numpy.arange(27), 2), numpy.tile(per_map, 4), CNTK + "ConvolutionForward")
    p = problems.Problem("Convolution", dtype, (1, 1, 4, 4), (1, 1, 3, 3), (2, 2), (1, 1), (1, 1),
                         (0, 0))
    add(out, "Convolution/cntk-padded", p, numpy.ones(16), numpy.ones(9), numbers("4 6 6 9"),
        CNTK + "ConvolutionForwardPad")


def main():
    out = writing.VectorSet("literals", "the tests named by each vector's source",
                            "as each source says", "2026-11-21")
    for dtype in writing.BITS:
        add_tensorflow(out, dtype)
        add_onednn(out, dtype)
        add_cntk(out, dtype)
    out.write()


if __name__ == "__main__":
    main()

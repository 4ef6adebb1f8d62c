#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from SciPy's correlate() on 64-bit integers: exact.

Discrete operations in one to three dimensions, all groups, dilations, strides, pads and auto_pad.
A plane is padded with zeros, correlated densely with a kernel that has zeros between its taps, and
every stride-th element taken; SciPy knows none of the three itself. Needs SciPy 1.10.1.
"""

import itertools

import numpy
import scipy
import scipy.signal

import problems
import writing

# The integers are small: f64 would double the data.
DTYPES = ("f32", "f16", "bf16")
OPERATIONS = ("Convolution", "Convolution1")
FORMATS = (("NCX", "OIX"), ("NXC", "XIO"), ("NXC", "OIX"), ("NCX", "XIO"))


def stuffed(kernel, dilations):
    shape = tuple(d * (k - 1) + 1 for k, d in zip(kernel.shape, dilations))
    result = numpy.zeros(shape, numpy.int64)
    result[tuple(slice(None, None, d) for d in dilations)] = kernel
    return result


def convolve(p, src, weights, bias):
    begin, end = problems.explicit_pads(p)
    src = numpy.pad(src, [(0, 0), (0, 0), *zip(begin, end)])
    groups = p.groups
    icg, ocg = p.weights[1], p.weights[0] // groups
    every = tuple(slice(None, None, s) for s in p.strides)
    planes = []
    for n, oc in itertools.product(range(p.src[0]), range(p.weights[0])):
        total = 0
        for ic in range(icg):
            plane = src[n, oc // ocg * icg + ic]
            kernel = stuffed(weights[oc, ic], p.dilations)
            # With a kernel beyond the plane, correlate() would exchange the two.
            assert all(k <= i for k, i in zip(kernel.shape, plane.shape))
            total = total + scipy.signal.correlate(plane, kernel, "valid", "direct")[every]
        planes.append(total + (0 if bias is None else bias[oc]))
    dst = numpy.stack(planes)
    assert dst.dtype == numpy.int64
    return dst.reshape(p.src[0], p.weights[0], *dst.shape[1:])


def add(out, name, p, seed):
    src, weights, bias = problems.integers(p, seed)
    dst = convolve(p, src, weights, bias)
    exactness = "exact" if problems.fits(p.dtype, dst) else "correctly_rounded"
    tensors = {"src": src, "weights": weights, "dst": writing.round_to(p.dtype, dst)}
    tensors = {role: p.to_own(role, tensor) for role, tensor in tensors.items()}
    out.add(name, p, tensors | {"bias": bias}, exactness)


def main():
    assert scipy.__version__ == "1.10.1", scipy.__version__
    out = writing.VectorSet("scipy_int64", "SciPy correlate() on int64", scipy.__version__,
                            "2026-11-21")
    auto_pads = ("none", "same_upper", "same_lower", "valid")
    turn = itertools.count()
    for spatial in (1, 2, 3):
        for label, fields in problems.patterns(spatial, auto_pads=auto_pads):
            seed = next(turn)
            operation = OPERATIONS[seed % 2]
            data_format, weights_format = FORMATS[seed // 2 % 4]
            for dtype in DTYPES:
                p = problems.Problem(operation, dtype, **fields, bias=seed % 3 != 0,
                                     data_format=data_format, weights_format=weights_format)
                add(out, f"{operation}/{label}", p, seed)
    add_atrous(out, turn)
    out.write()


def add_atrous(out, turn):
    for rate, kh, kw, padding in itertools.product((1, 2, 3), (1, 2, 3), (2, 3),
                                                   ("same_upper", "valid")):
        for dtype in DTYPES:
            p = problems.Problem("AtrousConv2d", dtype, (2, 3, 9, 10), (4, 3, kh, kw), (1, 1),
                                 (rate, rate), (0, 0), (0, 0), padding, data_format="NXC",
                                 weights_format="XIO")
            add(out, f"AtrousConv2d/rate{rate}-{kh}x{kw}-{padding}", p, next(turn))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Vectors of CNTK's Convolution, N-D and 2-D, in whole numbers."""

import itertools
import math

import numpy

import cntk_exact
import rational_tables
import writing


def draw(rng, dtype, src, weights, cells):
    """Flat integers for src and weights elements, so small that every sum is one that the dtype
    holds."""
    limit = 2 ** writing.BITS[dtype]
    largest = max(1, min(15, math.isqrt(limit // cells)))
    sparse = min(1.0, limit / (cells * largest * largest))

    def values(count, density=1.0):
        drawn = rng.integers(-largest, largest, count, endpoint=True)
        return (drawn * (rng.random(count) < density)).tolist()

    return values(src), values(weights, sparse)


def first_fastest(flat, extents):
    return numpy.reshape(flat, extents, order="F")


def flags(values):
    return ",".join("true" if value else "false" for value in values)


def numbers(values):
    return ",".join(map(str, values))


def dims(values):
    return "x".join(map(str, values))


def line(dtype, axes, samples, most, reading):
    cells = math.prod(a.kernel for a in axes)
    words = [f"CntkConvolution {dtype} src={dims([a.extent for a in axes] + [samples])}",
             f"weights={cntk_exact.kernel_count(axes)}x{cells}",
             f"kernel={numbers(a.kernel for a in axes)}", f"mapCount={numbers(a.maps for a in axes)}",
             f"stride={numbers(a.stride for a in axes)}", f"sharing={flags(a.sharing for a in axes)}",
             f"autoPadding={flags(a.auto for a in axes)}",
             f"lowerPad={numbers(a.lower for a in axes)}", f"upperPad={numbers(a.upper for a in axes)}",
             f"maxTempMemSizeInSamples={most}", f"reading={reading}"]
    return " ".join(words)


def add_n_dimensional(out, dtype):
    rng = numpy.random.Generator(numpy.random.PCG64(11))
    for number, (axes, samples, most, reading) in enumerate(rational_tables.cntk_problems()):
        extents = [a.extent for a in axes] + [samples]
        cells, kernels = math.prod(a.kernel for a in axes), cntk_exact.kernel_count(axes)
        src, weights = draw(rng, dtype, math.prod(extents), kernels * cells, cells)
        dst = cntk_exact.evaluate(axes, samples, src, weights)
        if not any(dst):
            continue  # no window meets the input: the tables have its geometry
        out.add(f"CntkConvolution/{len(axes)}d/{number}",
                writing.Line(dtype, line(dtype, axes, samples, most, reading)),
                {"src": first_fastest(src, extents),
                 "weights": numpy.reshape(weights, (kernels, cells)),
                 "dst": first_fastest(dst, [a.outputs for a in axes] + [samples])})


class LegacyAxis(cntk_exact.Axis):
    """An axis of the engine for HWC, which pads half a kernel before the first window."""

    @property
    def start(self):
        return (self.kernel - 1) // 2 - (self.kernel // 2 if self.auto else 0)


def two_dimensional():
    """(layout, reading, width, height, channels, kernel, stride, padding, maps)"""
    sizes = (((7, 5), 3, (3, 2)), ((6, 8), 2, (1, 3)), ((5, 6), 1, (4, 3)))
    layouts = (("cudnn", "implemented"), ("HWC", "implemented"), ("HWC", "documented"))
    for (plane, channels, kernel), stride, padding, (layout, reading) in itertools.product(
            sizes, ((1, 1), (2, 3), (3, 2)), (False, True), layouts):
        yield layout, reading, *plane, channels, kernel, stride, padding, 2 + channels % 2


def memory(layout, reading, extents):
    """The places of [w,h,c] in memory."""
    W, H, C = extents
    for w, h, c in cntk_exact.indices(extents):
        if layout == "cudnn":
            yield w + W * (h + H * c)
        elif reading == "documented":
            yield c + C * (w + W * h)
        else:
            yield c + C * (h + H * w)


def scattered(values, places):
    """The list with values[i] at place[i]."""
    result = [0] * len(values)
    for value, at in zip(values, places):
        result[at] = value
    return result


def stored(layout, reading, extents, samples, values):
    """A tensor of images, values in the order of [w,h,c,sample], as the problem's axes have it."""
    size = math.prod(extents)
    flat = []
    for sample in range(samples):
        flat += scattered(values[sample * size:][:size], memory(layout, reading, extents))
    W, H, C = extents
    return first_fastest(flat, ([W, H, C] if layout == "cudnn" else [C, W, H]) + [samples])


def stored_weights(layout, reading, kernel, maps, weights):
    """Rows of maps for cudnn; a matrix whose first axis is the fastest for HWC."""
    cells = math.prod(kernel)
    if layout == "cudnn":
        return numpy.reshape(weights, (maps, cells))
    kW, kH, C = kernel
    height_first = reading == "implemented"
    places = [m + maps * (kh + kH * (kw + kW * c) if height_first else kw + kW * (kh + kH * c))
              for m in range(maps) for kw, kh, c in cntk_exact.indices(kernel)]
    return numpy.reshape(scattered(weights, places), (maps, cells))


def add_two_dimensional(out, dtype):
    rng = numpy.random.Generator(numpy.random.PCG64(12))
    samples = 2
    for number, (layout, reading, W, H, C, (kW, kH), (sW, sH), padding, maps) in enumerate(
            two_dimensional()):
        legacy = layout == "HWC" and reading == "implemented"
        kind = LegacyAxis if legacy else cntk_exact.Axis
        axes = [kind(W, kW, sW, padding, 0, 0), kind(H, kH, sH, padding, 0, 0),
                cntk_exact.Axis(C, C, C, False, 0, 0, maps=maps)]
        cells = kW * kH * C
        src, weights = draw(rng, dtype, W * H * C * samples, maps * cells, cells)
        dst = cntk_exact.evaluate(axes, samples, src, weights)
        outputs = [a.outputs for a in axes]
        tensors = {"src": stored(layout, reading, [W, H, C], samples, src),
                   "weights": stored_weights(layout, reading, [kW, kH, C], maps, weights),
                   "dst": stored(layout, reading, outputs, samples, dst)}
        words = [f"CntkConvolution2d {dtype} src={dims(tensors['src'].shape)}",
                 f"weights={maps}x{cells}", f"kernelWidth={kW} kernelHeight={kH}",
                 f"horizontalStride={sW} verticalStride={sH}", f"zeroPadding={flags([padding])}",
                 f"imageLayout={layout}", f"reading={reading}"]
        out.add(f"CntkConvolution2d/{number}", writing.Line(dtype, " ".join(words)), tensors)


def add_all(out):
    for dtype in writing.BITS:
        add_n_dimensional(out, dtype)
        add_two_dimensional(out, dtype)

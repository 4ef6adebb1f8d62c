# SPDX-License-Identifier: Apache-2.0
"""Vectors of the continuous convolution layer, in exact fractions rounded once to each dtype."""

import functools
import math
from fractions import Fraction

import numpy

import continuous_exact as exact
import rational_tables
import writing

WIDTHS, CHANNELS = (4, 3), (2, 3)  # of the Internal-Net's hidden layers; Cin, Cout
SLOPE = Fraction(1, 8)
SCALES = tuple(zip(map(Fraction, "1 2/3 3/2 1/2 3/4 5/3 7/10 13/10 3/5 2".split()),
                   map(Fraction, "2/3 1 3/5 1/3 7/5 1/2 13/10 3/10 2 5/4".split())))


def fractions_of(rng, count, grid):
    """Multiples of 1/grid that bf16 holds."""
    return [Fraction(int(value), grid) for value in rng.integers(-15, 15, count, endpoint=True)]


def images(rng, samples, channels, extents):
    values = iter(fractions_of(rng, samples * channels * math.prod(extents), 8))
    return [[[[next(values) for _ in range(extents[1])] for _ in range(extents[0])]
             for _ in range(channels)] for _ in range(samples)]


def slots(layer):
    return tuple(k + (layer.ties == "closed") for k in layer.kernel)


def net_outputs(function, layer):
    pairs = math.prod(CHANNELS)
    return pairs * math.prod(slots(layer)) if function == "net_k" else pairs


def parameter_count(outputs):
    w1, w2 = WIDTHS
    return 3 * w1 + (w1 + 1) * w2 + (w2 + 1) * outputs


def weight_function(function, layer, theta, co):
    """weight(channel, place, distances) of output channel `co`, as Layer.evaluate() wants it."""
    if function == "keys":
        return lambda ci, _, d: exact.keys(d[0]) * exact.keys(d[1]) if ci == co else Fraction(0)
    outputs = net_outputs(function, layer)

    @functools.lru_cache(None)
    def kernel(d):
        return exact.internal_net(theta, WIDTHS, outputs, SLOPE, d)

    def weight(ci, place, d):
        index = co * CHANNELS[0] + ci
        if function == "net":
            return kernel(d)[index]
        # The fractional offset is the distance of the first neighbour.
        k = place[0] * slots(layer)[1] + place[1]
        offset = tuple(distance + at for distance, at in zip(d, place))
        return kernel(offset)[index * math.prod(slots(layer)) + k]

    return weight


def problems():
    """(function, scales, Layer) of every kernel, tie rule and boundary in turn."""
    turn = 0
    for function in ("net", "net_k", "keys"):
        for scale in SCALES:
            kernel = (4, 4) if function == "keys" else ((3, 3), (2, 4), (4, 3))[turn % 3]
            ties = rational_tables.TIES[turn % 3]
            size = None if turn % 4 else (5, 4)
            yield function, exact.Layer((6, 5), scale, kernel, size, ties,
                                        rational_tables.BOUNDARIES[turn % 4])
            turn += 1


def line(dtype, function, layer, samples, channels, parameters):
    words = [f"ContinuousConvolution {dtype} "
             f"src={samples}x{channels[0]}x{layer.image[0]}x{layer.image[1]}",
             f"weights={parameters}", f"scale={layer.scale[0]},{layer.scale[1]}",
             f"size={layer.size[0]},{layer.size[1]}", f"kernel={layer.kernel[0]},{layer.kernel[1]}",
             f"channels={channels[1]}", f"function={function}",
             f"widths={WIDTHS[0]},{WIDTHS[1]}", f"slope={SLOPE}", f"ties={layer.ties}",
             f"boundary={layer.boundary}"]
    return " ".join(words)


def add_all(out):
    rng = numpy.random.Generator(numpy.random.PCG64(13))
    samples = 2
    for number, (function, layer) in enumerate(problems()):
        channels = (2, 2) if function == "keys" else CHANNELS
        count = 0 if function == "keys" else parameter_count(net_outputs(function, layer))
        theta = tuple(fractions_of(rng, count, 8))
        src = images(rng, samples, channels[0], layer.image)
        dst = [[layer.evaluate(image, weight_function(function, layer, theta, co))
                for co in range(channels[1])] for image in src]
        shape = (samples, channels[1], *layer.size)
        values = [value for image in dst for plane in image for row in plane for value in row]
        for dtype in writing.BITS:
            if dtype == "f64":
                continue  # what judges computes this layer in f64 itself, and would be no better
            if (function, dtype) == ("keys", "bf16"):
                continue  # its terms cancel: within a bound by their magnitudes all is alike
            rounded = [writing.round_fraction(dtype, value) for value in values]
            text = line(dtype, function, layer, samples, channels, count)
            out.add(f"ContinuousConvolution/{function}/{number}", writing.Line(dtype, text),
                    {"src": numpy.array(src, dtype=numpy.float64),
                     "weights": numpy.array(theta, dtype=numpy.float64),
                     "dst": numpy.reshape(rounded, shape)}, "correctly_rounded")

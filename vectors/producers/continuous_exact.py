# SPDX-License-Identifier: Apache-2.0
"""The continuous convolution layer in exact fractions.

Source: "From Discrete to Continuous Convolution Layers" (Shocher, Feinstein, Haim, Irani), Eq. 1 to
4 and Tables 2 and 4, with what docs/spec.md says where the paper is silent. Scales, distances and
values are fractions.Fraction; images are lists of rows.
"""

import itertools
import math
from fractions import Fraction

HALF = Fraction(1, 2)


def grid_point(extent, out, scale, n):
    """Eq. 2: where output n lies among the input's pixels."""
    return n / scale + Fraction(extent - 1, 2) - Fraction(out - 1, 2) / scale


def reaches_right(distance, K, ties):
    """True if a pixel at this distance, g - m, is not too far to the left of g."""
    return distance < K * HALF if ties == "open" else distance <= K * HALF


def reaches_left(distance, K, ties):
    """True if it is not too far to the right."""
    return distance >= -K * HALF if ties == "closed" else distance > -K * HALF


def first_neighbour(g, K, ties):
    """The first pixel that is not too far to the left."""
    return next(m for m in itertools.count(math.floor(g) - K - 1) if reaches_right(g - m, K, ties))


def neighbours(g, K, ties):
    """The pixels in the support around g, rising."""
    pixels = itertools.count(first_neighbour(g, K, ties))
    return list(itertools.takewhile(lambda m: reaches_left(g - m, K, ties), pixels))


def pixel(boundary, extent, m):
    """The pixel that stands at m; None for a zero."""
    if 0 <= m < extent:
        return m
    if boundary == "zero":
        return None
    if boundary == "replicate":
        return 0 if m < 0 else extent - 1
    if boundary == "symmetric":  # d c b a [a b c d] d c b a
        rows = list(range(extent)) + list(range(extent))[::-1]
    else:  # reflect: d c b [a b c d] c b a
        rows = list(range(extent)) + list(range(extent))[-2:0:-1]
    return rows[m % len(rows)]


def size_of(extent, scale):
    return math.ceil(extent * scale)


def chain_sizes(extent, scales, target):
    """Eq. 4."""
    product, sizes = Fraction(1), []
    for scale in scales[:-1]:
        product *= scale
        sizes.append(math.ceil(extent * product))
    last = extent * target
    assert last.denominator == 1
    return sizes + [int(last)]


def phases(extent, out, scale, slots, first):
    """(count, stride, pads at the beginning and the end) of the outputs p, p + k, .. of a scale
    k/l, which share their distances; `first` holds each output's first neighbour."""
    k, stride = scale.numerator, scale.denominator
    found = []
    for p in range(min(k, out)):
        members = range(p, out, k)
        last = first[members[-1]] + slots
        found.append((len(members), stride, -first[p], last - extent))
    return found


def keys(d):
    """The cubic of Keys with a = -1/2."""
    a, x = Fraction(-1, 2), abs(d)
    if x <= 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else Fraction(0)


def internal_net(theta, widths, outputs, slope, d):
    """Table 2 at one distance: theta holds A1, b1, A2, b2, A3, b3, each row by row."""
    theta = iter(theta)

    def affine(rows, values):
        A = [[next(theta) for _ in values] for _ in range(rows)]
        b = [next(theta) for _ in range(rows)]
        return [b[i] + sum(a * v for a, v in zip(A[i], values)) for i in range(rows)]

    values = list(d)
    for width in widths:
        values = [z if z > 0 else slope * z for z in affine(width, values)]
    return affine(outputs, values)


class Layer:
    """A layer on images of [H, W] pixels."""

    def __init__(self, image, scale, kernel, size=None, ties="half_open", boundary="zero"):
        self.image, self.scale, self.kernel = image, scale, kernel
        self.size = size or tuple(map(size_of, image, scale))
        self.ties, self.boundary = ties, boundary

    def around(self, axis, n):
        """(place, pixel or None, distance) of the neighbours of output n along an axis."""
        g = grid_point(self.image[axis], self.size[axis], self.scale[axis], n)
        return [(place, pixel(self.boundary, self.image[axis], m), g - m)
                for place, m in enumerate(neighbours(g, self.kernel[axis], self.ties))]

    def evaluate(self, src, weight):
        """Eq. 3 on src[channel][row][column], one output channel: weight(channel, place, distances)
        is that of a neighbour, place its (row, column) among them; dst[row][column]."""
        dst = []
        for i in range(self.size[0]):
            dst.append([])
            for j in range(self.size[1]):
                total = Fraction(0)
                for (k, row, dy), (l, column, dx) in itertools.product(self.around(0, i),
                                                                       self.around(1, j)):
                    if row is None or column is None:
                        continue
                    for channel, image in enumerate(src):
                        if image[row][column] != 0:
                            total += image[row][column] * weight(channel, (k, l), (dy, dx))
                dst[-1].append(total)
        return dst

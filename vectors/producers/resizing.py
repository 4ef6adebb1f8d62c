# SPDX-License-Identifier: Apache-2.0
"""Images and scales for the systems that resize by the cubic of Keys, a = -1/2."""

import math
from fractions import Fraction

import numpy
import skimage

# 20 scales from 0.3 to 1.3, one for rows and another for columns.
SCALES = [Fraction(n, 20) for n in range(6, 27) if n != 20]
PAIRS = list(zip(SCALES, SCALES[3:] + SCALES[:3]))
LICENCE = "CC0-1.0"


def photograph(height, width):
    """Part of a grey photograph in 0..1, in steps of 1/256; skimage's camera, which is CC0."""
    return skimage.data.camera()[200:200 + height, 240:240 + width] / 256.0


def mirrored(image, margin):
    """The image with `margin` pixels around it, mirrored about its edges."""
    return numpy.pad(image, margin, "symmetric")


def add_table(out, rows):
    """Rows of (pair of scales, src, dst), float64."""
    out.add_table("bicubic", [{
        "scale": [str(scale) for scale in pair],
        "src": out.store("f32", src),
        "dst": out.store("f32", dst.astype("<f4").astype(numpy.float64)),
    } for pair, src, dst in rows])
    out.write()


def output_size(image, pair):
    return [math.ceil(scale * extent) for scale, extent in zip(pair, image.shape)]

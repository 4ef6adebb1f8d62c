#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bicubic resizing by Pillow in f32, at 20 scales from 0.3 to 1.3 and to sizes that are not the
scale's multiple: the box that is resized lies within a mirrored image. Below scale 1 Pillow
stretches the kernel. Needs python3-pil and python3-skimage.
"""

import numpy
import PIL
from PIL import Image

import resizing
import writing

VERSION = "9.4.0"
MARGIN = 20


def resize(image, pair):
    height, width = resizing.output_size(image, pair)
    # The box of the output, in the middle of the image: Eq. 2 of the continuous layer.
    edges = []
    for extent, out, scale in zip(image.shape, (height, width), pair):
        half = float(out / scale / 2)
        edges.append((MARGIN + extent / 2 - half, MARGIN + extent / 2 + half))
    (top, bottom), (left, right) = edges
    padded = Image.fromarray(resizing.mirrored(image, MARGIN).astype("<f4"))
    resized = padded.resize((width, height), Image.Resampling.BICUBIC, (left, top, right, bottom))
    return numpy.asarray(resized, numpy.float64)


def main():
    assert PIL.__version__ == VERSION, PIL.__version__
    out = writing.VectorSet("pillow_bicubic", "Pillow, resize() in mode F", VERSION, "2026-11-21",
                            resizing.LICENCE)
    image = resizing.photograph(21, 24)
    resizing.add_table(out, [(pair, image, resize(image, pair)) for pair in resizing.PAIRS])


if __name__ == "__main__":
    main()

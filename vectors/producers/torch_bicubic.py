#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Bicubic resizing by PyTorch in f64, stored in f32, at 20 scales from 0.3 to 1.3 with
antialias=True, which is the cubic with a = -1/2, stretched below scale 1; without it a is -3/4.
Sizes are the scale's multiples, and the middle is taken of a mirrored image, because its windows
end at the border. Needs python3-torch and python3-skimage.
"""

import torch

import resizing
import writing

VERSION = "1.13.0a0"
MARGIN = 20


def resize(image, pair):
    padded = resizing.mirrored(image, MARGIN)
    height, width = resizing.output_size(padded, pair)
    whole = torch.nn.functional.interpolate(torch.from_numpy(padded)[None, None],
                                            size=(height, width), mode="bicubic", antialias=True)
    top, left = (int(MARGIN * scale) for scale in pair)
    rows, columns = resizing.output_size(image, pair)
    return whole[0, 0, top:top + rows, left:left + columns].numpy()


def main():
    assert torch.__version__ == VERSION, torch.__version__
    torch.set_num_threads(1)
    out = writing.VectorSet("torch_bicubic", "PyTorch, interpolate() with antialias in f64",
                            VERSION, "2026-11-21", resizing.LICENCE)
    image = resizing.photograph(20, 40)
    resizing.add_table(out, [(pair, image, resize(image, pair)) for pair in resizing.PAIRS])


if __name__ == "__main__":
    main()

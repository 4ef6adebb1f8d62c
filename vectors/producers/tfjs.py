#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from TensorFlow.js on its cpu backend, f32.

conv1d, conv2d, conv3d, depthwise convolution and the atrous one, the latter both by dilations and
by spaceToBatchND, conv2d and batchToSpaceND, and each of these two by itself. First, in producers/tfjs: npm ci --ignore-scripts
"""

import itertools
import json
import pathlib
import subprocess

import numpy

import problems
import writing

VERSION = "4.22.0"
FOLDER = pathlib.Path(__file__).resolve().parent / "tfjs"


class TensorFlow:
    def __init__(self):
        self.process = subprocess.Popen(["node", "answer.js"], cwd=FOLDER, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, operation, x, w, **fields):
        def plain(tensor):
            return {"shape": tensor.shape, "values": tensor.ravel().tolist()}

        request = {"operation": operation, "x": plain(x), "w": plain(w), **fields}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "refused" in answer:
            raise writing.Refused(answer["refused"])
        assert answer["version"] == VERSION, answer["version"]
        return numpy.array(answer["values"], numpy.float64).reshape(answer["shape"])

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def phases_fields(p):
    """Paddings and crops of the three parts, as TensorFlow's document derives them."""
    pads, crops = [], []
    for axis, rate in enumerate(p.dilations):
        begin, end = (pad[axis] for pad in problems.explicit_pads(p))
        extra = -(p.src[2 + axis] + begin + end) % rate
        pads.append((begin, end + extra))
        crops.append((0, extra))
    return {"dilations": p.dilations, "pads": pads, "crops": crops}


def answer(tensorflow, operation, p, src, weights):
    """dst in TensorFlow's own axis order."""
    x = numpy.moveaxis(src, 1, -1)
    w = numpy.moveaxis(weights, (1, 0), (-2, -1))
    if operation == "depthwise":  # [kh, kw, channels, multiplier]
        multiplier = p.weights[0] // p.groups
        w = w.reshape(*w.shape[:2], p.groups, multiplier)
    if operation == "phases":
        return tensorflow.ask(operation, x, w, **phases_fields(p))
    padding = "valid" if p.auto_pad == "valid" else "same"
    return tensorflow.ask(operation, x, w, strides=p.strides, dilations=p.dilations,
                          padding=padding)


def add(out, tensorflow, operation, name, p, seed):
    for kind, fill in (("integers", problems.integers), ("reals", problems.reals)):
        src, weights, _ = fill(p, seed)
        dst = answer(tensorflow, operation, p, src, weights)
        tensors = {"src": p.to_own("src", src), "weights": p.to_own("weights", weights),
                   "dst": dst if p.data_format == "NXC" else numpy.moveaxis(dst, -1, 1)}
        exactness = ("exact", None) if kind == "integers" else ("arithmetic", "strict")
        out.add(f"{operation}/{name}-{kind}", p, tensors, *exactness)


def crops(axis):
    """True if SAME would need a negative padding, were there no max(., 0)."""
    i, k, s = axis
    return (-(-i // s) - 1) * s + k - i < 0


def add_patterns(out, tensorflow, operation, spatial, channels, turn):
    for label, fields in problems.patterns(spatial, channels, ("same_upper", "valid")):
        if max(fields["strides"]) > 1 and max(fields["dilations"]) > 1:
            continue  # TensorFlow refuses the two together
        if operation == "depthwise" and len(set(fields["strides"])) > 1:
            continue  # so it does other strides in height than in width
        axes = zip(fields["src"][2:], fields["weights"][2:], fields["strides"])
        if spatial == 3 and any(map(crops, axes)):
            continue  # its conv3d crops there: docs/findings.md
        seed = 1000 + next(turn)
        name = ("Convolution", "Convolution1")[seed % 2]
        p = problems.Problem(name, "f32", **fields, data_format="NXC", weights_format="XIO")
        add(out, tensorflow, operation, label, p, seed)


def add_blocks(out, tensorflow):
    """Elements are moved and not computed, so that f32 does for every dtype."""
    rng = numpy.random.Generator(numpy.random.PCG64(1900))
    none = numpy.zeros((1, 1))
    for number, (block, pads, H, W) in enumerate((
            (1, (0, 0, 0, 0), 4, 5), (2, (0, 0, 0, 0), 4, 6), (2, (1, 2, 0, 1), 5, 7),
            (3, (0, 1, 2, 3), 8, 4), (3, (3, 0, 1, 1), 6, 7), (4, (2, 1, 0, 3), 9, 5))):
        padded = H + pads[0] + pads[1], W + pads[2] + pads[3]
        src = rng.integers(-99, 99, (2, H, W, 3))
        pairs = [pads[:2], pads[2:]]
        parts = tensorflow.ask("spaceToBatch", src, none, dilations=(block, block), pads=pairs)
        whole = rng.integers(-99, 99, (2 * block**2, padded[0] // block, padded[1] // block, 3))
        joined = tensorflow.ask("batchToSpace", whole, none, dilations=(block, block), crops=pairs)
        for dtype in ("f32", "f16", "bf16"):  # what moves only; the system has f32
            for operation, key, x, y in (("SpaceToBatch", "paddings", src, parts),
                                         ("BatchToSpace", "crops", whole, joined)):
                text = (f"{operation} {dtype} src={'x'.join(map(str, x.shape))} "
                        f"block_size={block} {key}={','.join(map(str, pads))}")
                out.add(f"{operation}/{number}", writing.Line(dtype, text), {"src": x, "dst": y})


def main():
    out = writing.VectorSet("tfjs", "TensorFlow.js, cpu backend", VERSION, "2026-11-21")
    tensorflow = TensorFlow()
    turn = itertools.count()
    for spatial in (1, 2, 3):
        add_patterns(out, tensorflow, f"conv{spatial}d", spatial, ("full",), turn)
    add_patterns(out, tensorflow, "depthwise", 2, ("depthwise", "multiplier"), turn)
    for operation, rate, kh, kw, padding in itertools.product(
            ("conv2d", "phases"), (1, 2, 3), (1, 2, 3), (2, 3), ("same_upper", "valid")):
        p = problems.Problem("AtrousConv2d", "f32", (2, 3, 9, 10), (4, 3, kh, kw), (1, 1),
                             (rate, rate), (0, 0), (0, 0), padding, data_format="NXC",
                             weights_format="XIO")
        add(out, tensorflow, operation, f"atrous-rate{rate}-{kh}x{kw}-{padding}", p,
            1000 + next(turn))
    add_blocks(out, tensorflow)
    tensorflow.close()
    out.write()


if __name__ == "__main__":
    main()

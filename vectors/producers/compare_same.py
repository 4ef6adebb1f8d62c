#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks several systems the same 2-D convolutions with padding SAME, and says where they differ.

usage: compare_same.py     prints the table of docs/findings.md

Every answer is held against each padding that it could be of, by SciPy on 64-bit integers: what a
system takes SAME to be is seen, not assumed. Needs python3-scipy, python3-onnx, python3-opencv and
python3-torch; first, in producers/onnxruntime and producers/tfjs: npm ci --ignore-scripts
"""

import collections
import dataclasses
import itertools

import cv2
import numpy
import torch

import problems
import runtime
import scipy_int64
import systems
import tfjs
import writing


def questions():
    """Square images, kernels and attributes."""
    for i, k, s, d in itertools.product(range(4, 10), range(1, 5), range(1, 4), range(1, 4)):
        for auto_pad in ("same_upper", "same_lower"):
            yield i, k, s, d, problems.Problem("Convolution", "f32", (1, 1, i, i), (1, 1, k, k),
                                               (s, s), (d, d), (0, 0), (0, 0), auto_pad)


def padding_of(p, src, weights, dst):
    """The padding at the beginning and the end that dst is of; of several, those of SAME first."""
    begin, end = problems.explicit_pads(p)
    nearest = sorted(itertools.product(range(13), repeat=2),
                     key=lambda pads: abs(pads[0] - begin[0]) + abs(pads[1] - end[0]))
    for b, e in nearest:
        explicit = dataclasses.replace(p, auto_pad="none", pads_begin=(b, b), pads_end=(e, e))
        if problems.output_plane(explicit) != dst.shape[2:] or min(dst.shape[2:]) < 1:
            continue
        if (scipy_int64.convolve(explicit, src, weights, None) == dst).all():
            return b, e
    return None


def judge(ask, i, k, s, d, p):
    """"same", "refused", or how the answer differs."""
    rng = numpy.random.Generator(numpy.random.PCG64(i + 10 * k))
    src, weights = rng.integers(1, 100, p.src), rng.integers(1, 100, p.weights)
    begin, end = problems.explicit_pads(p)
    try:
        dst = numpy.asarray(ask(p, src, weights, None)).astype(numpy.int64)
    except writing.Refused:
        return "refused"
    found = padding_of(p, src, weights, dst)
    if found == (begin[0], end[0]):
        return "same"
    text = f"pads {found[0]},{found[1]}" if found else "no padding at all"
    return f"{text} for {begin[0]},{end[0]}, {dst.shape[2]} outputs for {-(-i // s)}"


KINDS = {(False, False): "stride 1, dilation 1", (True, False): "strided",
         (False, True): "dilated", (True, True): "strided and dilated"}
VERSIONS = {"TensorFlow.js": tfjs.VERSION, "ONNX Runtime": runtime.VERSION,
            "PyTorch": torch.__version__, "OpenCV": cv2.__version__}


def main():
    asked = systems.Systems()
    print("| system | padding | problems | agree | refused | differ | the first that differs |")
    print("|---|---|---|---|---|---|---|")
    for name, version in VERSIONS.items():
        found = collections.defaultdict(list)
        for i, k, s, d, p in questions():
            answer = judge(asked.by_name[name], i, k, s, d, p)
            found[p.auto_pad, KINDS[s > 1, d > 1]].append((answer, f"i={i} k={k} s={s} d={d}"))
        for (auto_pad, kind), answers in found.items():
            count = collections.Counter(answer for answer, _ in answers)
            wrong = [f"{q}: {a}" for a, q in answers if a not in ("same", "refused")]
            print(f"| {name} {version} | {auto_pad}, {kind} | {len(answers)} | {count['same']} | "
                  f"{count['refused']} | {len(wrong)} | {(wrong or [''])[0]} |", flush=True)
    asked.close()


if __name__ == "__main__":
    main()

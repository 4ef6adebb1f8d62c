#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from ONNX's own node tests of Conv, whose numbers are written out by hand.

They are read from the installed package onnx, so that none is mistyped. Needs python3-onnx.
"""

import onnx
from onnx.backend.test.case.node import conv

import problems
import writing

VERSION = "1.12.0"
SOURCE = "onnx/onnx, onnx/backend/test/case/node/conv.py, "
AUTO_PADS = {"NOTSET": "none", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower",
             "VALID": "valid"}


def collect():
    """(name, node, inputs, outputs) of every case of the module."""
    cases = []

    def expect(node, inputs, outputs, name):
        cases.append((name, node, inputs, outputs))

    # The module hands each case to this function; the package's own one breaks with NumPy 1.24.
    conv.expect = expect
    for export in dir(conv.Conv):
        if export.startswith("export"):
            getattr(conv.Conv, export)()
    return cases


def problem_of(operation, dtype, node, x, W):
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    ones = (1,) * (x.ndim - 2)
    pads = tuple(given.get("pads", (0,) * 2 * len(ones)))
    auto_pad = given.get("auto_pad", b"NOTSET").decode()
    return problems.Problem(operation, dtype, x.shape, W.shape, tuple(given.get("strides", ones)),
                            tuple(given.get("dilations", ones)), pads[:len(ones)],
                            pads[len(ones):], AUTO_PADS[auto_pad], given.get("group", 1))


def main():
    assert onnx.__version__ == VERSION, onnx.__version__
    out = writing.VectorSet("onnx_node", "ONNX, node tests of Conv", VERSION, "2026-11-21")
    cases = collect()
    assert len(cases) == 6, len(cases)
    for name, node, (x, W), (y,) in cases:
        for dtype in writing.BITS:
            if not all(problems.fits(dtype, t) for t in (x, W, y)):
                continue
            for operation in ("Convolution", "Convolution1"):
                p = problem_of(operation, dtype, node, x, W)
                tensors = {"src": x, "weights": W, "dst": y}
                out.add(f"{operation}/{name}", p, tensors, source=SOURCE + name)
    out.write()


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from ONNX Runtime's Conv on its CPU provider, f32 and f16, on one thread.

Groups, dilations, strides, asymmetric pads and auto_pad on both sides, one to three dimensions.
Needs python3-onnx; first, in producers/onnxruntime: npm ci --ignore-scripts
"""

import itertools

import numpy

import problems
import runtime
import writing

AUTO_PADS = {"none": "NOTSET", "same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER",
             "valid": "VALID"}


def model_of(p, inputs):
    """A Conv of the inputs x, w and maybe b."""
    attributes = {"kernel_shape": p.weights[2:], "strides": p.strides, "dilations": p.dilations,
                  "group": p.groups, "auto_pad": AUTO_PADS[p.auto_pad]}
    if p.auto_pad == "none":
        attributes["pads"] = (*p.pads_begin, *p.pads_end)
    return runtime.model_of("Conv", inputs, 2 + p.spatial, 13, 8, **attributes)


def ask(onnxruntime, p, src, weights, bias):
    """dst, channels first."""
    inputs = {"x": src, "w": weights} | ({} if bias is None else {"b": bias})
    inputs = {name: t.astype(writing.STORED[p.dtype]) for name, t in inputs.items()}
    return onnxruntime.run(model_of(p, inputs), inputs)["y"].astype(numpy.float64)


def main():
    out = writing.VectorSet("onnxruntime_cpu", "ONNX Runtime, CPU provider", runtime.VERSION,
                            "2026-11-21")
    onnxruntime = runtime.OnnxRuntime()
    turn = itertools.count(2000)
    for spatial in (1, 2, 3):
        for label, fields in problems.patterns(spatial, auto_pads=AUTO_PADS):
            if fields["auto_pad"].startswith("same") and max(fields["dilations"]) > 1:
                continue  # ONNX Runtime refuses SAME with dilations
            seed = next(turn)
            operation = ("Convolution", "Convolution1")[seed % 2]
            dtypes = ("f32", "f16") if fields["auto_pad"] == "none" else (("f32", "f16")[seed % 3 // 2],)
            for dtype, kind in itertools.product(dtypes, ("integers", "reals")):
                p = problems.Problem(operation, dtype, **fields, bias=seed % 3 != 0)
                src, weights, bias = getattr(problems, kind)(p, seed)
                dst = ask(onnxruntime, p, src, weights, bias)
                tensors = {"src": src, "weights": weights, "bias": bias, "dst": dst}
                known = ("exact", None) if kind == "integers" else ("arithmetic", "strict")
                out.add(f"{operation}/{label}-{kind}", p, tensors, *known)
    onnxruntime.close()
    out.write()


if __name__ == "__main__":
    main()

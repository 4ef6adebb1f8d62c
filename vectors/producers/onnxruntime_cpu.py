#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from ONNX Runtime's Conv on its CPU provider, f32 and f16, on one thread.

Groups, dilations, strides, asymmetric pads and auto_pad on both sides, one to three dimensions.
First, in producers/onnxruntime: npm ci --ignore-scripts
"""

import base64
import itertools
import json
import pathlib
import subprocess

import numpy
import onnx
from onnx import TensorProto, helper

import problems
import writing

VERSION = "1.30.0"
FOLDER = pathlib.Path(__file__).resolve().parent / "onnxruntime"
AUTO_PADS = {"none": "NOTSET", "same_upper": "SAME_UPPER", "same_lower": "SAME_LOWER",
             "valid": "VALID"}
ELEMENTS = {"f32": (TensorProto.FLOAT, "float32", "<f4"),
            "f16": (TensorProto.FLOAT16, "float16", "<f2")}


def model_of(p):
    element = ELEMENTS[p.dtype][0]
    attributes = {"kernel_shape": p.weights[2:], "strides": p.strides, "dilations": p.dilations,
                  "group": p.groups, "auto_pad": AUTO_PADS[p.auto_pad]}
    if p.auto_pad == "none":
        attributes["pads"] = (*p.pads_begin, *p.pads_end)
    names = ["x", "w", "b"][:3 if p.bias else 2]
    shapes = [p.src, p.weights, (p.weights[0],)]
    inputs = [helper.make_tensor_value_info(n, element, s) for n, s in zip(names, shapes)]
    output = helper.make_tensor_value_info("y", element, [None] * (2 + p.spatial))
    graph = helper.make_graph([helper.make_node("Conv", names, ["y"], **attributes)], "conv",
                              inputs, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model.SerializeToString()


class OnnxRuntime:
    def __init__(self):
        self.process = subprocess.Popen(["node", "answer.js"], cwd=FOLDER, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, p, src, weights, bias):
        _, type_name, stored = ELEMENTS[p.dtype]

        def plain(tensor):
            data = base64.b64encode(tensor.astype(stored).tobytes()).decode()
            return {"type": type_name, "shape": tensor.shape, "data": data}

        inputs = {"x": plain(src), "w": plain(weights)}
        if bias is not None:
            inputs["b"] = plain(bias)
        request = {"model": base64.b64encode(model_of(p)).decode(), "inputs": inputs}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["version"] == VERSION, answer["version"]
        dst = numpy.frombuffer(base64.b64decode(answer["data"]), stored)
        return dst.astype(numpy.float64).reshape(answer["shape"])

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def main():
    out = writing.VectorSet("onnxruntime_cpu", "ONNX Runtime, CPU provider", VERSION, "2026-11-21")
    runtime = OnnxRuntime()
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
                dst = runtime.ask(p, src, weights, bias)
                tensors = {"src": src, "weights": weights, "bias": bias, "dst": dst}
                known = ("exact", None) if kind == "integers" else ("arithmetic", "strict")
                out.add(f"{operation}/{label}-{kind}", p, tensors, *known)
    runtime.close()
    out.write()


if __name__ == "__main__":
    main()

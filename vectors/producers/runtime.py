# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, asked through Node. First, in producers/onnxruntime: npm ci --ignore-scripts"""

import base64
import json
import pathlib
import subprocess

import numpy
from onnx import TensorProto, helper, numpy_helper

import writing

VERSION = "1.30.0"
FOLDER = pathlib.Path(__file__).resolve().parent / "onnxruntime"
# What NumPy stores, and what ONNX and Node call it.
TYPES = {"<f4": (TensorProto.FLOAT, "float32"), "<f2": (TensorProto.FLOAT16, "float16"),
         "<i8": (TensorProto.INT64, "int64")}


def text_of(data):
    return base64.b64encode(data).decode()


class OnnxRuntime:
    def __init__(self):
        self.process = subprocess.Popen(["node", "answer.js"], cwd=FOLDER, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, model, inputs):
        """The f32 or f16 outputs of a model, of the type of its first input, by name."""
        plain = {name: {"type": TYPES[t.dtype.str][1], "shape": t.shape,
                        "data": text_of(t.tobytes())} for name, t in inputs.items()}
        request = {"model": text_of(model.SerializeToString()), "inputs": plain}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "refused" in answer:
            raise writing.Refused(answer["refused"])
        assert answer["version"] == VERSION, answer["version"]
        stored = next(iter(inputs.values())).dtype
        return {name: numpy.frombuffer(base64.b64decode(y["data"]), stored).reshape(y["shape"])
                for name, y in answer["outputs"].items()}

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def model_of(node_type, inputs, rank, opset, ir_version, **attributes):
    """A model of one node that makes y of rank `rank` of the arrays `inputs`, by name; "" stands
    for an input that is left out."""
    element = TYPES[next(iter(inputs.values())).dtype.str][0]
    infos = [helper.make_tensor_value_info(name, TYPES[t.dtype.str][0], t.shape)
             for name, t in inputs.items() if name]
    output = helper.make_tensor_value_info("y", element, [None] * rank)
    node = helper.make_node(node_type, list(inputs), ["y"], **attributes)
    graph = helper.make_graph([node], node_type, infos, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = ir_version
    return model


def constant(name, array):
    """The array as a part of a model."""
    return numpy_helper.from_array(array, name)

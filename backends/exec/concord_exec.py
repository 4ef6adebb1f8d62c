# SPDX-License-Identifier: Apache-2.0
"""The program's side of `--backend 'exec:COMMAND'`: docs/exec_protocol.md as a Python module.

A backend is an object with `name` and `version` and two methods:

    query(problem)             -> a dict with dst_dims, arithmetic, ...; or raises Refused
    prepare(problem, threads)  -> a function f(inputs, dst) that computes dst in place

`problem` is the object that docs/exec_protocol.md describes; inputs and dst are numpy arrays in the
memory shared with the host. `serve(backend)` answers requests until the host closes the channel.
"""

import json
import math
import os
import sys
import time

import numpy as np

OK, UNSUPPORTED, INVALID, FAULT = range(4)
# numpy has no bfloat16: its elements are passed as their bits.
ELEMENT = {"f32": np.dtype("<f4"), "f16": np.dtype("<f2"), "bf16": np.dtype("<u2"),
           "f64": np.dtype("<f8")}


class Refused(Exception):
    """A problem that is not computed: a status, and one sentence of reason."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def declines(reason):
    """The backend does not serve this."""
    return Refused(UNSUPPORTED, reason)


def invalid(reason):
    """The problem violates its specification."""
    return Refused(INVALID, reason)


LARGEST = 2**63 - 1


def check_layout(name, tensor, dtype):
    """Refuses a tensor too large for any memory, or in which two indices share an element."""
    dims, strides = tensor["dims"], tensor["strides"]
    if min(dims + strides, default=0) < 0:
        raise invalid(f"{name} is {dims} with strides {strides}: one is negative")
    reach = sum((d - 1) * s for d, s in zip(dims, strides) if d > 0) + 1
    if max(reach, math.prod(max(d, 1) for d in dims)) * ELEMENT[dtype].itemsize > LARGEST:
        raise invalid(f"{name} is {dims} with strides {strides}: its bytes overflow 64 bits")
    axes = sorted((s, d) for d, s in zip(dims, strides) if d > 1)
    room, nested = 0, True  # nested: each stride goes beyond all that the smaller ones reach
    for stride, extent in axes:
        nested = nested and stride > room
        room += stride * (extent - 1)
    if nested or 0 in dims:
        return
    if math.prod(dims) > 10**6:
        raise declines(f"{name} has interleaved strides {strides}, and too many elements to check")
    places = np.zeros(1, np.int64)
    for stride, extent in axes:
        places = np.add.outer(places, stride * np.arange(extent)).ravel()
    if np.unique(places).size != places.size:
        raise invalid(f"{name} is {dims} with strides {strides}: elements overlap")


def map_tensor(path, place, tensor, element, mode):
    """A view of one tensor in the shared file, with the tensor's own strides."""
    if place["bytes"] == 0:
        return np.empty(tensor["dims"], element)
    flat = np.memmap(path, element, mode, place["offset"], place["bytes"] // element.itemsize)
    strides = [stride * element.itemsize for stride in tensor["strides"]]
    return np.lib.stride_tricks.as_strided(flat, tensor["dims"], strides, writeable=mode == "r+")


class Conversation:
    """Answers one request after another."""

    def __init__(self, backend):
        self.backend = backend
        self.problem = None
        self.compute = None

    def answer(self, request):
        """The answer to one request, as a dict."""
        return getattr(self, "on_" + request["request"])(request)

    def on_load(self, request):
        if request["protocol"] != 1:
            return {"failure": f"this program speaks protocol 1, not {request['protocol']}"}
        return {"name": self.backend.name, "version": self.backend.version}

    def on_open(self, _request):
        return {"status": OK}

    def on_query(self, request):
        return {"status": OK, **self.backend.query(request["problem"])}

    def on_prepare(self, request):
        self.problem = request["problem"]
        self.compute = self.backend.prepare(self.problem, request["threads"])
        return {"status": OK}

    def on_execute(self, request):
        memory, element = request["memory"], ELEMENT[self.problem["dtype"]]
        inputs = [
            map_tensor(memory["path"], place, tensor, element, "r")
            for place, tensor in zip(memory["inputs"], self.problem["inputs"])
        ]
        dst = map_tensor(
            memory["path"], memory["outputs"][0], self.problem["outputs"][0], element, "r+"
        )
        begin = time.perf_counter()
        self.compute(inputs, dst)
        return {"status": OK, "seconds": time.perf_counter() - begin}

    def on_release(self, _request):
        self.compute = None
        return {}

    def on_close(self, _request):
        return {}


def serve(backend):
    """Answers requests on standard input and output until the host closes them."""
    # What the backend's libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    conversation = Conversation(backend)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = conversation.answer(request)
        except Refused as refused:
            answer = {"status": refused.status, "reason": str(refused), "seconds": 0}
        except Exception as error:  # pylint: disable=broad-except
            answer = {"status": FAULT, "reason": f"{type(error).__name__}: {error}", "seconds": 0}
        print(json.dumps(answer), file=answers, flush=True)
        if request["request"] == "close":
            return

# SPDX-License-Identifier: Apache-2.0
"""Requests and answers: one JSON object per line."""

import json
import os
import sys
import time

import numpy as np

from .problem import ELEMENT, FAULT, OK, Refused

PROTOCOL = 1


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
        if request["protocol"] != PROTOCOL:
            asked = request["protocol"]
            return {"failure": f"this program speaks protocol {PROTOCOL}, not {asked}"}
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
        # A function that unpacks tensors returns how long it computed.
        seconds = self.compute(inputs, dst)
        return {"status": OK, "seconds": seconds or time.perf_counter() - begin}

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

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A backend for the tests of the concord command: exec:scaling_backend.py MODE [LOG]

It serves convolutions in f32 whose weights are one element, so that dst is src times that. MODE says
how it is wrong; LOG is a file that gets a line of JSON for each execution.

    right     not at all
    wrong     every element is 1 too large
    hang      execute never answers
    after=N   every element is 1 too large once an execution in this process had N elements
"""

import json
import math
import struct
import sys
import time

MODE, LOG = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
SERVED, DECLINED = {"status": 0}, {"status": 1, "reason": "weights are not one element"}


def serves(problem):
    """True if dst is src times one weight, element by element."""
    attributes, inputs = problem["attributes"], problem["inputs"]
    if problem["operation"] != "Convolution" or problem["dtype"] != "f32" or len(inputs) != 2:
        return False
    changed = attributes["pads_begin"] + attributes["pads_end"]
    return (math.prod(inputs[1]["dims"]) == 1 and math.prod(inputs[0]["dims"]) > 0
            and attributes["strides"] == [1] * len(attributes["strides"]) and not any(changed))


def floats(file, place):
    """The elements at a place of the shared file."""
    file.seek(place["offset"])
    return struct.unpack(f"<{place['bytes'] // 4}f", file.read(place["bytes"]))


class Backend:
    """Answers requests."""

    problem, threads, is_spoilt = None, 0, MODE == "wrong"

    def load(self, _request):
        return {"name": "scaling", "version": "1"}

    def open(self, _request):
        return SERVED

    def query(self, request):
        problem = request["problem"]
        return {**SERVED, "dst_dims": problem["inputs"][0]["dims"]} if serves(problem) else DECLINED

    def prepare(self, request):
        self.problem, self.threads = request["problem"], request["threads"]
        return SERVED

    def execute(self, request):
        if MODE == "hang":
            time.sleep(1000)
        memory = request["memory"]
        with open(memory["path"], "r+b") as file:
            src, (weight,) = (floats(file, place) for place in memory["inputs"])
            self.log(src, weight)
            dst = [x * weight + self.is_spoilt for x in src]
            file.seek(memory["outputs"][0]["offset"])
            file.write(struct.pack(f"<{len(dst)}f", *dst))
        self.is_spoilt |= MODE == f"after={len(src)}"
        return {**SERVED, "seconds": 0.0}

    def release(self, _request):
        return {}

    def close(self, _request):
        return {}

    def log(self, src, weight):
        if LOG is None:
            return
        with open(LOG, "a", encoding="utf-8") as log:
            print(json.dumps([self.problem["text"], self.threads, src, weight]), file=log)


def main():
    backend = Backend()
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(getattr(backend, request["request"])(request)), flush=True)
        if request["request"] == "close":
            break


if __name__ == "__main__":
    main()

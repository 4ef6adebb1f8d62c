#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Asks every system the discrete problems of every set whose dst is exact, and compares its answer
with the stored one, which another system computed.

usage: compare_producers.py     prints one line for each system, and its differences

Needs what the sets and compare_same.py need. All answers must be equal: the data are such that every
order of summation is exact in f32.
"""

import json
import math

import numpy

import problems
import systems
import writing


def vectors():
    """(set, id, problem, tensors as float64, channels first) of the exact discrete vectors."""
    for path in sorted(writing.DATA.glob("*/manifest.json")):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        pools = {f["name"]: writing.decode(f["dtype"], numpy.load(path.parent / f["name"]))
                 for f in manifest["files"]}
        for vector in manifest["vectors"]:
            p = problems.parse(vector["problem"])
            if p is None or vector["exactness"] != "exact":
                continue
            tensors = {}
            for role in ("src", "weights", "bias", "dst"):
                t = vector.get(role)
                if t is None:
                    tensors[role] = None
                    continue
                stored = pools[t["file"]][t["offset"]:][:math.prod(t["shape"])].reshape(t["shape"])
                tensors[role] = p.from_own(role, stored)
            yield manifest["set"], vector["id"], p, tensors


def compare(system, ask, p, tensors):
    """"equal", "refused" or "differ"."""
    wanted = tensors["dst"]
    if system == "oneDNN bf16":  # exact in its f32 sums, then rounded
        wanted = writing.round_to("bf16", wanted)
    try:
        dst = ask(p, tensors["src"], tensors["weights"], tensors["bias"])
    except writing.Refused:
        return "refused"
    return "equal" if numpy.array_equal(dst, wanted) else "differ"


def main():
    asked = systems.Systems()
    counts = {system: {"equal": 0, "refused": 0, "differ": 0} for system in asked.by_name}
    differences = []
    for name, vector, p, tensors in vectors():
        p.dtype = "f32"  # which holds the other dtypes
        for system, ask in asked.by_name.items():
            answer = compare(system, ask, p, tensors)
            counts[system][answer] += 1
            if answer == "differ":
                differences.append(f"{system} differs at {name}/{vector}: {p.line()}")
    asked.close()
    print("| system | equal | not computed | differ |\n|---|---|---|---|")
    for system, row in counts.items():
        print(f"| {system} | {row['equal']} | {row['refused']} | {row['differ']} |")
    print("\n".join(differences))


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every manifest of vectors/data is of the form that docs/vectors.schema.json says, and the lines of
Python in vectors/README.md read it.

usage: schema_test.py ROOT
"""

import json
import math
import os
import pathlib
import re
import sys

import jsonschema
import numpy


def complaint_of_readme(root):
    """Runs the README's lines and reads a vector's tensors by them; what is wrong, or nothing."""
    text = (root / "vectors/README.md").read_text(encoding="utf-8")
    lines = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    names = {"json": json, "math": math, "numpy": numpy}
    os.chdir(root / "vectors")
    exec(lines, names)  # pylint: disable=exec-used
    first = names["vectors"][0]
    src, weights, dst = (names["read"](first[role]) for role in ("src", "weights", "dst"))
    # The first is a dense problem of one axis, src [1,3,9] and weights [4,3,3].
    windows = numpy.lib.stride_tricks.sliding_window_view(src[0], 3, axis=1)
    wanted = numpy.einsum("cok,nck->no", windows, weights)
    return "" if (dst[0] == wanted).all() else f"README.md: {first['problem']} is read wrongly"


def main(root):
    root = root.resolve()
    schema = json.loads((root / "docs/vectors.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    manifests = sorted((root / "vectors/data").glob("*/manifest.json"))
    wrong = 0 if manifests else 1
    for path in manifests:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        for error in validator.iter_errors(manifest):
            print(f"{path}: {error.json_path}: {error.message}")
            wrong += 1
        if manifest["set"] != path.parent.name:
            print(f"{path}: set is {manifest['set']}, but its folder {path.parent.name}")
            wrong += 1
    complaint = complaint_of_readme(root)
    if complaint:
        print(complaint)
        wrong += 1
    print(f"{len(manifests)} manifests, {wrong} errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

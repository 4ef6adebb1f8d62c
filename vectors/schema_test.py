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


def complaints_of_changes(validator, manifest):
    """The schema takes and refuses the members of a vector as the reader of manifests does."""
    for taken, changes in ((True, {"exactness": "printed", "digits": 4}),
                           (True, {"exactness": "printed", "digits": 4, "arithmetic": "strict"}),
                           (True, {"exactness": "arithmetic", "arithmetic": "strict"}),
                           (False, {"exactness": "printed"}), (False, {"exactness": "printed", "digits": 0}),
                           (False, {"exactness": "printed", "digits": 18}), (False, {"exactness": "exact", "digits": 4}),
                           (False, {"exactness": "exact", "arithmetic": "strict"}), (False, {"exactness": "arithmetic"})):
        vector = {key: value for key, value in manifest["vectors"][0].items() if key not in ("exactness", "arithmetic")}
        if validator.is_valid({**manifest, "vectors": [{**vector, **changes}]}) != taken:
            yield f"vectors.schema.json {'refuses' if taken else 'takes'} {changes}"


def main(root):
    root = root.resolve()
    schema = json.loads((root / "docs/vectors.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    manifests = sorted((root / "vectors/data").glob("*/manifest.json"))
    wrong, some = (0 if manifests else 1), None
    for path in manifests:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        some = manifest if manifest["vectors"] else some
        for error in validator.iter_errors(manifest):
            print(f"{path}: {error.json_path}: {error.message}")
            wrong += 1
        if manifest["set"] != path.parent.name:
            print(f"{path}: set is {manifest['set']}, but its folder {path.parent.name}")
            wrong += 1
    for complaint in [complaint_of_readme(root), *complaints_of_changes(validator, some)]:
        if complaint:
            print(complaint)
            wrong += 1
    print(f"{len(manifests)} manifests, {wrong} errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

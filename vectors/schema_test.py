#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every manifest of vectors/data is of the form that docs/vectors.schema.json says.

usage: schema_test.py ROOT
"""

import json
import pathlib
import sys

import jsonschema


def main(root):
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
    print(f"{len(manifests)} manifests, {wrong} errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))

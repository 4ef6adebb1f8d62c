#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sets anew into a temporary folder and compares them, byte for byte, with those of data/.

usage: regenerate.py [SET...]     without a name, every set

A set's date is that of its first writing, which its program states; nothing else in it depends on
when or where it is written. Exit codes: 0 the same bytes, 1 a difference, 2 a system is missing.
"""

import importlib
import json
import pathlib
import sys
import tempfile

import writing

COMMITTED = writing.DATA


def differences(name, folder):
    """What is not the same in the two folders of the set, as lines of text."""
    anew, kept = ({path.name: path.read_bytes() for path in sorted((root / name).iterdir())}
                  for root in (folder, COMMITTED))
    for file in sorted(anew.keys() | kept.keys()):
        if file not in anew or file not in kept:
            yield f"{name}/{file}: only in {'the committed set' if file in kept else 'the new one'}"
        elif anew[file] != kept[file]:
            yield f"{name}/{file}: other bytes"


def regenerate(name):
    """The exit code for one set."""
    try:
        producer = importlib.import_module(name)
        with tempfile.TemporaryDirectory() as folder:
            writing.DATA = pathlib.Path(folder)
            producer.main()
            found = list(differences(name, writing.DATA))
    except (ImportError, OSError, AssertionError, json.JSONDecodeError) as missing:
        print(f"{name}: cannot be written here: {missing}", file=sys.stderr)
        return 2
    print("\n".join(found) if found else f"{name}: the same bytes")
    return 1 if found else 0


def main(names):
    known = sorted(path.parent.name for path in COMMITTED.glob("*/manifest.json"))
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"no set {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    return max(regenerate(name) for name in names or known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

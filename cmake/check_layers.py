#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include of the sources and fails on an arrow that layers.txt does not have.

usage: check_layers.py ROOT [LAYERS_TXT]
"""

import pathlib
import re
import sys

import source_tree

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NO_CPP = "nothing in C or C++"
# What Eigen may give to spec/: the 16-bit floating-point types, not its algebra.
EIGEN_OF_SPEC = "Eigen/Core"


class Layers:
    """The table of layers.txt."""

    def __init__(self, text):
        self.allowed = {}
        self.libraries = set()
        for line in text.splitlines():
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, _, rest = line.partition(":")
            if name == "libraries":
                self.libraries = set(rest.split())
            elif rest.strip() == NO_CPP:
                self.allowed[name] = None
            else:
                self.allowed[name] = set(rest.split())

    def layer_of(self, path):
        """The layer that `path` belongs to, and its row's name in the table: ("backends/mine",
        "backends/*"). Nothing if no row holds it."""
        folders = pathlib.PurePosixPath(path).parts[:-1]
        for length in range(len(folders), 0, -1):
            layer = "/".join(folders[:length])
            if layer in self.allowed:
                return layer, layer
            star = "/".join(folders[:length - 1] + ("*",))
            if length > 1 and star in self.allowed:
                return layer, star
        return None, None


def complaint(layers, path, bracket, target):
    """Why the include of `target` in `path` is wrong, or nothing."""
    layer, row = layers.layer_of(path)
    if layer is None:
        return "its folder is no layer of layers.txt"
    allowed = layers.allowed[row]
    if allowed is None:
        return f"{layer}/ holds {NO_CPP}"
    if bracket == "<":
        library = target.split("/")[0]
        if library not in layers.libraries or "anything" in allowed:
            return None
        if f"<{library}>" not in allowed:
            return f"{layer}/ may not use the library {library}"
        if layer == "spec" and target != EIGEN_OF_SPEC:
            return f"spec/ may use <{EIGEN_OF_SPEC}> alone, for half and bfloat16"
        return None
    if "/" not in target:
        # Only the plugin header travels without its folder, as its users copy it.
        return None if layer == "plugin" else "includes are written from the root of the sources"
    reached, _ = layers.layer_of(target)
    if reached is None:
        return f"{target.split('/')[0]}/ is no layer of layers.txt"
    if reached == layer or reached in allowed or "anything" in allowed:
        return None
    return f"{layer}/ may not reach {reached}/"


def check(root, layers):
    """Every wrong include as one line of text."""
    found = []
    for path in source_tree.cpp_files(root):
        text = (pathlib.Path(root) / path).read_text(encoding="utf-8", errors="replace")
        includes = [(m.group(1), m.group(2), text.count("\n", 0, m.start(1)) + 1)
                    for m in INCLUDE.finditer(text)]
        if layers.layer_of(path)[0] is None:
            found.append(f"{path}:1: its folder is no layer of layers.txt")
            continue
        if layers.allowed[layers.layer_of(path)[1]] is None:
            found.append(f"{path}:1: {path.parts[0]}/ holds {NO_CPP}")
            continue
        for bracket, target, line in includes:
            why = complaint(layers, path, bracket, target)
            if why:
                found.append(f"{path}:{line}: {target}: {why}")
    return found


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    table = pathlib.Path(arguments[2]) if len(arguments) == 3 else root / "cmake/layers.txt"
    found = check(root, Layers(table.read_text(encoding="utf-8")))
    for line in found:
        print(line)
    print(f"layers: {len(source_tree.cpp_files(root))} files, {len(found)} wrong includes")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

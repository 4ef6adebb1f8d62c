#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every #include of the sources and fails on an arrow that layers.txt does not have.

usage: check_layers.py ROOT [LAYERS_TXT]

It also fails if the arrows of layers.txt make a cycle, or have one that no include needs; and if a
library's DEPS in CMake name a layer that its sources do not include, or leave one out that no other
of its DEPS brings.
"""

import itertools
import pathlib
import re
import sys
from typing import NamedTuple

import source_tree

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NO_CPP = "nothing in C or C++"
# A row "NAME tests" is what the tests of NAME may include besides.
TESTS = " tests"
IS_TEST = re.compile(r"_test\.(c|cpp|h)$")
# A library or a plugin of concord_targets.cmake, up to the end of its arguments.
TARGET = re.compile(r"concord_(library|plugin)\(\s*(\w+)\s+([^()]*)\)")
# A library of another kind: what it links is its own affair.
INTERFACE = re.compile(r"add_library\((concord_\w+) ")
# Headers alone: there is nothing to link.
WITHOUT_LIBRARY = {"plugin"}
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

    def may_include(self, path):
        """The names that the row of `path` has, with those of its tests if it is one; None for a
        layer without C or C++."""
        row = self.layer_of(path)[1]
        allowed = self.allowed[row]
        if allowed is not None and IS_TEST.search(str(path)):
            return allowed | self.allowed.get(row + TESTS, set())
        return allowed

    def cycle(self):
        """The layers along a cycle of the table, the first one again at the end; or nothing."""
        below = {name: [other for other in map(self.layer_named, sorted(allowed or ())) if other]
                 for name, allowed in self.allowed.items() if not name.endswith(TESTS)}

        def search(path):
            for other in below[path[-1]]:
                if other in path:
                    return path[path.index(other):] + [other]
                if other not in done:
                    found = search(path + [other])
                    if found:
                        return found
            done.add(path[-1])
            return []

        done = set()
        return next(filter(None, (search([name]) for name in below if name not in done)), [])

    def layer_named(self, name):
        """The layer that an entry of the table names, by itself or by a header; or nothing."""
        return name if name in self.allowed else self.layer_of(name)[1]

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


class Include(NamedTuple):
    """One #include: its opening bracket, < or ", what it names, and its line."""
    bracket: str
    target: str
    line: int


def read_includes(root):
    """The includes of every C and C++ file under `root`, each file read once: a list by path."""
    includes = {}
    for path in source_tree.cpp_files(root):
        text = (pathlib.Path(root) / path).read_text(encoding="utf-8", errors="replace")
        includes[path] = [Include(m.group(1), m.group(2), text.count("\n", 0, m.start(1)) + 1)
                          for m in INCLUDE.finditer(text)]
    return includes


def complaint(layers, path, include):
    """Why `include` in `path` is wrong, or nothing."""
    target = include.target
    layer, _ = layers.layer_of(path)
    if layer is None:
        return "its folder is not a layer of layers.txt"
    allowed = layers.may_include(path)
    if allowed is None:
        return f"{layer}/ holds {NO_CPP}"
    if include.bracket == "<":
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
        return f"{target.split('/')[0]}/ is not a layer of layers.txt"
    if reached == layer or "anything" in allowed or allowed & {reached, target}:
        return None
    return f"{layer}/ may not reach {reached}/"


def check(includes, layers):
    """Every wrong include as one line of text."""
    found = []
    for path, all_of_file in includes.items():
        if layers.layer_of(path)[0] is None:
            found.append(f"{path}:1: its folder is not a layer of layers.txt")
            continue
        if layers.allowed[layers.layer_of(path)[1]] is None:
            found.append(f"{path}:1: {path.parts[0]}/ holds {NO_CPP}")
            continue
        for include in all_of_file:
            why = complaint(layers, path, include)
            if why:
                found.append(f"{path}:{include.line}: {include.target}: {why}")
    return found


def included_layers(includes, layers, sources):
    """The other layers that `sources` include, by themselves or through headers of their layer."""
    reached, seen, left = set(), set(), list(sources)
    while left:
        path = left.pop()
        if path in seen:
            continue
        seen.add(path)
        own = layers.layer_of(path)[0]
        for include in includes.get(path, ()):
            if include.bracket == "<" or "/" not in include.target:
                continue
            layer = layers.layer_of(include.target)[0]
            if layer == own:
                left.append(pathlib.PurePosixPath(include.target))
            elif layer is not None:
                reached.add(layer)
    return reached - WITHOUT_LIBRARY


def sources_of(includes, folder, words):
    """The files that SOURCES names; all of the folder but tests where it names variables."""
    if not any("$" in word for word in words):
        return [folder / word for word in words]
    return [path for path in includes
            if path.parent == folder and path.suffix == ".cpp" and not IS_TEST.search(path.name)]


def libraries(root, includes, layers):
    """The libraries and plugins of all CMakeLists.txt: name, file, layer, sources, DEPS."""
    found = {}
    for path in source_tree.files(root):
        folder = path.parent
        layer = layers.layer_of(path)[0]
        if path.name != "CMakeLists.txt" or layer is None:
            continue
        text = (root / path).read_text(encoding="utf-8")
        for kind, name, rest in TARGET.findall(text):
            words = rest.split()
            ends = [i for i, word in enumerate(words) if word in ("SOURCES", "DEPS")] + [len(words)]
            parts = {words[a]: words[a + 1:b] for a, b in itertools.pairwise(ends)}
            target = f"concord_{name}" if kind == "library" else f"plugin_{name}"
            found[target] = (path, layer, sources_of(includes, folder, parts.get("SOURCES", [])),
                             parts.get("DEPS", []))
        for target in INTERFACE.findall(text):
            found[target] = (path, layer, [], [])
    return found


def check_links(root, includes, layers):
    """Every library whose DEPS are not what its sources include, as one line of text."""
    known = libraries(root, includes, layers)

    def linked(names, found):
        for name in names:
            if name in known and name not in found:
                found.add(name)
                linked(known[name][3], found)
        return {known[name][1] for name in found}

    complaints = []
    for target, (file, own, sources, names) in known.items():
        included = included_layers(includes, layers, sources)
        direct = {known[name][1] for name in names if name in known} - WITHOUT_LIBRARY
        for layer in sorted(direct - included - {own}):
            complaints.append(f"{file}: {target}: no source includes {layer}/, which DEPS names")
        for layer in sorted(included - linked(names, set()) - {own}):
            complaints.append(f"{file}: {target}: sources include {layer}/, which DEPS leaves out")
    return complaints


def check_table(includes, layers):
    """A cycle of the table, and its arrows that no include needs, as lines of text."""
    used = {}
    for path, all_of_file in includes.items():
        own, row = layers.layer_of(path)
        for include in all_of_file:
            name = (f"<{include.target.split('/')[0]}>" if include.bracket == "<"
                    else include.target if include.target in (layers.allowed.get(row) or ())
                    else layers.layer_of(include.target)[0])
            if row is not None and name != own:
                used.setdefault(row + (TESTS if IS_TEST.search(str(path)) else ""), set()).add(name)
    found = []
    if layers.cycle():
        found.append("layers.txt: a cycle: " + " -> ".join(layers.cycle()))
    for row, allowed in layers.allowed.items():
        if "*" in row or "anything" in (allowed or ()):
            continue
        needed = used.get(row, set()) | used.get(row + TESTS, set())
        for name in sorted((allowed or set()) - needed):
            found.append(f"layers.txt: {row}: nothing includes {name}")
    return found


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    table = pathlib.Path(arguments[2]) if len(arguments) == 3 else root / "cmake/layers.txt"
    layers = Layers(table.read_text(encoding="utf-8"))
    includes = read_includes(root)
    found = (check(includes, layers) + check_table(includes, layers) +
             check_links(root, includes, layers))
    for line in found:
        print(line)
    print(f"layers: {len(includes)} files, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

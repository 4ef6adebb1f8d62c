#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the habits of the sources that a machine can see.

usage: check_hygiene.py ROOT BUILD

Fails on: a source, script or CMake file without its licence in the first lines; a file named for
nothing in particular; disabled code and skipped tests; a reminder without the number of what it
reminds of; paths of one machine and names of package hosts; a page's link to no file; a weak symbol
in an object of optimized/kernels, which could put one instruction set's code into everyone's
program. Warns of files beyond their size budget.
"""

import json
import pathlib
import re
import subprocess
import sys

import source_tree

LICENSE = "SPDX-License-Identifier: Apache-2.0"
LICENSED_SUFFIXES = {".h", ".c", ".cpp", ".inc", ".py", ".sh", ".cmake", ".js", ".css"}
EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "old"}
TEXT_SUFFIXES = LICENSED_SUFFIXES | {".txt", ".md", ".json", ".html", ".yml", ".yaml", ""}
SKIPPED = "a test that does not run"
# A vendor's test of a case that the backend declines is skipped, not passed.
TELLS_SKIPPED = {"plugin/googletest/concord_googletest.cpp"}
# A character class keeps each of these patterns from matching its own line.
FORBIDDEN = {
    r"^\s*#\s*if [0]\b": "code that no build compiles",
    r"\bDISABLED[_]|\bGTEST_SKIP[(]|@unittest[.]skip": SKIPPED,
    r"\b(TO[D]O|FIX[M]E|XX[X])\b(?!\(#\d+\))": "a reminder without a number, as in (#12)",
    r"(^|[\s\"'=(])/(wor[k]|hom[e]|roo[t]|User[s])/": "a path of one machine",
    r"registry[.]npmjs|(files[.])?pytho[n]hosted|pypi[.]org|deb[.]debian[.]org|crates[.]io|"
    r"proxy[.]golang": "the name of a package host",
}
LINES = {".h": 150, ".cpp": 300, ".c": 300, ".py": 300, "_test.cpp": 400, "_test.py": 400}
WEAK_TYPES = set("VWu")


def license_complaint(path, lines):
    licensed = (path.suffix in LICENSED_SUFFIXES or path.name == "CMakeLists.txt" or
                (lines and lines[0].startswith("#!")))
    if licensed and not any(LICENSE in line for line in lines[:3]):
        yield 1, f"no '{LICENSE}' in its first lines"


def name_complaint(path):
    words = set(re.split(r"[_.\-]", path.name))
    if path.stem in EMPTY_NAMES or words & {"old", "misc"}:
        yield 1, "its name does not say what it contains"


def text_complaints(path, lines):
    if path.suffix not in TEXT_SUFFIXES or path.name == "LICENSE":
        return
    for number, line in enumerate(lines, 1):
        for pattern, why in FORBIDDEN.items():
            if why == SKIPPED and str(path) in TELLS_SKIPPED:
                continue
            if re.search(pattern, line):
                yield number, f"{why}: {line.strip()[:80]}"


def link_complaints(root, path, lines):
    """Links of a page to files that are not there."""
    if path.suffix != ".md":
        return
    for number, line in enumerate(lines, 1):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", line):
            if "://" not in target and not (root / path.parent / target).exists():
                yield number, f"a link to {target}, which does not exist"


def size_warning(path, lines):
    key = "_test" + path.suffix if path.stem.endswith("_test") else path.suffix
    budget = LINES.get(key)
    if budget and len(lines) > budget:
        yield 1, f"{len(lines)} lines, budget {budget}: does it hold two ideas?"


def check_tree(root):
    """All complaints and all warnings, as lines of text."""
    wrong, warnings = [], []
    for path in source_tree.files(root):
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # golden data
        for complaints in (license_complaint(path, lines), name_complaint(path),
                           text_complaints(path, lines), link_complaints(root, path, lines)):
            wrong += [f"{path}:{number}: {why}" for number, why in complaints]
        warnings += [f"{path}:{number}: {why}" for number, why in size_warning(path, lines)]
    return wrong, warnings


def weak_symbols(objects):
    """The weak symbols that the objects define, as lines of text."""
    found = []
    for item in objects:
        listing = subprocess.run(["nm", "--demangle", str(item)], check=True, capture_output=True,
                                 text=True).stdout
        for line in listing.splitlines():
            match = re.match(r"^[0-9a-f]+ (\w) (.*)$", line)
            if match and match.group(1) in WEAK_TYPES:
                found.append(f"{item.name}: weak symbol {match.group(2)}")
    return found


def kernel_sources(root, build):
    """The sources of optimized/kernels that this build compiles; all, if it does not say."""
    sources = (p for p in (root / "optimized/kernels").glob("*.cpp") if not p.stem.endswith("_test"))
    commands = build / "compile_commands.json"
    if not commands.exists():
        return list(sources)
    entries = json.loads(commands.read_text(encoding="utf-8"))
    compiled = {pathlib.Path(entry["file"]).resolve() for entry in entries}
    return [source for source in sources if source in compiled]


def check_kernels(root, build):
    """Weak symbols in the kernels' objects; objects that should be there and are not."""
    sources = kernel_sources(root, build)
    by_name = {}
    for item in (build / "optimized").rglob("*.o"):
        by_name.setdefault(item.name, item)
    missing = [s for s in sources if s.name + ".o" not in by_name]
    wrong = [f"{s.relative_to(root)}: no object of it under {build.name}/" for s in missing]
    return wrong + weak_symbols(by_name[s.name + ".o"] for s in sources if s not in missing)


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    root, build = (pathlib.Path(argument).resolve() for argument in arguments[1:])
    wrong, warnings = check_tree(root)
    wrong += check_kernels(root, build)
    for line in warnings:
        print("warning: " + line)
    for line in wrong:
        print(line)
    print(f"hygiene: {len(wrong)} wrong, {len(warnings)} warnings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over sources of the build, two at a time, and remembers what was clean.

usage: check_tidy.py ROOT BUILD CLANG_TIDY [COUNT]

With COUNT, over as many sources as that: those whose text, or that of a header which they include,
was committed last, or is not committed yet. Without it, and where git knows no history, over all.

A source is checked again when its text, a header of the tree that it includes, its compiler's
options, the list of checks or clang-tidy itself has changed. BUILD/tidy-cache holds one empty file
for each clean one, named by the hash of all that, and the commands of all sources, each on its own
also where the build compiles several at a time.
"""

import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys

import source_tree

JOBS = 2
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class Hasher:
    """Hashes of files, each read once."""

    def __init__(self):
        self.known = {}

    def of_file(self, path):
        if path not in self.known:
            try:
                self.known[path] = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError:
                self.known[path] = "missing"
        return self.known[path]

    def of_all(self, texts, paths):
        parts = texts + [self.of_file(path) for path in paths]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def single(entry):
    """The entries of the sources that an entry of compile_commands.json compiles: itself, or those
    that a file of CMake's unity build includes."""
    path = pathlib.Path(entry["directory"], entry["file"])
    if path.parent.name != "Unity":
        return [entry]
    words = shlex.split(entry["command"])
    here = words.index(entry["file"])
    return [{**entry, "file": name,
             "command": shlex.join([*words[:here], name, *words[here + 1:]])}
            for name in INCLUDE.findall(path.read_text(encoding="utf-8"))]


def sources(root, build):
    """The entries of compile_commands.json that are sources of ours, each once."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    ours = {}
    for entry in (each for entry in entries for each in single(entry)):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.is_relative_to(root) and not path.is_relative_to(build):
            ours.setdefault(path, entry)
    return ours


class Includes:
    """Which files of the tree a file includes, itself or through others."""

    def __init__(self, root):
        self.root = root
        self.direct = {}

    def of(self, source):
        found, left = set(), [source]
        while left:
            for header in self._direct(left.pop()) - found:
                found.add(header)
                left.append(header)
        return found

    def _direct(self, path):
        if path not in self.direct:
            names = INCLUDE.findall(path.read_text(encoding="utf-8"))
            places = [place / name for name in names for place in (path.parent, self.root)]
            self.direct[path] = {place.resolve() for place in places if place.is_file()}
        return self.direct[path]


def keys(root, tool, entries, headers_of):
    """The hash that stands for each source and everything its verdict depends on."""
    hasher = Hasher()
    version = subprocess.run([tool, "--version"], check=True, capture_output=True, text=True).stdout
    return {path: hasher.of_all([version, entry["command"]],
                                [root / ".clang-tidy", path, *sorted(headers_of[path])])
            for path, entry in entries.items()}


def newest_first(root):
    """The files of the tree, those changed last first; none without a history."""
    git = ["git", "-C", str(root)]
    changed = subprocess.run([*git, "diff", "--name-only", "HEAD"], check=False,
                             capture_output=True, text=True)
    logged = subprocess.run([*git, "log", "--format=", "--name-only", "--no-renames"], check=False,
                            capture_output=True, text=True)
    if changed.returncode != 0 or logged.returncode != 0:
        return []
    names = changed.stdout.splitlines() + logged.stdout.splitlines()
    return [root / name for name in dict.fromkeys(names) if name]


def choose(count, newest, headers_of):
    """`count` sources that hold the newest texts: a header needs one source that includes it."""
    chosen = {}
    for path in newest:
        if len(chosen) >= count:
            break
        if path in headers_of:
            chosen[path] = None
        elif not any(path in headers_of[source] for source in chosen):
            source = next((source for source, headers in headers_of.items() if path in headers),
                          None)
            if source is not None:
                chosen[source] = None
    return list(chosen)


def run_one(tool, root, commands, path):
    """What clang-tidy says of one source; empty if it is clean. `commands` is a folder."""
    command = [tool, "-p", str(commands), "--quiet", "--extra-arg=-w", str(path)]
    if path.suffix == ".c":  # the C++ Core Guidelines are not C's
        command.insert(-1, "--checks=-cppcoreguidelines-*")
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=root)
    return "" if done.returncode == 0 else (done.stdout or done.stderr).replace(f"{root}/", "")


def main(arguments):
    if len(arguments) not in (4, 5) or not all(word.isdigit() for word in arguments[4:]):
        print(__doc__, file=sys.stderr)
        return 2
    root, build = (pathlib.Path(argument).resolve() for argument in arguments[1:3])
    tool = arguments[3]
    cache = build / "tidy-cache"
    cache.mkdir(exist_ok=True)
    entries = sources(root, build)
    (cache / "compile_commands.json").write_text(json.dumps(list(entries.values())),
                                                 encoding="utf-8")
    includes = Includes(root)
    headers_of = {path: includes.of(path) for path in entries}
    newest = newest_first(root) if len(arguments) == 5 else []
    wanted = choose(int(arguments[4]), newest, headers_of) if newest else list(entries)
    every = keys(root, tool, entries, headers_of)
    stale = [path for path in wanted if not (cache / every[path]).exists()]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        outcomes = pool.map(lambda path: run_one(tool, root, cache, path), stale)
        for path, complaints in zip(stale, outcomes):
            if complaints:
                bad += 1
                print(complaints, flush=True)
            else:
                (cache / every[path]).touch()
    print(f"tidy: {len(wanted)} of {len(entries)} sources, {len(stale)} checked now, "
          f"{bad} with complaints")
    return 1 if bad or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

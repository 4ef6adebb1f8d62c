# SPDX-License-Identifier: Apache-2.0
"""The files of the source tree, for the checks that read all of them."""

import os
import pathlib

SKIPPED_FOLDERS = {"build", "__pycache__", "node_modules"}
CPP_SUFFIXES = {".h", ".c", ".cpp", ".inc"}


def files(root):
    """Yields every file under `root` as a path relative to it, sorted: no build output, nothing
    hidden but .ci and the dot files of the root."""
    root = pathlib.Path(root)
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders
                      if f not in SKIPPED_FOLDERS and (not f.startswith(".") or f == ".ci")]
        here = pathlib.Path(folder).relative_to(root)
        found += [here / name for name in names if (here / name).as_posix() != ".git"]
    return sorted(found)


def cpp_files(root):
    """Yields the C and C++ files under `root`, relative to it."""
    return [path for path in files(root) if path.suffix in CPP_SUFFIXES]


def first_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.readline()


def is_script(root, path, interpreter):
    """True if the file's first line starts `interpreter`, as in "#!/usr/bin/env bash"."""
    line = first_line(pathlib.Path(root) / path)
    return line.startswith("#!") and interpreter in line

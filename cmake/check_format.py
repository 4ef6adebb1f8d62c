#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if clang-format would change a C or C++ file. usage: check_format.py ROOT CLANG_FORMAT"""

import pathlib
import subprocess
import sys

import source_tree


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[1])
    paths = [str(root / path) for path in source_tree.cpp_files(root) if path.suffix != ".inc"]
    code = subprocess.run([arguments[2], "--dry-run", "-Werror", *paths], check=False).returncode
    print(f"format: {len(paths)} files")
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

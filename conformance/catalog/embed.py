#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Turns text files into a C++ source that holds them, so that the program finds them wherever it
is installed.

usage: embed.py OUTPUT.cpp NAME=FILE ...
"""

import sys

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Made by conformance/catalog/embed.py.
#include "conformance/catalog/text_file.h"

namespace concord::conformance {

std::span<const TextFile> text_files() {
  static constexpr TextFile kFiles[] = {
"""
TAIL = """  };
  return kFiles;
}

}  // namespace concord::conformance
"""
MARK = "concord"


def main(arguments):
    if len(arguments) < 3 or any("=" not in a for a in arguments[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    with open(arguments[1], "w", encoding="utf-8") as output:
        output.write(HEAD)
        for argument in arguments[2:]:
            name, path = argument.split("=", 1)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if f"){MARK}\"" in text:
                print(f"{path}: holds the end mark of a raw string", file=sys.stderr)
                return 1
            output.write(f'      {{"{name}", R"{MARK}({text}){MARK}"}},\n')
        output.write(TAIL)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

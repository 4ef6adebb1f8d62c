#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a C snippet of a manual page is not in the sources, line by line.

usage: check_snippets.py PAGE SOURCE...
"""

import pathlib
import re
import sys

SNIPPET = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def missing(page, sources):
    """The first lines of the page's snippets that no source has."""
    snippets = SNIPPET.findall(page)
    return [snippet.splitlines()[0] for snippet in snippets
            if not any(snippet in source for source in sources)], len(snippets)


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    page, *sources = [pathlib.Path(path).read_text(encoding="utf-8") for path in arguments[1:]]
    wrong, count = missing(page, sources)
    for line in wrong:
        print(f"{arguments[1]}: not in the sources: {line}")
    if count == 0:
        print(f"{arguments[1]}: no snippets")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))

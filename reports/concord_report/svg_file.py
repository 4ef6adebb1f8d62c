# SPDX-License-Identifier: Apache-2.0
"""What the pictures that are files of their own share. Those of a page are in plot.py."""

import argparse
import html

from concord_report import command


def text(x, y, said, **style):
    attributes = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in style.items())
    return f'<text x="{x:.0f}" y="{y:.0f}"{attributes}>{html.escape(said)}</text>'


def whole(width, height, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def program(name, about, written_by, render):
    """A program that draws one file. about: its docstring; render(path): the picture."""
    parser = argparse.ArgumentParser(prog=name, description=about.partition(":")[0] + ".")
    parser.add_argument("file", metavar="FILE.json", help=f"what {written_by} wrote")
    parser.add_argument("-o", "--output", default="-", metavar="FILE.svg",
                        help="default: standard output")
    arguments = parser.parse_args()
    command.write(arguments.output, render(arguments.file))
    return 0

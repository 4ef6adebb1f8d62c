# SPDX-License-Identifier: Apache-2.0
"""Writes a problems file of the convolutions in a model, log or trace: python3 import.py net.onnx --out problems.txt"""

import argparse
import re
import sys

from concord_import import files
from concord_report import command, text
from concord_report.results import Refusal

EPILOG = """Formats: onnx, an ONNX model; onednn, what oneDNN prints with ONEDNN_VERBOSE=1; benchdnn, problems for
oneDNN's test driver; pytorch, a Chrome trace of torch.profiler with record_shapes=True. What is not imported is counted,
with each reason, on standard error and in the file. Exit codes: 0 every convolution is imported, 1 some are not, 2 none
is, or the file cannot be read. docs/import.md explains the formats."""


def _extents(word):
    """NAME=1x3x224x224 or, of the only input, 1x3x224x224."""
    name, _, dims = word.rpartition("=")
    if not re.fullmatch(r"[0-9]{1,18}(x[0-9]{1,18})*", dims):
        raise argparse.ArgumentTypeError(f"{word!r} is not of the form NAME=1x3x224x224")
    return name, [int(extent) for extent in dims.split("x")]


def _counted(number, what):
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _file_text(path, kind, collection, remarks):
    """What `concord run --problems` reads."""
    head = [f"# Imported by concord import of {text.visible(path)}, {files.TITLES[kind]}.", *(f"# {each}" for each in remarks)]
    return "\n".join([*head, *collection.problems()]) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="concord import", description=__doc__.partition(":")[0] + ".", epilog=EPILOG)
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("-o", "--out", default="-", metavar="PROBLEMS", help="default: standard output")
    parser.add_argument("--format", choices=files.TITLES, help="default: by what the file holds")
    parser.add_argument("--batch", type=command.positive, metavar="N", help="ONNX: the first extent of inputs where it is unknown")
    parser.add_argument("--input", type=_extents, action="append", default=[], metavar="[NAME=]1x3x224x224",
                        help="ONNX: all extents of an input (repeatable)")
    arguments = parser.parse_args()
    kind, collection = files.collect(arguments.file, arguments.format, arguments.batch, dict(arguments.input))
    remarks = list(collection.remarks())
    for each in remarks:
        print(f"concord: {text.visible(arguments.file)}: {each}", file=sys.stderr)
    if not collection.imported:
        raise Refusal(f"{arguments.file}: {files.TITLES[kind]}: no convolution that can be imported"
                      + (f"; {collection.left} cannot" if collection.left else ""))
    command.write(arguments.out, _file_text(arguments.file, kind, collection, remarks))
    print(f"concord: {text.visible(arguments.file)}: {_counted(collection.imported, 'convolution')} imported as "
          f"{_counted(collection.distinct, 'distinct problem')}, {collection.left} not imported", file=sys.stderr)
    return 1 if collection.left else 0


if __name__ == "__main__":
    sys.exit(command.run(main))

# SPDX-License-Identifier: Apache-2.0
"""Draws a file of concord_bench as bars against the roofline: python3 bench.py bench.json -o bench.svg"""

import argparse
import json
import pathlib
import sys

from concord_report import command, results, roofline


def main():
    parser = argparse.ArgumentParser(prog="bench.py", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("file", metavar="BENCH.json", help="what concord_bench --out wrote")
    parser.add_argument("-o", "--output", default="-", metavar="FILE.svg",
                        help="default: standard output")
    arguments = parser.parse_args()
    try:
        document = json.loads(pathlib.Path(arguments.file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise results.Refusal(f"{arguments.file}: {error}") from error
    command.write(arguments.output, roofline.render(document))
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))

# SPDX-License-Identifier: Apache-2.0
"""Draws a file of concord_bench as bars against the roofline: python3 bench.py bench.json -o bench.svg"""

import argparse
import sys

from concord_report import bench_files, command, roofline


def main():
    parser = argparse.ArgumentParser(prog="bench.py", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("file", metavar="BENCH.json", help="what concord_bench --out wrote")
    parser.add_argument("-o", "--output", default="-", metavar="FILE.svg",
                        help="default: standard output")
    arguments = parser.parse_args()
    command.write(arguments.output, roofline.render(bench_files.read(arguments.file)))
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))

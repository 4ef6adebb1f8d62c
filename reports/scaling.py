# SPDX-License-Identifier: Apache-2.0
"""Draws what concord_bench --scaling wrote, speedup by threads: python3 scaling.py scaling.json -o scaling.svg"""

import argparse
import sys

from concord_report import command, scaling_plot


def main():
    parser = argparse.ArgumentParser(prog="scaling.py", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("file", metavar="SCALING.json", help="what concord_bench --scaling --out wrote")
    parser.add_argument("-o", "--output", default="-", metavar="FILE.svg",
                        help="default: standard output")
    arguments = parser.parse_args()
    command.write(arguments.output, scaling_plot.render(scaling_plot.read(arguments.file)))
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))

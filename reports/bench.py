# SPDX-License-Identifier: Apache-2.0
"""Draws a file of concord_bench as bars against the roofline: python3 bench.py bench.json -o bench.svg"""

import sys

from concord_report import bench_files, command, roofline, svg_file


def main():
    return svg_file.program("bench.py", __doc__, "concord_bench --out",
                            lambda path: roofline.render(bench_files.read(path)))


if __name__ == "__main__":
    sys.exit(command.run(main))

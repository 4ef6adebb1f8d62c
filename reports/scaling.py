# SPDX-License-Identifier: Apache-2.0
"""Draws what concord_bench --scaling wrote, speedup by threads: python3 scaling.py scaling.json -o scaling.svg"""

import sys

from concord_report import command, scaling_plot, svg_file


def main():
    return svg_file.program("scaling.py", __doc__, "concord_bench --scaling --out",
                            lambda path: scaling_plot.render(scaling_plot.read(path)))


if __name__ == "__main__":
    sys.exit(command.run(main))

# SPDX-License-Identifier: Apache-2.0
"""Files of concord_bench as tables in Markdown: python3 bench_table.py nxc.json ncx.json"""

import argparse
import sys

from concord_report import bench_files, bench_table, command


def main():
    parser = argparse.ArgumentParser(prog="bench_table.py", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("files", metavar="BENCH.json", nargs="+", help="what concord_bench --out wrote")
    parser.add_argument("-o", "--output", default="-", metavar="FILE.md", help="default: standard output")
    arguments = parser.parse_args()
    command.write(arguments.output, bench_table.render([bench_files.read(path) for path in arguments.files]))
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))

# SPDX-License-Identifier: Apache-2.0
"""Makes one results.json of the shards of a run: python3 merge.py 1.json 2.json -o all.json"""

import argparse
import sys

from concord_report import command, merge, results


def main():
    parser = argparse.ArgumentParser(prog="concord merge", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("files", nargs="+", metavar="SHARD.json")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    arguments = parser.parse_args()
    document = merge.merged([results.load(path) for path in arguments.files],
                            ["concord", "merge", *sys.argv[1:]])
    command.write(arguments.output, results.printed(document))
    return 0


if __name__ == "__main__":
    sys.exit(command.run(main))

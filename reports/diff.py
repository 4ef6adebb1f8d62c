# SPDX-License-Identifier: Apache-2.0
"""Compares two results.json files case by case. Exit code 0: nothing is worse; 1: something is."""

import argparse
import sys

from concord_report import command, diff, diff_text, results


def main():
    parser = argparse.ArgumentParser(prog="concord diff", description=__doc__)
    parser.add_argument("old", metavar="OLD.json")
    parser.add_argument("new", metavar="NEW.json")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    parser.add_argument("--format", choices=("text", "md"), default="text")
    parser.add_argument("--most", type=command.positive, default=20, metavar="N",
                        help="entries per list; omitted entries are counted (default: 20)")
    parser.add_argument("--allow-missing", action="store_true",
                        help="a case that passed may be missing from NEW.json")
    arguments = parser.parse_args()
    comparison = diff.compare(results.load(arguments.old), results.load(arguments.new))
    style = diff_text.Markdown if arguments.format == "md" else diff_text.Plain
    command.write(arguments.output, diff_text.render(comparison, arguments.most, style))
    return 1 if comparison.worse(arguments.allow_missing) else 0


if __name__ == "__main__":
    sys.exit(command.run(main))

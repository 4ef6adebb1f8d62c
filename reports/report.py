# SPDX-License-Identifier: Apache-2.0
"""Makes a report of one or more results.json files: python3 report.py a.json b.json -o report.html"""

import argparse
import sys

from concord_report import command, history, known, markdown, page, report, results


def _write_history(parser, arguments):
    if arguments.known_failures or arguments.format == "md":
        parser.error("--history is a page of its own: neither --known-failures nor --format md go with it")
    histories = history.of([results.load(path) for path in arguments.files])
    command.write(arguments.output, page.render_history(histories, arguments.most))
    return 0


def main():
    parser = argparse.ArgumentParser(prog="concord report", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("files", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    parser.add_argument("--format", choices=("html", "md"),
                        help="default: by FILE's extension, else html")
    parser.add_argument("--most", type=command.positive, default=10, metavar="N",
                        help="entries listed in full (default: 10); further failures on a "
                             "page follow in brief; omitted entries are counted")
    parser.add_argument("--known-failures", metavar="LIST.toml",
                        help="failures that are accepted, each with a reason and a last day; the exit code is "
                             "then 1 if anything else fails, and 2 if a backend has no verdict")
    parser.add_argument("--history", action="store_true",
                        help="the files are releases of the same backends, the oldest first: regressions of the "
                             "newest, then the trend")
    arguments = parser.parse_args()
    if arguments.history:
        return _write_history(parser, arguments)
    entries = known.read(arguments.known_failures) if arguments.known_failures else None
    made = report.Report.of([results.load(path) for path in arguments.files], arguments.most, entries)
    markdown_wanted = (arguments.format or arguments.output.rpartition(".")[2]) == "md"
    command.write(arguments.output, markdown.render(made) if markdown_wanted else page.render(made))
    return 0 if entries is None else known.exit_code(made)


if __name__ == "__main__":
    sys.exit(command.run(main))

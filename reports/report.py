# SPDX-License-Identifier: Apache-2.0
"""Makes a report of one or more results.json files: python3 report.py a.json b.json -o report.html"""

import argparse
import sys

from concord_report import (bench_files, command, csv_table, history, known, markdown, page, report, results, sarif,
                            speed, text)

FORMATS = ("html", "md", "csv", "sarif")


def _write_history(parser, arguments):
    if arguments.known_failures or arguments.format not in (None, "html"):
        parser.error(f"--history is a page of its own: neither --known-failures nor --format "
                     f"{arguments.format or 'md'} go with it")
    if arguments.speed and len(arguments.speed) != len(arguments.files):
        parser.error("--speed: one for each file of the history, in the same order; - where it was not measured")
    benches = [None if path == "-" else bench_files.read(path) for path in arguments.speed]
    histories = history.of([results.load(path) for path in arguments.files], benches)
    command.write(arguments.output, page.render_history(histories, arguments.most))
    return 0


def _rendered(made, arguments, parser):
    extension = arguments.output.rpartition(".")[2]
    wanted = arguments.format or (extension if extension in FORMATS else "html")
    if arguments.source is not None and wanted != "sarif":
        parser.error(f"--source: only SARIF has places in files, not {wanted}")
    if wanted == "sarif":
        return sarif.render(made, arguments.source)
    return {"html": page, "md": markdown, "csv": csv_table}[wanted].render(made)


def main():
    parser = argparse.ArgumentParser(prog="concord report", description=__doc__.partition(":")[0] + ".")
    parser.add_argument("files", nargs="+", metavar="RESULTS.json")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    parser.add_argument("--format", choices=FORMATS,
                        help="a page; Markdown for a pull request; a row for each case; the failures for code "
                             "scanning. Default: by FILE's extension, else html")
    parser.add_argument("--source", metavar="FILE",
                        help="with sarif: the file of your repository that failures are shown at "
                             "(default: the plugin)")
    parser.add_argument("--most", type=command.positive, default=10, metavar="N",
                        help="entries listed in full (default: 10); further failures on a "
                             "page follow in brief; omitted entries are counted")
    parser.add_argument("--known-failures", metavar="LIST.toml",
                        help="failures that are accepted, each with a reason and a last day: which of them "
                             "occurred is said on standard error; the exit code is then 1 if anything else "
                             "fails, and 2 if a backend has no verdict")
    parser.add_argument("--history", action="store_true",
                        help="the files are releases of the same backends, the oldest first: regressions of the "
                             "newest, then the trend")
    parser.add_argument("--speed", metavar="BENCH.json", action="append", default=[],
                        help="what concord_bench --out wrote: the page's first rows have a column for the speed; "
                             "with --history once for each file, - where it was not measured, and a line shows "
                             "how the speed went")
    arguments = parser.parse_args()
    if arguments.history:
        return _write_history(parser, arguments)
    if len(arguments.speed) > 1:
        parser.error("--speed: several go only with --history")
    entries = known.read(arguments.known_failures) if arguments.known_failures else None
    made = report.Report.of([results.load(path) for path in arguments.files], arguments.most, entries)
    if arguments.speed:
        made.speed = speed.said_of(bench_files.read(arguments.speed[0]))
    command.write(arguments.output, _rendered(made, arguments, parser))
    if entries is None:
        return 0
    for line in known.lines(made.known):
        print(text.visible(line), file=sys.stderr)
    return known.exit_code(made)


if __name__ == "__main__":
    sys.exit(command.run(main))

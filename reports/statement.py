# SPDX-License-Identifier: Apache-2.0
"""Makes a conformance statement of a results file, or checks one: python3 statement.py results.json --out statement.toml"""

import argparse
import sys

from concord_report import command, known, results, statement, statement_check, text


def _verify(arguments, file, entries):
    """Prints what agrees and what does not."""
    outcome = statement_check.check(arguments.verify, file, arguments.plugin, entries)
    for sentence in outcome.wrong + outcome.right:
        print(text.visible(sentence))
    return 1 if outcome.wrong else 0


def _write(arguments, file, entries):
    backend = statement.choose(file, arguments.backend)
    command.write(arguments.out, statement.render(file, backend, entries or []))
    if entries is None:
        return 0
    return 1 if not statement.compare(backend, entries).all_known else 2 if backend.conforms == "unknown" else 0


def main():
    parser = argparse.ArgumentParser(
        prog="concord statement", description=__doc__.partition(":")[0] + ".",
        epilog="Exit codes: 0 written, or the statement agrees; 1 it does not agree, or a failure is not in the list of "
               "--known-failures; 2 wrong arguments or files.")
    parser.add_argument("results", metavar="RESULTS.json")
    parser.add_argument("-o", "--out", default="-", metavar="FILE", help="default: standard output")
    parser.add_argument("--backend", metavar="NAME", help="of which backend, if the results have several")
    parser.add_argument("--known-failures", metavar="LIST.toml",
                        help="failures that are known, each with a reason and a last day; with --verify: the statement must "
                             "have exactly these")
    parser.add_argument("--verify", metavar="STATEMENT",
                        help="make the statement again from the results, and name every line that differs")
    parser.add_argument("--plugin", action="append", default=[], metavar="FILE",
                        help="with --verify: its SHA-256 must be that of a file that was judged (repeatable)")
    arguments = parser.parse_args()
    if arguments.verify is None and arguments.plugin:
        parser.error("--plugin: only --verify compares a plugin")
    if arguments.verify is not None and (arguments.out != "-" or arguments.backend is not None):
        parser.error("--verify takes neither --out nor --backend: it writes nothing, and the statement names its backend")
    entries = known.read(arguments.known_failures) if arguments.known_failures else None
    file = results.load(arguments.results)
    return (_write if arguments.verify is None else _verify)(arguments, file, entries)


if __name__ == "__main__":
    sys.exit(command.run(main))

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Concord says of its own backends, by dtype: the table of docs/shipped.md, from the counts that docs/shipped.json keeps.

usage: shipped.py add RESULTS.json...   keeps the counts of each backend of these results: of a suite or of a shard of it, all
                                        operations, some dtypes or all
       shipped.py page                  writes the table into docs/shipped.md
       shipped.py check                 exits with 1 unless the table is what `page` would write, and adds up
"""

import collections
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
KEPT, PAGE = HERE / "shipped.json", HERE / "shipped.md"
sys.path[:0] = [str(HERE), str(HERE.parent / "reports")]
import kept_page  # noqa: E402  pylint: disable=wrong-import-position
from concord_report.service import DTYPES  # noqa: E402  pylint: disable=wrong-import-position

BEGIN, END = "<!-- begin of docs/shipped.py -->\n", "<!-- end of docs/shipped.py -->\n"
BACKENDS = ("reference", "optimized", "eigen", "template", "onednn", "xnnpack")
# The runs that are kept, and the parts of full, the larger one first: a backend's row has the largest that it was run on.
PARTS_OF_FULL = {"full": "all", "full 1/40": "1/40"}
SUITES = ("smoke", *PARTS_OF_FULL)
COLUMNS = ("passed", "failed", "vacuous", "declined")
COLUMN_OF = {"PASS": "passed", "VACUOUS": "vacuous", "DECLINED": "declined",
             "FAIL": "failed", "CLAIM_BROKEN": "failed", "CRASH": "failed", "HANG": "failed"}


def counted(results):
    """The counts of a backend's results, by dtype. A verdict that says nothing of the backend raises KeyError."""
    counts = collections.defaultdict(lambda: dict.fromkeys(COLUMNS, 0))
    for result in results:
        counts[result["dtype"]][COLUMN_OF[result["verdict"]]] += 1
    return {dtype: counts[dtype] for dtype in DTYPES if dtype in counts}


def add(path, kept):
    from concord_report import results  # pylint: disable=import-outside-toplevel
    file = results.load(path)
    run = file.run
    name = run["suite"] if run["shard"] == "1/1" else f"{run['suite']} {run['shard']}"
    if name not in SUITES or not run["complete"] or run["filter"] or run["operations"]:
        raise SystemExit(f"{path}: not a whole run of {', '.join(SUITES)}")
    suite = kept.setdefault(name, {})
    for backend in file.document["backends"]:
        suite.setdefault(backend["backend"], {}).update(counted(backend["results"]))


def row(kept, backend, dtype):
    """A line of the table; of a suite that was not run, empty cells."""
    def counts_of(suite):
        return kept.get(suite, {}).get(backend, {}).get(dtype)

    def cells(counts):
        return [f"{counts[column]:,}" if counts else "" for column in COLUMNS]

    part = next((suite for suite in PARTS_OF_FULL if counts_of(suite)), None)
    values = cells(counts_of("smoke")) + [PARTS_OF_FULL.get(part, "")] + cells(counts_of(part))
    return f"| {backend} | {dtype} | {' | '.join(values)} |"


def table(kept):
    heads = [f"smoke: {COLUMNS[0]}", *COLUMNS[1:], "of full", *COLUMNS]
    lines = [f"| backend | dtype | {' | '.join(heads)} |", "|---" * (2 + len(heads)) + "|"]
    return "\n".join(lines + [row(kept, backend, dtype) for backend in BACKENDS for dtype in DTYPES]) + "\n"


def page(kept, text):
    """The page with the table as it has to be."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + table(kept) + END + rest.split(END)[1]


def complaints(kept, text):
    """What is wrong with the kept counts and with the page."""
    for name, suite in kept.items():
        totals = {backend: {dtype: sum(counts.values()) for dtype, counts in dtypes.items()}
                  for backend, dtypes in suite.items()}
        if len({tuple(sorted(each.items())) for each in totals.values()}) > 1:
            yield f"{name}: backends differ in how many cases a dtype has: {totals}"
        cases = sum(next(iter(totals.values())).values())
        if f"{cases:,}" not in text:
            yield f"{name}: the counts add up to {cases:,}, which docs/shipped.md does not mention"
    if page(kept, text) != text:
        yield "docs/shipped.md is not what docs/shipped.py page writes"


def read():
    """The kept counts."""
    return json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}


def add_all(paths):
    kept = read()
    for path in paths:
        add(path, kept)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def text_of_page():
    return PAGE.read_text(encoding="utf-8")


def main(arguments):
    return kept_page.main(arguments, __doc__, add_all, lambda: PAGE.write_text(page(read(), text_of_page()), encoding="utf-8"),
                          lambda: complaints(read(), text_of_page()))


if __name__ == "__main__":
    sys.exit(main(sys.argv))

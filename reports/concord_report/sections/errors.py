# SPDX-License-Identifier: Apache-2.0
"""Errors against their bounds: how many cases came how close, and what grows with the length of a sum."""

import bisect
import dataclasses
import math

from concord_report import length_plot, service, verdict

NAME = "errors"
TITLE = "Errors against their bounds"

# Upper ends of error / bound; 0 is a row of its own, and what is beyond the last is the row after it.
ENDS = (0, .01, .1, .5, 1, 2, 10, 1000)
# Passed at exactly 1: such a quotient says nothing of how large the error is.
NEAREST = "1: only the nearest value was allowed, and it was computed"
NO_MARGIN = "no quotient: special values, shapes, refusals, crashes"


@dataclasses.dataclass
class Row:
    words: str
    beyond: bool  # the cases of this row have errors beyond their bound
    passed: list  # how many cases passed, of each backend
    broken: list  # how many failed


def build(report):
    """rows: a Row for each range; columns: the backends with judged cases; plots: [(dtype, SVG)]"""
    columns = [backend for backend in report.backends if report.tallies[backend.label].judged]
    if not columns:
        return None
    rows = [Row(words, beyond, [0] * len(columns), [0] * len(columns)) for words, beyond in _ranges()]
    for column, backend in enumerate(columns):
        for (word, margin), cases in backend.results.counted("verdict", "margin").items():
            if word in verdict.JUDGED:
                passed = word == verdict.PASS
                row = rows[_place(margin, passed)]
                (row.passed if passed else row.broken)[column] += cases
    most = [max(row.passed[column] + row.broken[column] for row in rows) for column in range(len(columns))]
    return {"columns": columns, "rows": rows, "most": most, "plots": _plots(columns)}


def _ranges():
    """(what a row holds, whether that is beyond the bound), in order"""
    yield "0: exact", False
    for low, high in zip(ENDS, ENDS[1:]):
        if low == 1:
            yield NEAREST, False
        yield f"to {high:,}" if low == 0 else f"{low:,} to {high:,}", low >= 1
    yield f"beyond {ENDS[-1]:,}, or not finite", True
    yield NO_MARGIN, False


def _place(margin, passed):
    """The number of the row. The row NEAREST, which has no end of its own, moves those behind it by one."""
    if margin is None:
        return len(ENDS) + 2
    if math.isnan(margin):
        return len(ENDS) + 1
    place = bisect.bisect_left(ENDS, margin)
    return place + (margin > 1 or (margin == 1 and passed))


def _plots(backends):
    """A plot for each dtype whose errors were judged together at two lengths of sums at least."""
    series = {}
    for backend in backends:
        for pool in backend.data["statistics"]:
            if not pool["all_lengths"]:
                lines = series.setdefault(pool["dtype"], {})
                lines.setdefault((backend.label, pool["class"]), []).append(pool)
    found = []
    for dtype, lines in sorted(series.items(), key=lambda entry: service.order(("", entry[0]))):
        if max(map(len, lines.values())) > 1:
            found.append((dtype, length_plot.render(dtype, [
                (label, arithmetic, pools) for (label, arithmetic), pools in lines.items()])))
    return found

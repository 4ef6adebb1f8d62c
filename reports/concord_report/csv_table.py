# SPDX-License-Identifier: Apache-2.0
"""All results as CSV (RFC 4180): a row for each case and backend."""

import csv
import io
import itertools

from concord_report import text

OF_A_RESULT = ("case", "problem", "operation", "dtype", "fill", "seed", "traits", "verdict", "tier",
               "reason", "class", "lowered", "implementation", "elements", "wrong", "margin", "resolution")
OF_A_FAILURE = ("element", "got", "want", "accepted")
COLUMNS = ("backend", "version", *OF_A_RESULT, *OF_A_FAILURE, "milliseconds", "replay")


def render(report):
    file = io.StringIO(newline="")
    table = csv.writer(file)
    table.writerow(COLUMNS)
    for backend in report.backends:
        for result in backend.results:
            table.writerow(_row(backend, result))
    return file.getvalue()


def _row(backend, result):
    failure = result["failure"] or {}
    values = itertools.chain(
        (backend.label, backend.data["version"]), (result[field] for field in OF_A_RESULT),
        (failure.get(field) for field in OF_A_FAILURE), (result["milliseconds"], result["replay"]))
    return [_cell(value) for value in values]


def _cell(value):
    """A number as Python reads it back, lists in one cell; foreign text that no spreadsheet takes for
    a formula."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return " ".join(_cell(each) for each in value)
    if isinstance(value, (int, float)):
        return repr(value)
    if value in ("nan", "inf", "-inf"):
        return value
    shown = text.visible(value)
    return "'" + shown if shown.startswith(("=", "+", "-", "@")) else shown

# SPDX-License-Identifier: Apache-2.0
"""Verdicts by operation, dtype, data, tier of the catalog and trait, a backend a column."""

from concord_report import verdict

NAME = "matrix"
TITLE = "Verdicts by kind of case"

DIMENSIONS = (
    ("Operation", lambda r: [r["operation"]]),
    ("Dtype", lambda r: [r["dtype"]]),
    ("Data", lambda r: [r["fill"]]),
    ("Trait", lambda r: r["traits"]),
    ("Family", lambda r: [r["case"].split("/")[0]]),
)
ALL = "All cases"
MOST_ROWS = 40  # of a dimension that is not folded


def build(report):
    """groups: [(dimension, [(value, [Tally of each backend])])]; the first is all cases. Long ones
    are folded.
    """
    groups = [(ALL, [("everything", [report.tallies[b.label] for b in report.backends])])]
    for name, values_of in DIMENSIONS:
        rows = {}
        for column, backend in enumerate(report.backends):
            for result in backend.results:
                for value in values_of(result):
                    if value not in rows:
                        rows[value] = [verdict.Tally() for _ in report.backends]
                    rows[value][column].add(result["verdict"])
        if rows:
            groups.append((name, sorted(rows.items())))
    return {"groups": [group for group in groups if len(group[1]) <= MOST_ROWS],
            "folded": [group for group in groups if len(group[1]) > MOST_ROWS]}

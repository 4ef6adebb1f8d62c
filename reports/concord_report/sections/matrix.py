# SPDX-License-Identifier: Apache-2.0
"""Verdicts by operation, dtype, data, tier of the catalog and trait, a backend a column."""

import collections

from concord_report import verdict

NAME = "matrix"
TITLE = "Verdicts by kind of case"

DIMENSIONS = (
    ("Operation", lambda r: r.counted("operation", "verdict")),
    ("Dtype", lambda r: r.counted("dtype", "verdict")),
    ("Data", lambda r: r.counted("fill", "verdict")),
    ("Trait", lambda r: _by_trait(r.counted("traits", "verdict"))),
    ("Family", lambda r: collections.Counter(zip(map(_family, r.column("case")), r.column("verdict")))),
)
ALL = "All cases"
MOST_ROWS = 40  # of a dimension that is not folded


def _family(case):
    return case.split("/", 1)[0]


def _by_trait(counted):
    by_trait = collections.Counter()
    for (traits, word), cases in counted.items():
        for trait in traits:
            by_trait[trait, word] += cases
    return by_trait


def build(report):
    """groups: [(dimension, [(value, [Tally of each backend])])]; the first is all cases. Long ones
    are folded.
    """
    groups = [(ALL, [("everything", [report.tallies[b.label] for b in report.backends])])]
    for name, counted in DIMENSIONS:
        rows = {}
        for column, backend in enumerate(report.backends):
            for (value, word), cases in counted(backend.results).items():
                if value not in rows:
                    rows[value] = [verdict.Tally() for _ in report.backends]
                rows[value][column].add(word, cases)
        if rows:
            groups.append((name, sorted(rows.items())))
    return {"groups": [group for group in groups if len(group[1]) <= MOST_ROWS],
            "folded": [group for group in groups if len(group[1]) > MOST_ROWS]}

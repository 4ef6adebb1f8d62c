# SPDX-License-Identifier: Apache-2.0
"""What each backend declined, by the reason that it gave."""

import collections

from concord_report import text, verdict

NAME = "declined"
TITLE = "Declined"


def build(report):
    """backends: [(backend, declined cases, number of reasons, [(reason, count, an example)])]"""
    backends = []
    for backend in report.backends:
        reasons = collections.defaultdict(list)
        for result in backend.results.those(verdict={verdict.DECLINED}):
            reasons[result["reason"] or "(no reason given)"].append(result)
        if reasons:
            rows = sorted(((reason, len(cases), min(cases, key=text.size_of))
                           for reason, cases in reasons.items()), key=lambda row: (-row[1], row[0]))
            backends.append((backend, sum(row[1] for row in rows), len(rows), rows[:report.most]))
    return {"backends": backends} if backends else None

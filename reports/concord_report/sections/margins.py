# SPDX-License-Identifier: Apache-2.0
"""The margins of passing cases: 0 is exact, 1 is the largest allowed error."""

import collections
import dataclasses
import statistics

from concord_report import verdict

NAME = "margins"
TITLE = "Margins"

BINS = 20  # of the histogram over [0, 1]


@dataclasses.dataclass
class Row:
    backend: object
    dtype: str
    tier: str
    cases: int
    median: float
    worst: dict  # the result with the largest margin
    bins: list  # how many cases have a margin in each twentieth of [0, 1]


def build(report):
    """rows: one a backend, dtype and tier with passing cases that have a margin, exact tier apart."""
    rows = []
    for backend in report.backends:
        groups = collections.defaultdict(list)
        columns = [backend.results.column(f) for f in ("verdict", "margin", "tier", "dtype")]
        for place, (word, margin, tier, dtype) in enumerate(zip(*columns)):
            if word == verdict.PASS and margin is not None and tier != "exact":
                groups[dtype, tier or "no"].append((margin, place))
        for (dtype, tier), cases in sorted(groups.items()):
            margins = [margin for margin, _ in cases]
            bins = [0] * BINS
            for margin in margins:
                bins[max(0, min(BINS - 1, int(min(margin, 1.0) * BINS)))] += 1
            worst = backend.results[max(cases, key=lambda case: case[0])[1]]
            rows.append(Row(backend, dtype, tier, len(cases), statistics.median(margins), worst,
                            bins))
    rows.sort(key=lambda row: (row.dtype, row.tier))  # stable: backends keep their order
    return {"rows": rows} if rows else None

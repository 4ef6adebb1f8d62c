# SPDX-License-Identifier: Apache-2.0
"""Effective bits: how many bits of a result are right, by the scale of its sum."""

import dataclasses

NAME = "bits"
TITLE = "Effective bits"


@dataclasses.dataclass
class Row:
    backend: object
    pool: dict  # of all lengths together
    by_length: list  # one pool a column, or None


def build(report):
    """lengths: the longest sums of each column, 1, 2, 4, 8, ...; rows: one a backend, dtype, class."""
    lengths = sorted({_column(pool) for backend in report.backends
                      for pool in backend.data["statistics"] if not pool["all_lengths"]})
    rows = []
    for backend in report.backends:
        for whole in backend.data["statistics"]:
            if not whole["all_lengths"]:
                continue
            parts = {_column(pool): pool for pool in backend.data["statistics"]
                     if not pool["all_lengths"] and pool["dtype"] == whole["dtype"]
                     and pool["class"] == whole["class"]}
            rows.append(Row(backend, whole, [parts.get(length) for length in lengths]))
    rows.sort(key=lambda row: row.pool["dtype"])  # stable: backends keep their order
    return {"lengths": lengths, "rows": rows} if rows else None


def _column(pool):
    return 1 << (max(pool["products"][1], 1) - 1).bit_length()

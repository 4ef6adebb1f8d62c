# SPDX-License-Identifier: Apache-2.0
"""What became of each operation in each dtype, a table for each backend: passed, failed, declined, not asked."""

import collections

from concord_report import service, verdict

NAME = "operations"
TITLE = "Operations and dtypes"


def build(report):
    """dtypes, operations: those of any backend; backends: [(backend, {(operation, dtype): Tally})]"""
    backends = [(backend, _tallies(backend.results)) for backend in report.backends]
    pairs = {pair for _, tallies in backends for pair in tallies}
    if not pairs:
        return None
    in_order = [service.order(pair) + [*pair] for pair in pairs]
    operations = [key[2] for key in sorted(in_order, key=lambda key: (key[0], key[2]))]
    dtypes = [key[3] for key in sorted(in_order, key=lambda key: (key[1], key[3]))]
    return {"operations": list(dict.fromkeys(operations)), "dtypes": list(dict.fromkeys(dtypes)),
            "backends": [entry for entry in backends if entry[1]]}


def _tallies(results):
    tallies = collections.defaultdict(verdict.Tally)
    for (operation, dtype, word), cases in results.counted("operation", "dtype", "verdict").items():
        tallies[operation, dtype].add(word, cases)
    return dict(tallies)

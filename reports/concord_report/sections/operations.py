# SPDX-License-Identifier: Apache-2.0
"""What became of each operation in each dtype, and of each of its attributes' levels, a table for each backend:
passed, failed, declined, not asked.
"""

import collections

from concord_report import service, tallied, verdict

NAME = "operations"
TITLE = "Operations and dtypes"


def build(report):
    """dtypes, operations: those of any backend; backends: [(backend, {(operation, dtype): Tally},
    [(operation, [(level, {dtype: Tally})])])]
    """
    backends = [(backend, _tallies(backend), _levels(backend.results)) for backend in report.backends]
    pairs = {pair for _, tallies, _ in backends for pair in tallies}
    if not pairs:
        return None
    in_order = [service.order(pair) + [*pair] for pair in pairs]
    operations = [key[2] for key in sorted(in_order, key=lambda key: (key[0], key[2]))]
    dtypes = [key[3] for key in sorted(in_order, key=lambda key: (key[1], key[3]))]
    return {"operations": list(dict.fromkeys(operations)), "dtypes": list(dict.fromkeys(dtypes)),
            "backends": [entry for entry in backends if entry[1]]}


def _levels(results):
    """By operation and trait; a trait that all cases of an operation have says nothing, nor does any trait of an
    operation of which every case was declined.
    """
    tallies, cases, undeclined = {}, collections.Counter(), set()
    for (operation, dtype, traits, word), times in results.counted("operation", "dtype", "traits", "verdict").items():
        cases[operation] += times
        if word != verdict.DECLINED:
            undeclined.add(operation)
        for trait in traits:
            of_trait = tallies.setdefault(operation, {}).setdefault(trait, {})
            of_trait.setdefault(dtype, verdict.Tally()).add(word, times)
    return [(operation, sorted((trait, by_dtype) for trait, by_dtype in of_operation.items()
                               if sum(tally.total for tally in by_dtype.values()) < cases[operation]))
            for operation, of_operation in sorted(tallies.items()) if operation in undeclined]


def _tallies(backend):
    tallies = collections.defaultdict(verdict.Tally)
    counted = (backend.results.counted("operation", "dtype", "verdict")
               + tallied.by_pair(backend.data["tallied"]))
    for (operation, dtype, word), cases in counted.items():
        tallies[operation, dtype].add(word, cases)
    return dict(tallies)

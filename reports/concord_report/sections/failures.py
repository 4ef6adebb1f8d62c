# SPDX-License-Identifier: Apache-2.0
"""Failures of each backend, grouped by operation, tier and the trait that sets them apart."""

import collections
import dataclasses

from concord_report import text, verdict

NAME = "failures"
TITLE = "Failures"


@dataclasses.dataclass
class Group:
    operation: str
    tier: str
    trait: str  # of all traits of its cases, the one whose cases fail most often
    cases: list  # the simplest first
    judged: int  # judged cases of this operation with this trait, of any tier
    shown: list

    @property
    def size(self):
        return len(self.cases)

    @property
    def left_out(self):
        return len(self.cases) - len(self.shown)

    @property
    def worst_margin(self):
        margins = [r["margin"] for r in self.cases if r["margin"] is not None]
        return max(margins, default=None)


def build(report):
    """backends: [(backend, number of failures, [Group])], only of those that failed."""
    backends = []
    for backend in report.backends:
        failed = [r for r in backend.results if r["verdict"] == verdict.FAIL]
        if failed:
            backends.append((backend, len(failed), groups(backend.results, report.most)))
    return {"backends": backends} if backends else None


def groups(results, most):
    """Every failure is in exactly one group."""
    rates = _rates(results)
    members = collections.defaultdict(list)
    for result in text.simplest(r for r in results if r["verdict"] == verdict.FAIL):
        operation = result["operation"]
        trait = max(sorted(result["traits"]), default="no trait",
                    key=lambda name, op=operation: _telling(rates[op, name]))
        members[operation, result["tier"] or "no", trait].append(result)
    found = [Group(operation, tier, trait, cases,
                   rates[operation, trait].judged if (operation, trait) in rates else len(cases),
                   cases[:most])
             for (operation, tier, trait), cases in members.items()]
    return sorted(found, key=lambda g: (-len(g.cases), g.operation, g.tier, g.trait))


def _rates(results):
    rates = collections.defaultdict(verdict.Tally)
    for result in results:
        for trait in result["traits"]:
            rates[result["operation"], trait].add(result["verdict"])
    return rates


def _telling(tally):
    """Orders traits by how often their cases fail, then by how many do."""
    return (tally.broken / tally.judged if tally.judged else 0.0, tally.broken)

# SPDX-License-Identifier: Apache-2.0
"""Failures of each backend, grouped by operation, tier and the trait that sets them apart."""

import collections
import dataclasses

from concord_report import case_table, text, verdict

NAME = "failures"
TITLE = "Failures"

# A trait sets cases apart if they fail so much more often than its operation's cases do at all.
TELLING = 1.5


@dataclasses.dataclass
class Group:
    operation: str
    tier: str
    trait: str  # of its cases' traits, the one that sets them apart; "" if none does
    cases: list  # the simplest first
    judged: int  # judged cases of this operation with this trait, of any tier
    shown: list  # the first of them, which are told in full

    @property
    def size(self):
        return len(self.cases)

    @property
    def worst_margin(self):
        margins = [r["margin"] for r in self.cases if r["margin"] is not None]
        return max(margins, default=None)


def build(report):
    """backends: [(backend, number of failures, [Group])], only of those that failed."""
    backends = []
    for backend in report.backends:
        failed = verdict.count(backend.results)[verdict.FAIL]
        if failed:
            backends.append((backend, failed, groups(backend.results, report.most, backend.data["shrunk"])))
    return {"backends": backends} if backends else None


def groups(results, most, shrunk=()):
    """Every failure is in exactly one group; of the first `most` groups that many are told in full."""
    results = case_table.Results.of(results)
    tallies = _tallies(results)
    # What the smallest form of a failure does not have, the failure does not need.
    needed = {s["case"]: s["smallest"]["traits"] for s in shrunk
              if s["smallest"]}
    members = collections.defaultdict(list)
    for result in text.simplest(results.those(verdict={verdict.FAIL})):
        key = result["operation"], result["tier"] or "no", _telling_trait(
            result, tallies, needed.get(result["case"], result["traits"]))
        members[key].append(result)
    found = [Group(operation, tier, trait, cases, tallies[operation, trait].judged, cases[:most]) for (operation, tier, trait), cases in members.items()]
    found.sort(key=lambda g: (-len(g.cases), g.operation, g.tier, g.trait))
    for group in found[most:]:
        group.shown = []
    return found


def _tallies(results):
    """By (operation, trait); by (operation, "") all cases of the operation."""
    tallies = collections.defaultdict(verdict.Tally)
    for (operation, traits, word), cases in results.counted("operation", "traits", "verdict").items():
        for trait in ("", *traits):
            tallies[operation, trait].add(word, cases)
    return tallies


def _telling_trait(failed, tallies, needed):
    """The trait of a failed case, among those needed, whose cases fail most often, then the one with
    most failures.
    """
    def rate(trait):
        tally = tallies[failed["operation"], trait]  # judged: it holds `failed`
        return tally.broken / tally.judged, tally.broken

    best = max(sorted(set(failed["traits"]) & set(needed)), key=rate, default="")
    return best if rate(best)[0] >= TELLING * rate("")[0] else ""

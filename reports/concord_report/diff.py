# SPDX-License-Identifier: Apache-2.0
"""Two runs compared, case by case: what became worse, better, or merely different."""

import collections
import dataclasses

from concord_report import results as result_files
from concord_report import text, verdict


@dataclasses.dataclass
class Change:
    """One case in both files. worse and better ask about two different verdicts."""

    old: dict
    new: dict

    @property
    def verdicts(self):
        return self.old["verdict"], self.new["verdict"]

    @property
    def worse(self):
        """It passed and does no longer, or it fails and did not."""
        before, after = self.verdicts
        return before == verdict.PASS or (
            after in verdict.BROKEN and before not in verdict.BROKEN)

    @property
    def better(self):
        before, after = self.verdicts
        return after == verdict.PASS or (
            before in verdict.BROKEN and after not in verdict.BROKEN)


@dataclasses.dataclass
class Pair:
    """One backend in both files. Lists of cases have the simplest first, those of margins the worst."""

    old: result_files.Backend
    new: result_files.Backend
    compared: int
    worse: list  # [Change]
    better: list
    other: list  # still broken or still unjudged, in another way
    margins: list  # [Change] that pass twice by the same class, with a larger margin now
    classes: collections.Counter  # {(old class, new class): cases}
    kernels: collections.Counter  # {(old implementation, new implementation): cases}
    gone: list  # results that passed, and that the new file does not have
    added: list  # results that the old file does not have


@dataclasses.dataclass
class Comparison:
    pairs: list
    only_old: list  # backends
    only_new: list

    @property
    def compared(self):
        return sum(pair.compared for pair in self.pairs)

    def worse(self, allow_missing):
        missing = self.only_old or any(pair.gone for pair in self.pairs)
        return any(pair.worse for pair in self.pairs) or bool(missing and not allow_missing)


def compare(old_file, new_file):
    """Pairs the backends and compares them. Refuses files without a case in common."""
    olds, news = result_files.backends_of([old_file]), result_files.backends_of([new_file])
    pairs = _paired(olds, news)
    comparison = Comparison(
        [_compared(old, new) for old, new in pairs],
        [b for b in olds if all(b is not old for old, _ in pairs)],
        [b for b in news if all(b is not new for _, new in pairs)])
    if not comparison.compared:
        raise result_files.Refusal(f"{new_file.path}: has no case in common with {old_file.path}: a case "
                           f"is the same if its backend, id, problem and seed are")
    return comparison


def _paired(olds, news):
    """By label, then by the plugin's own name, then the only one left with the only one left."""
    pairs, left = [], list(news)

    def pair(old, found):
        if len(found) == 1 and all(old is not known for known, _ in pairs):
            pairs.append((old, found[0]))
            left.remove(found[0])

    for old in olds:
        pair(old, [new for new in left if new.label == old.label])
    for old in olds:
        pair(old, [new for new in left if old.data["name"] and new.data["name"] == old.data["name"]])
    if len(olds) == len(pairs) + 1 and len(left) == 1:
        for old in olds:
            pair(old, list(left))
    return sorted(pairs, key=lambda pair: olds.index(pair[0]))


def _compared(old, new):
    before = dict(zip(old.results.keys(), old.results))
    after = dict(zip(new.results.keys(), new.results))
    both = [Change(result, after[key]) for key, result in before.items() if key in after]
    changed = sorted((change for change in both if change.verdicts[0] != change.verdicts[1]),
                     key=lambda change: text.problem_size(change.new["problem"]))
    same_class = [c for c in both if c.old["class"] == c.new["class"]]
    margins = [c for c in same_class if c.verdicts == (verdict.PASS, verdict.PASS)
               and c.old["margin"] is not None and c.new["margin"] is not None
               and c.new["margin"] > c.old["margin"]]
    return Pair(
        old, new, len(both),
        [c for c in changed if c.worse], [c for c in changed if c.better],
        [c for c in changed if not c.worse and not c.better],
        sorted(margins, key=lambda c: -c.new["margin"]),
        _switches(both, "class"), _switches(both, "implementation"),
        text.simplest(r for key, r in before.items()
                      if key not in after and r["verdict"] == verdict.PASS),
        text.simplest(r for key, r in after.items() if key not in before))


def _switches(changes, field):
    """How many cases that were judged both times went from which value of the field to which."""
    return collections.Counter(
        (c.old[field] or "", c.new[field] or "") for c in changes
        if c.old[field] != c.new[field] and set(c.verdicts) <= set(verdict.JUDGED))

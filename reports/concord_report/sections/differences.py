# SPDX-License-Identifier: Apache-2.0
"""Where backends differ: the same case with the same data, and not the same verdict."""

import collections
import dataclasses

from concord_report import text, verdict

NAME = "differences"
TITLE = "Where backends differ"


@dataclasses.dataclass
class Outcome:
    """Cases that went the same way through all backends. A verdict is None where it was not run."""

    verdicts: tuple
    cases: list  # [(id, problem)], the simplest first
    shown: list

    @property
    def conflict(self):
        """True if a backend passes where another one is wrong; otherwise one of them declines."""
        return verdict.PASS in self.verdicts and any(w in verdict.BROKEN for w in self.verdicts)

    @property
    def size(self):
        return len(self.cases)

    def backends_by_verdict(self, columns):
        """[(verdict or None, [backends])], the most frequent verdict first."""
        groups = collections.defaultdict(list)
        for backend, word in zip(columns, self.verdicts):
            groups[word].append(backend)
        return sorted(groups.items(), key=lambda group: -len(group[1]))

    @property
    def left_out(self):
        return len(self.cases) - len(self.shown)


def build(report):
    """columns: the backends with results, in the order of an outcome's verdicts; outcomes: conflicts
    first; compared: cases that at least two backends have.
    """
    columns = [backend for backend in report.backends if backend.results]
    if len(columns) < 2:
        return None
    rows = {}
    for column, backend in enumerate(columns):
        for key, word in zip(backend.results.keys(), backend.results.column("verdict")):
            if key not in rows:
                rows[key] = [None] * len(columns)
            rows[key][column] = word
    rows = {key: tuple(row) for key, row in rows.items() if len(row) - row.count(None) > 1}
    outcomes = collections.defaultdict(list)
    for (case, problem, _), row in rows.items():
        if row.count(row[0]) < len(row) and len(set(row) - {None}) > 1:
            outcomes[row].append((case, problem))
    found = []
    for row, cases in outcomes.items():
        cases.sort(key=lambda case: (text.problem_size(case[1]), case[0]))
        found.append(Outcome(row, cases, cases[:report.most]))
    found.sort(key=lambda o: (not o.conflict, -len(o.cases), str(o.verdicts)))
    differing = sum(len(outcome.cases) for outcome in found)
    return {"columns": columns, "outcomes": found, "compared": len(rows), "differing": differing,
            "agreeing": len(rows) - differing}

# SPDX-License-Identifier: Apache-2.0
"""What a file holds: distinct problems with their names, and all that was not imported."""

import dataclasses
import re

from concord_import.convolution import NotHandled
from concord_report import text

SHOWN = 3  # examples of a reason
LONGEST_NAME = 80


@dataclasses.dataclass
class _Problem:
    name: str
    line: str
    times: int = 1


class Collection:
    """Problems by their lines; reasons with the things they hold for; remarks with their counts."""

    def __init__(self):
        self._problems, self._reasons, self._remarks = {}, {}, {}

    def add(self, kind, name, make, where=None):
        """Adds the Convolution that make() returns, or the reason of its NotHandled for what is at `where`."""
        try:
            line = make().line()
        except NotHandled as why:
            self.leave(kind, where or name, why.reason, why.detail)
            return
        if line in self._problems:
            self._problems[line].times += 1
        else:
            self._problems[line] = _Problem(name, line)

    def leave(self, kind, name, reason, detail=""):
        """Counts a convolution that is not imported."""
        self._reasons.setdefault((kind, reason), []).append(f"{name}: {detail}" if detail else name)

    def remark(self, sentence):
        """Counts something that a reader must know and that is not a convolution of its own."""
        self._remarks[sentence] = self._remarks.get(sentence, 0) + 1

    @property
    def imported(self):
        return sum(problem.times for problem in self._problems.values())

    @property
    def left(self):
        return sum(map(len, self._reasons.values()))

    @property
    def distinct(self):
        return len(self._problems)

    def remarks(self):
        """A sentence of one line for each reason, then for each remark."""
        for (kind, reason), names in self._reasons.items():
            shown = "; ".join(names[:SHOWN])
            more = f"; and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            yield text.visible(f"not imported: {len(names)} {kind}: {reason} ({shown}{more})")
        for sentence, count in self._remarks.items():
            yield text.visible(f"{sentence} ({count} times)" if count > 1 else sentence)

    def problems(self):
        """Lines `NAME: PROBLEM`, in the order in which they were added."""
        taken = set()
        for problem in self._problems.values():
            yield f"{_unused(problem, taken)}: {problem.line}"


def _unused(problem, taken):
    """A name of the characters that problems files allow; of repeated problems it says how often."""
    times = f"-x{problem.times}" if problem.times > 1 else ""
    base = re.sub(r"[^a-z0-9_]+", "-", problem.name.lower())[-LONGEST_NAME:].strip("-") or "conv"
    name, number = base + times, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}{times}"
    taken.add(name)
    return name

# SPDX-License-Identifier: Apache-2.0
"""What can become of a case, and how verdicts are counted."""

import dataclasses

from concord_report import case_table

PASS, FAIL, VACUOUS, DECLINED = "PASS", "FAIL", "VACUOUS", "DECLINED"
CLAIM_BROKEN, CRASH, HANG, HARNESS_ERROR = "CLAIM_BROKEN", "CRASH", "HANG", "HARNESS_ERROR"
WORDS = (PASS, FAIL, VACUOUS, DECLINED, CLAIM_BROKEN, CRASH, HANG, HARNESS_ERROR)

# Each of these alone means that the backend does not conform.
BROKEN = (FAIL, CLAIM_BROKEN, CRASH, HANG)
# The backend claimed the case and there is an answer to judge. A declined case is none of these.
JUDGED = (PASS,) + BROKEN

# A sign beside the colour, so that nothing is said by colour alone.
SIGNS = {PASS: "✓", FAIL: "✗", VACUOUS: "∅", DECLINED: "–", CLAIM_BROKEN: "≠", CRASH: "⚡",
         HANG: "∞", HARNESS_ERROR: "?"}
NAMES = {PASS: "passed", FAIL: "failed", VACUOUS: "vacuous", DECLINED: "declined",
         CLAIM_BROKEN: "claim broken", CRASH: "crashed", HANG: "hung",
         HARNESS_ERROR: "harness error"}
MEANINGS = {
    PASS: "computed what the specification allows",
    FAIL: "computed something that the specification does not allow",
    VACUOUS: "the case could not have rejected a wrong answer, so it proves nothing",
    DECLINED: "said that it does not serve this problem; neither passed nor failed",
    CLAIM_BROKEN: "said that it serves the problem, and then declined it",
    CRASH: "the backend's process died",
    HANG: "the backend's process did not answer in time",
    HARNESS_ERROR: "a failure of Concord or the machine; says nothing about the backend",
}


def count(results):
    counted = case_table.Results.of(results).counted("verdict")
    return {word: counted[word,] for word in WORDS}


def may_conform(counts):
    """Something passed, nothing is broken, and no trouble of our own hides a case."""
    return (counts[PASS] > 0 and not counts[HARNESS_ERROR]
            and not any(counts[word] for word in BROKEN))


@dataclasses.dataclass
class Tally:
    """Counts of verdicts over some cases."""

    counts: dict = dataclasses.field(default_factory=lambda: dict.fromkeys(WORDS, 0))

    @classmethod
    def of(cls, results):
        return cls(count(results))

    def add(self, word, times=1):
        self.counts[word] += times

    def __getitem__(self, word):
        return self.counts[word]

    @property
    def total(self):
        return sum(self.counts.values())

    @property
    def judged(self):
        return sum(self.counts[word] for word in JUDGED)

    @property
    def broken(self):
        return sum(self.counts[word] for word in BROKEN)

    @property
    def percent(self):
        """Passed of judged, in tenths of a percent cut off, never rounded up: 100.0 means all."""
        return None if not self.judged else 1000 * self.counts[PASS] // self.judged / 10

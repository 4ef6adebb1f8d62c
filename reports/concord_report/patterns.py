# SPDX-License-Identifier: Apache-2.0
"""Patterns: the fewest words that tell a backend's failing cases from its passing ones.

A pattern is a conjunction of at most three words, such as `Convolution` + `grouped`; a word may be
negated once. Cases are bits of an integer, so that a conjunction is one `&`.
"""

import dataclasses
import itertools

from concord_report import text, verdict

MOST_PATTERNS = 4
MOST_WORDS = 3
# Each further word, and a negation, must explain that much more to be worth its complication.
COST_OF_A_WORD = 0.85
# Of the failures that are still unexplained, a pattern explains at least this share.
LEAST_SHARE = 0.2
# One case is no pattern.
LEAST_CASES = 2
# Of the cases that match and that no earlier pattern explains, at least this share fails.
LEAST_RATE = 0.5


@dataclasses.dataclass
class Pattern:
    words: tuple  # () means every case
    failed: int  # broken cases that match
    judged: int  # judged cases that match
    of: int  # all broken cases of the backend
    simplest: dict  # the result of the smallest failing problem that matches

    @property
    def always(self):
        return self.failed == self.judged


def find(results):
    """The patterns of one backend's results, the most telling first; none if fewer than two failed."""
    judged = [r for r in text.simplest(results) if r["verdict"] in verdict.JUDGED]
    broken = sum(1 << i for i, r in enumerate(judged) if r["verdict"] in verdict.BROKEN)
    everything = (1 << len(judged)) - 1
    if broken.bit_count() < LEAST_CASES:
        return []
    if broken == everything:
        return [_pattern((), everything, broken, judged)]
    literals = _literals(judged, everything)
    found, unexplained = [], broken
    while unexplained and len(found) < MOST_PATTERNS:
        best = _best(literals, unexplained, broken, everything)
        if best is None:
            break
        words, mask = best
        found.append(_pattern(words, mask, broken, judged))
        unexplained &= ~mask
    return found


def words_of(result):
    """What a case is, in words."""
    return [result["operation"], *result["traits"], result["dtype"], f"{result['fill']} data"]


def _literals(judged, everything):
    """(words, mask, negated) for every word that tells some judged cases from others."""
    masks, ranks = {}, {}
    for i, result in enumerate(judged):
        for word in words_of(result):
            masks[word] = masks.get(word, 0) | 1 << i
            ranks[word] = _rank(word, result)
    literals = [(word, masks[word], False) for word in sorted(masks, key=lambda w: (ranks[w], w))
                if masks[word] != everything]
    traits = {trait for result in judged for trait in result["traits"]}
    return literals + [(f"not {word}", everything & ~mask, True)
                       for word, mask, _ in literals if word in traits]


def _rank(word, result):
    """Words are said in the order operation, traits, dtype, data."""
    if word == result["operation"]:
        return 0
    return 1 if word in result["traits"] else 2 if word == result["dtype"] else 3


def _best(literals, unexplained, broken, everything):
    """The words and mask that explain most; those that never pass before those that sometimes do."""
    passing = everything & ~broken
    best, best_score = None, 0.0
    mixed, mixed_score = None, 0.0
    useful = [literal for literal in literals if literal[1] & unexplained]
    least = max(LEAST_CASES, LEAST_SHARE * unexplained.bit_count())
    for size in range(1, MOST_WORDS + 1):
        for chosen in itertools.combinations(useful, size):
            negations = sum(literal[2] for literal in chosen)
            if negations > 1:
                continue
            mask = everything
            for literal in chosen:
                mask &= literal[1]
            explained = (mask & unexplained).bit_count()
            if explained < least:
                continue
            score = explained * COST_OF_A_WORD ** (size - 1 + negations)
            words = tuple(literal[0] for literal in chosen)
            if not mask & passing:
                if score > best_score:
                    best, best_score = (words, mask), score
                continue
            rate = explained / (mask & (passing | unexplained)).bit_count()
            if size < MOST_WORDS and rate >= LEAST_RATE and score * rate > mixed_score:
                mixed, mixed_score = (words, mask), score * rate
    return best or mixed


def _pattern(words, mask, broken, judged):
    failing = mask & broken
    first = (failing & -failing).bit_length() - 1  # `judged` is ordered, the simplest first
    return Pattern(words, failing.bit_count(), mask.bit_count(), broken.bit_count(), judged[first])

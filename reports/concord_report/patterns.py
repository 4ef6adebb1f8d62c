# SPDX-License-Identifier: Apache-2.0
"""Patterns: the fewest words that tell a backend's failing cases from its passing ones.

A pattern is a conjunction of at most three words, such as `Convolution` + `grouped`; a word may be
negated once. Cases are bits of an integer, so that a conjunction is one `&`.
"""

import dataclasses
import itertools
import re

from concord_report import text, verdict

MOST_PATTERNS = 4
MOST_WORDS = 3
# Conjunctions are made of the words that alone come nearest; three of 40 are 9,880.
MOST_LITERALS = 40
# Each further word, and a negation, must explain that much more to be worth its complication.
COST_OF_A_WORD = 0.85
# Of the cases that are still unexplained, a pattern explains at least this share.
LEAST_SHARE = 0.2
# One case is no pattern.
LEAST_CASES = 2
# A pattern with exceptions holds for this share of its cases at least, and for twice the share of
# all cases that no earlier pattern explains.
LEAST_RATE = 0.5
LEAST_LIFT = 2


@dataclasses.dataclass
class Pattern:
    words: tuple  # () means every case
    broken: bool  # it tells what fails; otherwise, of a backend that mostly fails, what passes
    hits: int  # cases that match and fail (pass, if not broken)
    judged: int  # judged cases that match
    of: int  # judged cases of the backend that fail (pass)

    @property
    def always(self):
        return self.hits == self.judged

    @property
    def sentence(self):
        """What follows its words."""
        if not self.words:
            return f"Every judged case fails ({self.hits:,} of {self.judged:,})."
        verb, plural = ("fails", "fail") if self.broken else ("passes", "pass")
        if not self.always:
            return f"{verb} in {self.hits:,} of {text.plural(self.judged, 'case')}."
        alone = f", all that {plural}" if self.hits == self.of else ""
        return f"always {verb}: {text.plural(self.hits, 'case')}{alone}."


def find(results):
    """The patterns of one backend's results, the most telling first; none if fewer than two failed.
    If more cases fail than pass, it is the passing ones that are told.
    """
    judged = [r for r in results if r["verdict"] in verdict.JUDGED]
    broken = sum(1 << i for i, r in enumerate(judged) if r["verdict"] in verdict.BROKEN)
    everything = (1 << len(judged)) - 1
    if broken.bit_count() < LEAST_CASES:
        return []
    if broken == everything:
        return [Pattern((), True, len(judged), len(judged), len(judged))]
    mostly = 2 * broken.bit_count() > len(judged)
    told = everything & ~broken if mostly else broken
    literals = _literals(judged, everything)
    found, unexplained, others = [], told, everything & ~told
    while unexplained and len(found) < MOST_PATTERNS:
        best = _best(literals, unexplained, others)
        if best is None:
            break
        words, mask = best
        found.append(Pattern(words, not mostly, (mask & told).bit_count(), mask.bit_count(),
                             told.bit_count()))
        unexplained &= ~mask
    return found


def words_of(result):
    """What a case is, in words, the more general ones first."""
    names = result["case"].split("/")[1:2]
    return [result["operation"], *result["traits"], result["dtype"], f"{result['fill']} data",
            *(f"named {word}" for name in names for word in re.findall(r"[a-z]{3,}", name))]


def said(word):
    return f"without {word[4:]}" if word.startswith("not ") else word


def _literals(judged, everything):
    """(words, mask, negated) for every word that tells some judged cases from others."""
    masks, ranks = {}, {}
    for i, result in enumerate(judged):
        for word in words_of(result):
            masks[word] = masks.get(word, 0) | 1 << i
            ranks[word] = _rank(word, result)
    literals = [(word, masks[word], False) for word in sorted(masks, key=lambda w: (ranks[w], w))
                if masks[word] != everything]
    return literals + [(f"not {word}", everything & ~mask, True)
                       for word, mask, _ in literals if ranks[word] == _TRAIT]


_TRAIT = 1


def _rank(word, result):
    """Words are said in the order operation, traits, dtype, data, name."""
    if word == result["operation"]:
        return 0
    if word in result["traits"]:
        return _TRAIT
    return 2 if word == result["dtype"] else 4 if word.startswith("named ") else 3


def _best(literals, unexplained, others):
    """The words and mask that explain most; those without exceptions before those with some."""
    best, best_score = None, 0.0
    mixed, mixed_score = None, 0.0
    remaining = unexplained.bit_count()
    least = max(LEAST_CASES, LEAST_SHARE * remaining)
    least_rate = max(LEAST_RATE, LEAST_LIFT * remaining / (unexplained | others).bit_count())
    useful = _nearest(literals, unexplained, others)
    for size in range(1, MOST_WORDS + 1):
        for chosen in itertools.combinations(useful, size):
            negations = sum(literal[2] for literal in chosen)
            if negations > 1:
                continue
            mask = chosen[0][1]
            for literal in chosen[1:]:
                mask &= literal[1]
            explained = (mask & unexplained).bit_count()
            if explained < least:
                continue
            score = explained * COST_OF_A_WORD ** (size - 1 + negations)
            words = tuple(literal[0] for literal in chosen)
            if not mask & others:
                if score > best_score:
                    best, best_score = (words, mask), score
                continue
            rate = explained / (mask & (others | unexplained)).bit_count()
            if size < MOST_WORDS and rate >= least_rate and score * rate > mixed_score:
                mixed, mixed_score = (words, mask), score * rate
    return best or mixed


def _nearest(literals, unexplained, others):
    """The literals that agree best with the unexplained cases, in their own order."""
    def agreement(literal):
        both = (literal[1] & unexplained).bit_count()
        either = (literal[1] & (others | unexplained) | unexplained).bit_count()
        return both / either

    nearest = sorted(literals, key=agreement, reverse=True)[:MOST_LITERALS]
    return [literal for literal in literals if literal in nearest]

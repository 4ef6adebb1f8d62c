# SPDX-License-Identifier: Apache-2.0
"""Results that are counted and not listed: `tallied` of a backend, for suites of millions of cases.
docs/results.md#tallied-results
"""

import collections

from concord_report import verdict

_NUMBERS = ("refused", "lowered", "elements", "wrong", "sharp")


def count(tallied):
    """How many cases have each verdict."""
    return {word: sum(each["counts"][word] for each in tallied) for word in verdict.WORDS}


def total(tallied):
    return sum(count(tallied).values())


def count_all(results, tallied):
    """The same of listed results and of these."""
    listed, counted = verdict.count(results), count(tallied)
    return {word: listed[word] + counted[word] for word in verdict.WORDS}


def normwise(tallied):
    """Cases judged by the wider bound of bilinear algorithms."""
    return sum(cases for each in tallied for word, cases in each["classes"].items() if "bilinear" in word)


def by_pair(tallied):
    """A Counter of (operation, dtype, verdict)."""
    counted = collections.Counter()
    for each in tallied:
        for word, cases in each["counts"].items():
            counted[each["operation"], each["dtype"], word] += cases
    return +counted


def joined(parts):
    """Those of several runs as of one."""
    whole = {}
    for each in (each for part in parts for each in part):
        known = whole.get(key := (each["family"], each["operation"], each["dtype"]))
        whole[key] = each if known is None else _sum(known, each)
    return list(whole.values())


def _sum(one, other):
    finest = [each["resolution"] for each in (one, other) if each["resolution"] is not None]
    return {**one, **{field: one[field] + other[field] for field in _NUMBERS},
            "counts": {word: one["counts"][word] + other["counts"][word] for word in verdict.WORDS},
            "resolution": min(finest, default=None),
            "classes": dict(collections.Counter(one["classes"]) + collections.Counter(other["classes"])),
            "sharp_classes": sorted({*one["sharp_classes"], *other["sharp_classes"]})}

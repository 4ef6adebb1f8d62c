# SPDX-License-Identifier: Apache-2.0
"""The results of a backend as one sequence, from brief ones in columns and others in full.

A results.json describes the problems once for all backends, and holds what passed or was declined
without anything particular as columns: docs/results.md#brief-results.
"""

import collections
import collections.abc
import functools
import itertools

FIELDS = ("case", "problem", "operation", "dtype", "fill", "seed", "origin", "note", "traits", "verdict",
          "tier", "reason", "class", "lowered", "adapter_part", "implementation", "elements", "wrong",
          "margin", "resolution", "failure", "errors", "replay", "milliseconds")
OF_A_CASE = ("case", "problem", "operation", "dtype", "fill", "traits", "seed")
OF_AN_OUTCOME = ("verdict", "tier", "reason", "class", "adapter_part", "implementation")
OF_A_RESULT = ("elements", "margin", "resolution", "milliseconds")
# What a brief result does not have.
ABSENT = {"origin": "", "note": "", "lowered": None, "wrong": 0, "failure": None, "errors": None,
          "replay": ""}
_MASK = 2 ** 64 - 1


def case_seed(suite_seed, case):
    """The seed of a case, in decimal: conformance/case/seed.h"""
    state = 0xcbf29ce484222325
    for byte in case.encode("utf-8", "surrogatepass"):
        state = (state ^ byte) * 0x100000001b3 & _MASK
    z = (suite_seed ^ state) + 0x9e3779b97f4a7c15 & _MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & _MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & _MASK
    z ^= z >> 31
    if case.startswith(("tuples_", "every_")) and (z >> 32) % 4:
        z = z & ~0xffff | 0x4116
    return str(z)


class CaseTable:
    """The columns of `cases` of a results.json, one entry for each case."""

    def __init__(self, table, seed):
        fills, words = table["fills"], table["words"]
        traits_of = [[table["traits"][number] for number in numbers] for numbers in table["trait_sets"]]
        self.seed = seed
        self.columns = {field: [] for field in OF_A_CASE if field != "seed"}
        case, problem, operation, dtype, fill, traits = self.columns.values()
        name = ""
        for kept, rest, numbers, trait_set, data in table["problems"]:
            name = name[:kept] + rest
            text = " ".join([words[number] for number in numbers])
            kind, element, shared = words[numbers[0]], words[numbers[1]], traits_of[trait_set]
            for word in data:
                case.append(f"{name}/{element}/{fills[word]}")
                problem.append(text)
                operation.append(kind)
                dtype.append(element)
                fill.append(fills[word])
                traits.append(shared)

    def __len__(self):
        return len(self.columns["case"])

    def __iter__(self):
        """(case, problem, traits, fill) of each case."""
        return zip(*(self.columns[field] for field in ("case", "problem", "traits", "fill")))

    @functools.cached_property
    def numbers(self):
        return {case: number for number, case in enumerate(self.columns["case"])}


class Row(collections.abc.Mapping):
    """A brief result, which looks like one in full."""

    __slots__ = ("_results", "_place")

    def __init__(self, results, place):
        self._results, self._place = results, place

    def __getitem__(self, field):
        results = self._results
        if field in ABSENT:
            return ABSENT[field]
        if field == "seed":
            return case_seed(results.cases.seed, self["case"])
        return results.brief_column(field)[self._place]

    def __iter__(self):
        return iter(FIELDS)

    def __len__(self):
        return len(FIELDS)


class Results(collections.abc.Sequence):
    """All results of one backend in the order of the cases."""

    def __init__(self, cases, brief, full):
        self.cases, self._brief, self.full = cases, brief, full
        self.numbers = list(itertools.chain.from_iterable(
            range(first, first + count) for first, count in brief["cases"]))
        self._columns = {}
        self._order = self._ordered() if full else None

    @classmethod
    def of(cls, results):
        """The same for a list of results in full."""
        if isinstance(results, cls):
            return results
        return cls(CaseTable(empty_table(), 0), empty_brief(), results)

    def _ordered(self):
        """For each result its place among the brief ones, or the result in full."""
        known = self.cases.numbers if self.numbers or len(self.cases) else {}
        last = len(self.cases)
        placed = list(zip(self.numbers, itertools.repeat(0), range(len(self.numbers))))
        placed += [(known.get(result["case"], last), 1, place) for place, result in enumerate(self.full)]
        placed.sort()
        return [self.full[place] if is_full else place for _, is_full, place in placed]

    def brief_column(self, field):
        """The values of one of the fields of brief results that differ."""
        if field not in self._columns:
            if field in OF_AN_OUTCOME:
                values = [outcome[field] for outcome in self._brief["outcomes"]]
                column = [values[number] for number in self._brief["outcome"]]
            elif field in OF_A_RESULT:
                column = self._brief[field]
            else:
                whole = self.cases.columns[field]
                is_whole = len(self.numbers) == len(whole)
                column = whole if is_whole else [whole[number] for number in self.numbers]
            self._columns[field] = column
        return self._columns[field]

    def column(self, field):
        """The field of all results; a brief one's seed is left out, it follows from its case."""
        if field in ABSENT or field == "seed":
            column = [ABSENT.get(field)] * len(self.numbers)
        else:
            column = self.brief_column(field)
        if self._order is None:
            return column
        return [column[each] if type(each) is int else each[field] for each in self._order]

    def keys(self):
        """(case, problem, seed) of all results, the same for the same case and data in every file."""
        seeds = [("derived", self.cases.seed) if seed is None else self._key_of(case, seed)
                 for case, seed in zip(self.column("case"), self.column("seed"))]
        return list(zip(self.column("case"), self.column("problem"), seeds))

    def _key_of(self, case, seed):
        run = self.cases.seed
        return ("derived", run) if seed == case_seed(run, case) else ("own", seed)

    def counted(self, *fields):
        """A Counter of the values of the fields together; traits are a tuple."""
        columns = [map(tuple, self.column(f)) if f == "traits" else self.column(f) for f in fields]
        return collections.Counter(zip(*columns))

    def those(self, **values):
        """The results that have one of these values in each of these fields."""
        rows = range(len(self))
        for field, wanted in values.items():
            column = self.column(field)
            rows = [row for row in rows if column[row] in wanted]
        return [self[row] for row in rows]

    def __len__(self):
        return len(self.numbers) + len(self.full)

    def __getitem__(self, place):
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        entry = place if self._order is None else self._order[place]
        if type(entry) is not int:
            return entry
        if not -len(self) <= entry < len(self):
            raise IndexError(place)
        return Row(self, entry)

    def __eq__(self, other):
        return (isinstance(other, collections.abc.Sequence) and len(self) == len(other)
                and all(dict(one) == dict(two) for one, two in zip(self, other)))


def empty_brief():
    return {"outcomes": [], "cases": [], "outcome": [], **{field: [] for field in OF_A_RESULT}}


def empty_table():
    return {"traits": [], "trait_sets": [], "fills": [], "words": [], "problems": []}


def joined_table(cases):
    """The table of `cases`, which iterating over CaseTables gives."""
    traits, sets, fills, words, problems = {}, {}, {}, {}, []
    latest = ("", "")
    for case, problem, of_problem, fill in cases:
        name = case.rsplit("/", 2)[0]
        if not problems or latest != (name, problem):
            trait_set = tuple(traits.setdefault(word, len(traits)) for word in of_problem)
            kept = common_beginning(latest[0], name)
            problems.append([kept, name[kept:], [words.setdefault(word, len(words)) for word in problem.split(" ")],
                             sets.setdefault(trait_set, len(sets)), []])
            latest = name, problem
        problems[-1][4].append(fills.setdefault(fill, len(fills)))
    return {"traits": list(traits), "trait_sets": [list(each) for each in sets], "fills": list(fills),
            "words": list(words), "problems": problems}


def common_beginning(one, other):
    """How many ASCII characters both begin with."""
    kept = 0
    for left, right in zip(one, other):
        if left != right or left >= "\x80":
            break
        kept += 1
    return kept


def brief_of(numbered):
    """The columns of [(case's number, brief result)]."""
    numbered = sorted(numbered, key=lambda pair: pair[0])
    brief = empty_brief()
    outcomes = {}
    for number, result in numbered:
        if brief["cases"] and sum(brief["cases"][-1]) == number:
            brief["cases"][-1][1] += 1
        else:
            brief["cases"].append([number, 1])
        outcome = tuple(result[field] for field in OF_AN_OUTCOME)
        brief["outcome"].append(outcomes.setdefault(outcome, len(outcomes)))
        for field in OF_A_RESULT:
            brief[field].append(result[field])
    brief["outcomes"] = [dict(zip(OF_AN_OUTCOME, outcome)) for outcome in outcomes]
    return brief

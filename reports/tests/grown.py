# SPDX-License-Identifier: Apache-2.0
"""Grows the results of a part of a suite to the whole, to see how large a report becomes.

PYTHONPATH=reports python3 reports/tests/grown.py WHOLE.json PART.json FILE

WHOLE has one backend's results of a whole suite, PART those of several backends, this one among them, of a shard of it.
FILE gets the backend of WHOLE as it is, and every other backend of PART with a made-up result for each case that PART
lacks: that of a case of the same operation, dtype, data and verdict on the backend of WHOLE, the same case for every
backend, its margin changed by up to a tenth. Neighbours get results of different cases, so the columns compress worse
than real ones. The counts are right for what was made up; every other summary of a backend (statistics, diagnosis,
covering) remains that of the part.
"""

import argparse
import collections
import json
import pathlib
import random
import zlib

from concord_report import case_table, digest, verdict

COLUMNS = ("outcome", "elements", "margin", "resolution", "milliseconds")


def grown(whole, part):
    """The document described above; `whole` and `part` are parsed results.json."""
    table = case_table.CaseTable(whole["cases"], whole["run"]["seed"])
    parts = case_table.CaseTable(part["cases"], part["run"]["seed"])
    leader, = whole["backends"]
    small = next(backend for backend in part["backends"] if backend["backend"] == leader["backend"])
    pools = collections.defaultdict(list)
    for case, kind in _kinds(parts, small).items():
        for length in range(len(kind) + 1):
            pools[kind[:length]].append(case)
    kinds = _kinds(table, leader)
    drawn = [next(_drawn(case, pools[kinds[case][:length]]) for length in (4, 3, 2, 0)
                  if kinds[case][:length] in pools) for case in table.columns["case"]]
    made = [_grown(table, drawn, backend, _rows(parts, backend)) for backend in part["backends"] if backend is not small]
    return digest.sealed(dict(whole, backends=[leader, *made]))


def _kinds(table, backend):
    """By case: what its like have in common, the least first to be given up last."""
    of_it = case_table.Results(table, backend["brief"], backend["results"])
    columns = [of_it.column(field) for field in ("case", "operation", "dtype", "fill", "verdict")]
    return {case: tuple(kind) for case, *kind in zip(*columns)}


def _drawn(case, pool):
    return pool[zlib.crc32(case.encode()) % len(pool)]


def _grown(table, drawn, backend, rows):
    dice, brief, numbers, full = random.Random(1), {field: [] for field in COLUMNS}, [], []
    counts = dict.fromkeys(backend["counts"], 0)
    for number, case in enumerate(table.columns["case"]):
        row = rows[case] if case in rows else _changed(rows[drawn[number]], dice)
        if isinstance(row, dict):
            full.append(dict(row, seed=case_table.case_seed(table.seed, case), **{
                field: table.columns[field][number] for field in case_table.OF_A_CASE if field != "seed"}))
            counts[row["verdict"]] += 1
        else:
            numbers.append(number)
            for field, value in zip(COLUMNS, row):
                brief[field].append(value)
            counts[backend["brief"]["outcomes"][row[0]]["verdict"]] += 1
    return dict(backend, counts=counts, results=full,
                brief=dict(brief, outcomes=backend["brief"]["outcomes"], cases=_ranges(numbers)))


def _rows(parts, backend):
    """By case: its result in full, or the columns of a brief one."""
    brief = backend["brief"]
    numbers = [first + at for first, count in brief["cases"] for at in range(count)]
    rows = {parts.columns["case"][number]: row
            for number, row in zip(numbers, zip(*(brief[field] for field in COLUMNS)))}
    rows.update((result["case"], result) for result in backend["results"])
    return rows


def _changed(row, dice):
    """Like the row, with another margin if it has one that is neither 0 nor 1."""
    if isinstance(row, dict) or row[2] is None or row[2] in (0, 1):
        return row
    return row[:2] + (float(f"{min(row[2] * dice.uniform(.9, 1.1), .9999):.4g}"),) + row[3:]


def _ranges(numbers):
    """[[first, count]] of rising numbers"""
    found = []
    for number in numbers:
        if found and number == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("whole", "part", "file"):
        parser.add_argument(name, type=pathlib.Path)
    given = parser.parse_args()
    whole, part = (json.loads(path.read_text(encoding="utf-8")) for path in (given.whole, given.part))
    made = grown(whole, part)
    with open(given.file, "w", encoding="utf-8") as file:
        json.dump(made, file, ensure_ascii=True, separators=(",", ":"))
    for backend in made["backends"]:
        print(backend["backend"], {word: backend["counts"][word] for word in verdict.WORDS if backend["counts"][word]})


if __name__ == "__main__":
    main()

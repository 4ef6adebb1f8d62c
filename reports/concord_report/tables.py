# SPDX-License-Identifier: Apache-2.0
"""Checks the tables of a results.json as docs/results.schema.json describes them: columns of hundreds of
thousands of entries, for which the validator of the schema takes minutes.
"""

COLUMNS = ("cases", "outcome", "elements", "margin", "resolution", "milliseconds")
WORDS = ("nan", "inf", "-inf")


def are_there(document):
    """True if the tables have the form that check() takes for granted; the schema says what is wrong
    otherwise.
    """
    cases, backends = document.get("cases"), document.get("backends")
    return (isinstance(cases, dict) and all(isinstance(cases.get(key), list)
                                            for key in ("traits", "trait_sets", "fills", "words", "problems"))
            and isinstance(backends, list)
            and all(isinstance(backend, dict) and isinstance(backend.get("brief"), dict)
                    and all(isinstance(backend["brief"].get(column), list)
                            for column in (*COLUMNS, "outcomes")) for backend in backends))


def check(document, refuse):
    """Calls refuse(place, what) for a table that is not true to the schema, or whose numbers point
    nowhere.
    """
    total = _check_problems(document["cases"], refuse)
    for number, backend in enumerate(document["backends"]):
        _check_brief(backend["brief"], total, f"backends[{number}].brief", refuse)


def _numbers_below(entries, limit):
    return type(entries) is list and all(type(each) is int and 0 <= each < limit for each in entries)


def _check_problems(cases, refuse):
    """The number of cases."""
    for number, each in enumerate(cases["trait_sets"]):
        if not _numbers_below(each, len(cases["traits"])):
            refuse(f"cases.trait_sets[{number}]", "has an entry that is no number of a trait")
    if not all(type(each) is str and each for each in cases["words"]):
        refuse("cases.words", "has an entry that is no word")
    total = behind = 0
    sets, fills, words = len(cases["trait_sets"]), len(cases["fills"]), len(cases["words"])
    for number, row in enumerate(cases["problems"]):
        good = (type(row) is list and len(row) == 5 and type(row[1]) is str
                and _numbers_below([row[0]], behind + 1) and row[0] + len(row[1])
                and _numbers_below(row[2], words) and len(row[2]) >= 3
                and _numbers_below([row[3]], sets) and _numbers_below(row[4], fills))
        if not good:
            refuse(f"cases.problems[{number}]", "is not [kept, rest of the name, words, trait set, fills]")
        behind = row[0] + len(row[1])
        total += len(row[4])
    return total


def _check_brief(brief, total, place, refuse):
    length = behind = 0
    for number, run in enumerate(brief["cases"]):
        if not (_numbers_below(run, total + 1) and len(run) == 2 and run[0] >= behind
                and run[0] + run[1] <= total):
            refuse(f"{place}.cases[{number}]", f"is not [first, count] behind {behind} and among "
                                               f"{total} cases")
        length, behind = length + run[1], sum(run)
    for column in COLUMNS[1:]:
        if len(brief[column]) != length:
            refuse(f"{place}.{column}", f"has {len(brief[column])} entries for {length} cases")
    if not _numbers_below(brief["outcome"], len(brief["outcomes"])):
        refuse(f"{place}.outcome", "has an entry that is no number of an outcome")
    if not all(type(each) is int and each >= 0 for each in brief["elements"]):
        refuse(f"{place}.elements", "has an entry that is no count")
    if not all(type(each) in (int, float) and each >= 0 for each in brief["milliseconds"]):
        refuse(f"{place}.milliseconds", "has an entry that is no time")
    for column in ("margin", "resolution"):
        if not all(each is None or type(each) in (int, float) or each in WORDS for each in brief[column]):
            refuse(f"{place}.{column}", "has an entry that is no number")
    brief["margin"] = [float(each) if type(each) is str else each for each in brief["margin"]]

# SPDX-License-Identifier: Apache-2.0
"""Every result of every backend for the page's list of cases, as packed JSON that its script reads."""

import base64
import json
import urllib.parse
import zlib

from concord_report import case_table, text, verdict, wrong_map

LONGEST = 2000  # characters of anything that a plugin or a user wrote
MOST_IN_FULL = 50000  # cases; of more than these a page tells only the remarkable ones in full
QUIET = (verdict.PASS, verdict.DECLINED)
LISTED_SUITES = ("smoke", "full", "huge", "golden")  # of which concord list prints the cases
OF_AN_OUTCOME = ("verdict", "tier", "reason", "class", "implementation", "adapter_part")
DETAILS = ("lowered", "note", "origin")
# What stands for a case's seed and problem in a command that many cases share: shown() leaves no such character.
SEED, PROBLEM = "\x01", "\x02"


def shown(value):
    """Foreign text as the page shows it: its control characters written out, and not without end."""
    return text.visible(text.shortened(value, LONGEST))


def link_to_case(case):
    return "#case=" + urllib.parse.quote(shown(case), safe="")


def link_to_cases(**fields):
    """The list of those cases that have these values; fields without a value are left out."""
    chosen = {field: shown(value) for field, value in fields.items() if value}
    return "#cases&" + urllib.parse.urlencode(chosen)


class _Numbers(dict):
    """Numbers the values that it is asked for, from 0."""

    def __missing__(self, value):
        self[value] = len(self)
        return self[value]

    def texts(self):
        return [shown(value) for value in self]


def packed(data):
    """Base64 of the deflated JSON of listed()."""
    text_of_data = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(text_of_data.encode("ascii"), 9)).decode("ascii")


def listed(report, most=MOST_IN_FULL):
    """What page.js reads: tables of texts, the cases by numbers into them, and the columns of each backend. Of more
    than `most` cases the quiet ones, which every backend passed or declined, lack problem and elements.
    """
    cases, numbers, loud = _cases_of(report)
    in_full = loud if len(cases) > most else range(len(cases))
    texts = {field: _Numbers() for field in ("problem", "operation", "dtype", "fill", "trait")}
    outcomes, replays, runs = _Numbers(), _Numbers(), _Runs()
    columns = {field: [] for field in ("kept", "rest", "problem", "operation", "dtype", "fill")}
    before = ""
    for number, (case, problem, operation, dtype, fill, words) in enumerate(cases):
        case = shown(case)
        kept = case_table.common_beginning(before, case)
        columns["kept"].append(kept)
        columns["rest"].append(case[kept:])
        columns["problem"].append(texts["problem"][problem] if number in in_full else None)
        columns["operation"].append(texts["operation"][operation])
        columns["dtype"].append(texts["dtype"][dtype])
        columns["fill"].append(texts["fill"][fill])
        runs.add(number, frozenset(texts["trait"][word] for word in words))
        before = case
    backends = [_backend(*each, in_full, outcomes, replays) for each in zip(report.backends, numbers)]
    return {"texts": {field: numbered.texts() for field, numbered in texts.items()},
            "trait_runs": [runs[trait] for trait in range(len(texts["trait"]))], "cases": columns, "replays": list(replays), "backends": backends,
            "outcomes": [[shown(value or "") for value in outcome] for outcome in outcomes],
            "left_out": len(cases) - len(in_full), "command": _command(report.files)}


class _Runs(dict):
    """By trait: how many cases in a row lack it, then how many have it, and so on; the last number is left out."""

    def __init__(self):
        super().__init__()
        self._now, self._since = frozenset(), {}

    def add(self, number, traits):
        """The case of this number, of which each comes in turn, has these traits."""
        for trait in self._now ^ traits:
            self.setdefault(trait, []).append(number - self._since.get(trait, 0))
            self._since[trait] = number
        self._now = traits


def _cases_of(report):
    """What all backends' results are of, each case once; of each backend its cases' numbers; and the numbers of
    the cases that any backend neither passed nor declined.
    """
    known, cases, numbers, loud = _Numbers(), [], [], set()
    for backend in report.backends:
        results = backend.results
        numbers.append([])
        rows = zip(results.keys(), *(results.column(f) for f in ("operation", "dtype", "fill", "traits", "verdict")))
        for key, operation, dtype, fill, words, word in rows:
            number = known[key]
            numbers[-1].append(number)
            if number == len(cases):
                cases.append((key[0], key[1], operation, dtype, fill, words))
            if word not in QUIET:
                loud.add(number)
    return cases, numbers, loud


def _command(files):
    """What prints a case with its problem if its id follows; None if no suite has the cases."""
    runs = [file.run for file in files]
    suites = {(run["suite"], run["seed"], run["reading"]) for run in runs}
    if len(suites) > 1 or runs[0]["suite"] not in LISTED_SUITES:
        return None
    suite, seed, reading = suites.pop()
    return f"concord list --suite {suite} --seed {seed}" + (f" --reading {reading}" if reading else "") + " --filter"


def _backend(backend, numbers, in_full, outcomes, replays):
    results = backend.results
    told = zip(*(results.column(field) for field in OF_AN_OUTCOME))
    return {"label": shown(backend.label), "seed": str(backend.run["seed"]), "cases": None if numbers == list(range(len(numbers))) else numbers,
            "outcome": [outcomes[outcome] for outcome in told],
            "margin": [_rounded(margin) for margin in results.column("margin")],
            "elements": [elements if number in in_full else None
                         for number, elements in zip(numbers, results.column("elements"))],
            "details": {place: _details(result, backend.run["seed"], replays) for place, (number, result) in enumerate(zip(numbers, results))
                        if number in in_full and isinstance(result, dict)}}


def _rounded(margin):
    """Three digits as a number, or the words that no number can say: just above 1, inf."""
    if margin is None:
        return None
    said = text.margin(margin)
    number = float(said) if said[0].isdigit() else said
    return int(number) if number in (0, 1) else number  # the most frequent ones, and shorter


def _details(result, suite_seed, replays):
    """seed: left out if it follows from the suite's seed and the id. replay: the number of a text, see SEED."""
    details = {field: shown(result[field]) for field in DETAILS if result[field]}
    case, seed = result["case"], result["seed"]
    if seed and (seed != case_table.case_seed(suite_seed, case) or shown(case) != case):
        details["seed"] = shown(seed)
    if result["replay"]:
        command = shown(result["replay"])
        for text_of_case, sign in (result["problem"], PROBLEM), (seed, SEED):
            command = command.replace(shown(text_of_case), sign) if text_of_case else command
        details["replay"] = replays[command]
    details["wrong"] = result["wrong"]
    wrong = result["failure"]
    if wrong:
        details["failure"] = {"element": wrong["element"], "got": shown(text.number(wrong["got"])),
                              "want": shown(text.number(wrong["want"])), "accepted": shown(wrong["accepted"]),
                              "label": wrong_map.label(wrong["where"]), "picture": wrong["where"]["picture"],
                              "lines": wrong_map.lines(wrong["where"])}
    return details

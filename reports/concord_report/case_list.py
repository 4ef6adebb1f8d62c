# SPDX-License-Identifier: Apache-2.0
"""Every result of every backend for the page's list of cases, as packed JSON that its script reads."""

import base64
import json
import urllib.parse
import zlib

from concord_report import text, wrong_map

LONGEST = 2000  # characters of anything that a plugin or a user wrote
OF_AN_OUTCOME = ("verdict", "tier", "reason", "class", "implementation", "adapter_part")
DETAILS = ("replay", "lowered", "note", "origin", "seed")


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


def packed(report):
    """Base64 of the deflated JSON of listed()."""
    data = json.dumps(listed(report), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(zlib.compress(data.encode("ascii"), 9)).decode("ascii")


def listed(report):
    """What page.js reads: tables of texts, the cases by numbers into them, and the columns of each backend."""
    texts = {field: _Numbers() for field in ("problem", "operation", "dtype", "fill", "trait")}
    cases, outcomes, traits = _Numbers(), _Numbers(), _Numbers()
    columns = {field: [] for field in ("id", "problem", "operation", "dtype", "fill", "traits")}
    backends = []
    for backend in report.backends:
        results = backend.results
        numbers = []
        rows = zip(results.keys(), *(results.column(f) for f in ("operation", "dtype", "fill", "traits")))
        for key, operation, dtype, fill, words in rows:
            numbers.append(cases[key])
            if numbers[-1] == len(columns["id"]):
                columns["id"].append(shown(key[0]))
                columns["problem"].append(texts["problem"][key[1]])
                columns["operation"].append(texts["operation"][operation])
                columns["dtype"].append(texts["dtype"][dtype])
                columns["fill"].append(texts["fill"][fill])
                columns["traits"].append(traits[tuple(texts["trait"][word] for word in words)])
        backends.append(_backend(backend, numbers, outcomes))
    return {"texts": {field: numbered.texts() for field, numbered in texts.items()},
            "traits": list(traits), "cases": columns, "backends": backends,
            "outcomes": [[shown(value or "") for value in outcome] for outcome in outcomes]}


def _backend(backend, numbers, outcomes):
    results = backend.results
    told = zip(*(results.column(field) for field in OF_AN_OUTCOME))
    return {"label": shown(backend.label), "cases": None if numbers == list(range(len(numbers))) else numbers,
            "outcome": [outcomes[outcome] for outcome in told],
            "margin": [_rounded(margin) for margin in results.column("margin")],
            "elements": results.column("elements"),
            "details": {place: _details(result) for place, result in enumerate(results)
                        if isinstance(result, dict)}}


def _rounded(margin):
    """Three digits as a number, or the words that no number can say: just above 1, inf."""
    if margin is None:
        return None
    said = text.margin(margin)
    return float(said) if said[0].isdigit() else said


def _details(result):
    details = {field: shown(result[field]) for field in DETAILS if result[field]}
    details["wrong"] = result["wrong"]
    wrong = result["failure"]
    if wrong:
        details["failure"] = {"element": wrong["element"], "got": shown(text.number(wrong["got"])),
                              "want": shown(text.number(wrong["want"])), "accepted": shown(wrong["accepted"]),
                              "label": wrong_map.label(wrong["where"]), "picture": wrong["where"]["picture"],
                              "lines": wrong_map.lines(wrong["where"])}
    return details

# SPDX-License-Identifier: Apache-2.0
"""The one sentence on top of a report, and the facts of its runs on one line."""

from concord_report import text

SAYS = {"yes": "conforms", "served": "conforms in what it serves",
        "selected": "has no failure among the selected cases", "no": "does not conform",
        "unknown": "has no verdict"}
# What a backend's part of the page begins with, and whether it is good news.
TITLES = {"yes": "✓ Conforms", "served": "✓ Conforms in what it serves",
          "selected": "✓ No failure among the selected cases", "no": "✗ Does not conform",
          "unknown": "? No verdict"}
COLUMN = {"yes": "yes", "served": "as served", "selected": "no failure", "no": "no",
          "unknown": "no verdict"}


def of(report):
    backends = report.backends
    if len(backends) == 1:
        return f"{backends[0].label} {SAYS[backends[0].conforms]}"
    number = {word: sum(b.conforms == word for b in backends) for word in SAYS}
    conforming = number["yes"] + number["served"]
    if number["selected"] == len(backends):
        return f"None of {len(backends)} backends fails among the selected cases"
    scope = " in what they serve" if number["served"] else ""
    if conforming == len(backends):
        return f"All {len(backends)} backends conform{scope}"
    if conforming == 1:
        scope = " in what it serves" if number["served"] else ""
    verb = "conforms" if conforming == 1 else "conform"
    said = f"{conforming or 'None'} of {len(backends)} backends {verb}{scope}"
    if conforming and number["no"]:
        said += f"; {number['no']} {'does' if number['no'] == 1 else 'do'} not"
    if number["selected"]:
        said += f"; {number['selected']} without a failure among the selected cases"
    return said + (f"; {number['unknown']} without a verdict" if number["unknown"] else "")


def facts(report):
    """Each fact once if all files agree, else the number of different ones."""
    runs = [file.run for file in report.files]

    def one(values, many):
        different = list(dict.fromkeys(values))
        return different[0] if len(different) == 1 else f"{len(different)} {many}"

    return [fact for fact in (
        one([f"{run['suite']} suite" for run in runs], "suites"),
        one([f"seed {run['seed']}" for run in runs], "seeds"),
        one([text.plural(run["cases"], "case") for run in runs], "numbers of cases"),
        one([_machine(run["machine"]) for run in runs], "machines"),
        one([f"Concord {file.document['concord']['version']}" for file in report.files],
            "versions of Concord"),
    ) if fact]


def _machine(machine):
    return ", ".join(part for part in (machine["cpu"], text.plural(machine["cores"], "core"),
                                       machine["system"]) if part)

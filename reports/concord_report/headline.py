# SPDX-License-Identifier: Apache-2.0
"""The one sentence on top of a report, and the facts of its runs on one line."""

from concord_report import text

SAYS = {"yes": "conforms", "no": "does not conform", "unknown": "cannot be judged"}


def of(report):
    backends = report.backends
    if len(backends) == 1:
        return f"{backends[0].label} {SAYS[backends[0].conforms]}"
    conforming = sum(b.conforms == "yes" for b in backends)
    unknown = sum(b.conforms == "unknown" for b in backends)
    if conforming == len(backends):
        return f"All {len(backends)} backends conform"
    verb = "conforms" if conforming == 1 else "conform"
    said = f"{conforming or 'None'} of {len(backends)} backends {verb}"
    return said + (f"; {unknown} cannot be judged" if unknown else "")


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

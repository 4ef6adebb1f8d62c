# SPDX-License-Identifier: Apache-2.0
"""The facts of each run: what was asked, on which machine, and how to ask it again."""

import shlex

from concord_report import text

NAME = "runs"
TITLE = "Runs"


def build(report):
    """rows: [(fact, [its value in each file])]; backends: what each file says of its backends."""
    rows = [(fact, [value(file) for file in report.files]) for fact, value in _FACTS]
    return {"rows": rows, "files": report.files, "backends": report.backends}


def _covered(file, kind):
    """How many combinations of levels each backend was judged on: passed or failed."""
    said = [f"{backend['backend']}: {text.grouped(backend['covering'][kind])} of "
            f"{text.grouped(backend['covering']['all_' + kind])}"
            for backend in file.document["backends"] if backend["covering"] is not None]
    return "; ".join(said) or "none"


_FACTS = (
    ("Suite", lambda f: f.run["suite"]),
    ("Seed", lambda f: str(f.run["seed"])),
    ("Reading", lambda f: f.run["reading"] or "as each case says"),
    ("Filter", lambda f: f.run["filter"] if f.run["filter"] is not None else "none"),
    ("Declined problems lowered", lambda f: "yes" if f.run["lower"] else "no"),
    ("Cases selected", lambda f: text.grouped(f.run["cases"])),
    ("Complete", lambda f: "yes" if f.run["complete"] else "no, interrupted"),
    ("Shard", lambda f: f.run["shard"]),
    ("Threads, jobs", lambda f: f"{f.run['threads']}, {f.run['jobs']}"),
    ("Started", lambda f: f.run["started"]),
    ("Seconds", lambda f: text.number(round(f.run["seconds"], 2))),
    ("Pairs of attribute levels judged", lambda f: _covered(f, "pairs")),
    ("Triples of attribute levels judged", lambda f: _covered(f, "triples")),
    ("CPU", lambda f: f.run["machine"]["cpu"]),
    ("CPU features", lambda f: " ".join(f.run["machine"]["features"]) or "unknown"),
    ("Cores", lambda f: str(f.run["machine"]["cores"])),
    ("System", lambda f: f.run["machine"]["system"]),
    ("Concord", lambda f: f.document["concord"]["version"]),
    ("Commit of Concord", lambda f: f.document["concord"]["build"]),
    ("Command", lambda f: shlex.join(f.run["command"])),
)

# SPDX-License-Identifier: Apache-2.0
"""A report: the backends of some files, and what every section says about them."""

import dataclasses
import datetime

from concord_report import known as known_failures
from concord_report import results, text
from concord_report.sections import (adapters, bits, cases, worker_failures, declined, differences, errors, failures,
                                     known, margins, matrix, operations, runs, smallest)

SECTIONS = (known, operations, smallest, differences, failures, worker_failures, declined, cases, matrix,
            errors, margins, bits, adapters, runs)


@dataclasses.dataclass
class Report:
    files: list
    backends: list
    most: int  # entries told in full in one list
    known: known_failures.Known | None = None  # if a list of known failures was given
    speed: dict | None = None  # what speed.said_of() says, if speeds were given

    def __post_init__(self):
        self.tallies = {b.label: b.tally for b in self.backends}

    @classmethod
    def of(cls, files, most, entries=None, today=None):
        made = cls(files, results.backends_of(files), most)
        if entries is not None:
            made.known = known_failures.compare(made, entries, today or datetime.date.today())
        return made

    def sections(self):
        """(module, what it says) of every section that has something to say."""
        built = ((module, module.build(self)) for module in SECTIONS)
        return [(module, data) for module, data in built if data is not None]

    def notices(self):
        """Sentences that a reader must not miss, because they say how far the numbers reach."""
        said = []
        for file in self.files:
            if not file.run["complete"]:
                said.append(f"{file.path}: the run was interrupted; this is not the whole suite.")
        for backend in self.backends:
            if backend.data["error"] is not None:
                said.append(f"{backend.label}: {backend.data['error']}")
            if backend.done != backend.run["cases"]:
                said.append(f"{backend.label}: {text.grouped(backend.done)} of "
                            f"{text.plural(backend.run['cases'], 'selected case')} have a result.")
            if backend.data["tallied"]:
                said.append(f"{backend.label}: {text.grouped(len(backend.results))} of "
                            f"{text.plural(backend.done, 'result')} are listed, the others only counted.")
        for file in self.files:
            if file.run["shard"] != "1/1":
                said.append(f"{file.path} is only shard {file.run['shard']} of its suite.")
            if file.run["filter"] is not None:
                said.append(f"{file.path}: only cases that match the filter "
                            f"{file.run['filter']!r} were run.")
        for key, what in (("suite", "suites"), ("seed", "seeds"), ("reading", "readings")):
            values = sorted({str(file.run[key] if file.run[key] is not None else "as each case says")
                             for file in self.files})
            if len(values) > 1:
                said.append(f"The files come from different {what}: {', '.join(values)}.")
        return said

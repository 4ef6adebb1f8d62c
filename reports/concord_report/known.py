# SPDX-License-Identifier: Apache-2.0
"""Known failures: a list by hand of what fails, why, and until when that is accepted. docs/report.md#known-failures"""

import dataclasses
import datetime
import fnmatch
import pathlib
import tomllib

from concord_report import text, verdict
from concord_report.results import Refusal

FIELDS = {"backend": str, "version": str, "processor": str, "case": str, "reason": str, "expires": datetime.date}
OPTIONAL = {"version": "*", "processor": ""}


@dataclasses.dataclass
class Entry:
    """What fails of which backend; backend, version and case are patterns with *, ? and [...]. The processor is named
    by words of run.machine.features, all of which it must have; "": any.
    """

    backend: str
    version: str
    case: str
    reason: str
    expires: datetime.date
    processor: str = ""

    def is_of(self, backend):
        data = backend.data
        return (any(fnmatch.fnmatchcase(name, self.backend) for name in (data["backend"], data["name"]))
                and fnmatch.fnmatchcase(data["version"], self.version)
                and set(self.processor.split()) <= set(backend.run["machine"]["features"]))


@dataclasses.dataclass
class Outcome:
    """What became of an entry's cases on one backend."""

    backend: object
    entry: Entry
    expired: bool
    failed: list  # ids
    passed: list  # ids: unexpected passes


@dataclasses.dataclass
class Known:
    outcomes: list
    new: list  # [(backend, [failures that no entry in force has: ids of cases, statistics, the backend's error])]
    unused: list  # entries that no case of any backend matches
    expired: list  # of the unused ones, those whose last day is past

    @property
    def all_known(self):
        return not any(cases for _, cases in self.new)


def read(path):
    """The entries of a file. Refuses what is not as docs/report.md says, with its place."""
    try:
        document = tomllib.loads(pathlib.Path(path).read_bytes().decode("utf-8"))
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Refusal(f"{path}: not TOML: {error}") from error
    entries = document.pop("known", [])
    if document or not isinstance(entries, list):
        raise Refusal(f"{path}: {next(iter(document), 'known')!r}: only tables [[known]] are allowed")
    return entries_of(path, entries)


def entries_of(path, tables):
    """The entries of the tables [[known]] of a file. Refuses what is wrong in one, with its place."""
    return [_entry(path, number, table) for number, table in enumerate(tables, 1)]


def _entry(path, number, table):
    place = f"{path}: entry {number}"
    if not isinstance(table, dict):
        raise Refusal(f"{place} is no table [[known]]")
    for name in table:
        if name not in FIELDS:
            raise Refusal(f"{place}: {name!r} is none of {', '.join(FIELDS)}")
    values = {**OPTIONAL, **table}
    for name, kind in FIELDS.items():
        if name not in values:
            raise Refusal(f"{place} has no {name!r}")
        value = values[name]
        if not isinstance(value, kind) or isinstance(value, datetime.datetime) or (value == "" and name in table):
            wanted = "a date such as 2027-06-30, without quotes" if kind is datetime.date else "a text"
            raise Refusal(f"{place}: {name} is {text.shortened(repr(value), 80)}, not {wanted}")
    return Entry(**values)


def compare(report, entries, today):
    """The failures of all backends against the entries. An entry is in force up to and on its last day."""
    outcomes, new, used = [], [], set()
    for backend in report.backends:
        of_backend = [entry for entry in entries if entry.is_of(backend)]
        found = [Outcome(backend, entry, entry.expires < today, [], []) for entry in of_backend]
        unknown = []
        for case, word in zip(*(backend.results.column(field) for field in ("case", "verdict"))):
            if word not in verdict.JUDGED:
                continue
            matching = [outcome for outcome in found if fnmatch.fnmatchcase(case, outcome.entry.case)]
            for outcome in matching:
                (outcome.passed if word == verdict.PASS else outcome.failed).append(case)
            if word in verdict.BROKEN and all(outcome.expired for outcome in matching):
                unknown.append(case)
        outcomes += [outcome for outcome in found if outcome.failed or outcome.passed]
        used.update(id(outcome.entry) for outcome in found if outcome.failed or outcome.passed)
        new.append((backend, unknown + _beside_cases(backend)))
    unused = [entry for entry in entries if id(entry) not in used]
    return Known(outcomes, new, unused, [entry for entry in unused if entry.expires < today])


def _beside_cases(backend):
    """Why a backend does not conform beside its cases: no entry can make that known."""
    said = [f"statistics/{pool['dtype']}" for pool in backend.data["statistics"] if not pool["passed"]]
    if backend.conforms == "no" and not said and not any(
            backend.data["counts"][word] for word in verdict.BROKEN):
        said.append(backend.data["error"] or backend.data["headline"])
    return list(dict.fromkeys(said))


def lines(known):
    """For a terminal, a line each: failures that are new, what the entries in force explain by their reasons, what
    passes although it is listed, and entries whose last day is past.
    """
    said = [f"{backend.label}: {text.plural(len(cases), 'failure')} not known, such as {cases[0]}"
            for backend, cases in known.new if cases]
    parts = {}
    for outcome in known.outcomes:
        part = parts.setdefault((outcome.backend.label, outcome.entry.reason, outcome.expired), Outcome(
            outcome.backend, outcome.entry, outcome.expired, [], []))
        part.failed += outcome.failed
        part.passed += outcome.passed
    said += [f"{label}: {_became(part)}: {reason}" for (label, reason, _), part in parts.items()]
    return said + [f"{entry.backend}: expired on {entry.expires}, and no case matches {entry.case}: {entry.reason}"
                   for entry in known.expired]


def _became(part):
    passed = len(set(part.passed) - set(part.failed))
    words = []
    if part.failed:
        words.append(text.plural(len(set(part.failed)), "failure" if part.expired else "known failure"))
    if passed:
        words.append(f"{text.plural(passed, 'listed case')} {'passes' if passed == 1 else 'pass'}, such as {part.passed[0]}")
    return (f"expired on {part.entry.expires}: " if part.expired else "") + ", ".join(words)


def exit_code(report):
    """0: whatever fails is known; 1: something is new; 2: a backend has no verdict."""
    if not report.known.all_known:
        return 1
    return 2 if any(backend.conforms == "unknown" for backend in report.backends) else 0

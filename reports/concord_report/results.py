# SPDX-License-Identifier: Apache-2.0
"""Reads results: a results.json comes in whole and true to its schema, or not at all."""

import dataclasses
import functools
import json
import math
import pathlib

import jsonschema

from concord_report import case_table, digest, tables, tallied, verdict, wrong_map

VERSION = "concord-results-2"
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs" / "results.schema.json"


class Refusal(Exception):
    """One sentence that names the file and what is wrong with it. The program exits with 2."""


@dataclasses.dataclass
class Backend:
    """One backend of one file. `label` is unique within a report."""

    label: str
    file: str
    run: dict
    data: dict

    @property
    def results(self):
        return case_table.Results.of(self.data["results"])

    @property
    def tally(self):
        """The verdicts of all cases, listed or not."""
        return verdict.Tally(tallied.count_all(self.results, self.data["tallied"]))

    @property
    def done(self):
        """How many cases have a result."""
        return len(self.results) + tallied.total(self.data["tallied"])

    @property
    def conforms(self):
        return self.data["conforms"]


@dataclasses.dataclass
class File:
    """`document` is as in the file, but for the backends' results, which are all in one sequence."""

    path: str
    document: dict

    def __post_init__(self):
        self.cases = case_table.CaseTable(self.document["cases"], self.document["run"]["seed"])
        backends = [dict(backend, results=case_table.Results(self.cases, backend["brief"], backend["results"]))
                    for backend in self.document["backends"]]
        self.document = dict(self.document, backends=backends)

    @property
    def run(self):
        return self.document["run"]


@functools.lru_cache(maxsize=1)
def _validator():
    try:
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refusal(f"{SCHEMA}: cannot read the schema: {error}") from error
    return jsonschema.Draft202012Validator(schema)


def load(path):
    """Reads one file. Refuses what is missing, cut short, of another schema, or contradicts itself."""
    try:
        text = pathlib.Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{path}: not UTF-8 text, byte {error.start} is wrong") from error
    except ValueError as error:  # a NUL in the name
        raise Refusal(f"{path!r}: {error}") from error
    document = parse(path, text)
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == "concord-results-1":
        raise Refusal(f"{path}: written by an older Concord, as {schema}: this one reads {VERSION}. Run "
                      "its command again")
    if schema != VERSION:
        said = f"its schema is {_short(schema)}" if schema is not None else "it names no schema"
        raise Refusal(f"{path}: not Concord results: {said}, not {VERSION!r}")
    for error in _validator().iter_errors(_without_tables(document)):
        raise Refusal(f"{path}: {_place(error.absolute_path)}: {_wrong(error)}")

    def refuse(place, what):
        raise Refusal(f"{path}: {place}: {what}")

    tables.check(document, refuse)
    file = File(str(path), document)
    for place, backend in enumerate(file.document["backends"]):
        _check_sums(path, place, backend)
        _check_maps(path, place, backend)
    try:
        digest.check(text, document["digest"])
    except digest.Altered as altered:
        raise Refusal(f"{path}: {altered}") from altered
    return file


def _without_tables(document):
    """The document without the long tables of brief results, which the validator takes minutes for."""
    if not tables.are_there(document):
        return document
    emptied = {"cases": dict(document["cases"], words=[], problems=[])}
    emptied["backends"] = [dict(backend, brief=dict(backend["brief"], **{
        column: [] for column in tables.COLUMNS})) for backend in document["backends"]]
    return dict(document, **emptied)


def printed(document):
    """The text of a results.json, with its digest. Refuses a number that is not finite where the schema has no
    word for it.
    """
    try:
        return _text(digest.sealed(document), 0) + "\n"
    except ValueError:
        worded = digest.sealed(_worded(document))
    for error in _validator().iter_errors(_without_tables(worded)):
        raise Refusal(f"{_place(error.absolute_path)}: {_wrong(error)}: its parts are too large to add up")
    return _text(worded, 0) + "\n"


def _text(value, depth):
    """As concord run prints it: an object's fields and rows on lines of their own, a list on one."""
    if not isinstance(value, (dict, list)) or not value or (
            isinstance(value, list) and not isinstance(value[0], (dict, list))):
        return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    parts = ([f"{json.dumps(key)}: {_text(each, depth + 1)}" for key, each in value.items()]
             if isinstance(value, dict) else [_text(each, depth + 1) for each in value])
    margin = "\n" + " " * depth
    return f"{opening}{margin} " + f",{margin} ".join(parts) + f"{margin}{closing}"


def _worded(value):
    """The same with "nan", "inf" and "-inf" in the place of numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _worded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_worded(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def backends_of(files):
    """All backends of all files, in order, each with a label of its own."""
    found = [Backend(data["backend"], file.path, file.run, data)
             for file in files for data in file.document["backends"]]
    for backend in found:
        if backend.data["class"]:
            backend.label += f" as {backend.data['class']}"
    for label in {backend.label for backend in found}:
        same = [backend for backend in found if backend.label == label]
        if len(same) > 1:
            for number, backend in enumerate(same, 1):
                backend.label = f"{label} [{pathlib.Path(backend.file).name}, {number}]"
    return found


def parse(path, text):
    """What the text of a file holds as JSON, every number of it finite."""
    def refuse_constant(word):
        raise ValueError(f"{word} is not JSON; results.json has the words \"nan\", \"inf\" and \"-inf\"")

    def finite(word, kind=float):
        if math.isinf(float(word)):
            raise ValueError(f"the number {_short(word, quote=False)} is beyond the largest double")
        return kind(word)

    if not text.strip():
        raise Refusal(f"{path}: empty")
    try:
        return json.loads(text, parse_constant=refuse_constant, parse_float=finite,
                          parse_int=lambda word: finite(word, int))
    except json.JSONDecodeError as error:
        if not text[error.pos:].strip() or "Unterminated" in error.msg:
            raise Refusal(f"{path}: cut short: the JSON ends in the middle, "
                          f"at line {error.lineno}") from error
        raise Refusal(f"{path}: not JSON: {error.msg} at line {error.lineno}, "
                      f"column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{path}: not JSON: {error}") from error


def _check_sums(path, place, backend):
    """The counts that a file states must be those of its results, and no case may come twice."""
    counted = tallied.count_all(backend["results"], backend["tallied"])
    for word in verdict.WORDS:
        stated = backend["counts"][word]
        if stated != counted[word]:
            raise Refusal(f"{path}: backends[{place}].counts.{word} is {stated}, "
                          f"but {counted[word]} results have that verdict")
    lowered = sum(text is not None for text in backend["results"].column("lowered")) + sum(
        each["lowered"] for each in backend["tallied"])
    if backend["lowered"] != lowered:
        raise Refusal(f"{path}: backends[{place}].lowered is {backend['lowered']}, but {lowered} "
                      f"results come from a Convolution in place of the problem")
    agrees = verdict.may_conform(counted) and all(p["passed"] for p in backend["statistics"])
    if backend["conforms"] not in ("no", "unknown") and not agrees:
        raise Refusal(f"{path}: backends[{place}] claims to conform, but its results contradict it")
    seen = set()
    for case in backend["results"].column("case"):
        if case in seen:
            raise Refusal(f"{path}: backends[{place}] has case {_short(case)} twice")
        seen.add(case)
    for result in backend["results"].full:
        if isinstance(result["margin"], str):
            result["margin"] = float(result["margin"])


def _check_maps(path, place, backend):
    """The parts of the map of a failure must fit together."""
    failures = [(f"results of {_short(result['case'])}", result["failure"]) for result in backend["results"].full]
    failures += [(f"shrunk of {_short(each['case'])}", each["smallest"]["failure"]) for each in backend["shrunk"]
                 if each["smallest"]]
    for what, failure in failures:
        wrong = wrong_map.fault(failure["where"]) if failure and failure["where"] else None
        if wrong:
            raise Refusal(f"{path}: backends[{place}], {what}: failure.where: {wrong}")


def _place(path):
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".") or "the document"


def _wrong(error):
    if error.validator == "enum":
        choices = ", ".join("null" if choice is None else str(choice)
                            for choice in error.validator_value)
        return f"{_short(error.instance)} is none of {choices}"
    if error.validator == "type":
        kinds = error.validator_value
        return f"{_short(error.instance)} is no {kinds if isinstance(kinds, str) else ' or '.join(kinds)}"
    if error.validator in ("required", "additionalProperties"):
        return _short(error.message, quote=False)
    return f"{_short(error.instance)} breaks the rule {error.validator} {_short(error.validator_value)}"


def _short(value, quote=True, limit=120):
    text = repr(value) if quote else value
    return text if len(text) <= limit else text[:limit - 3] + "..."

# SPDX-License-Identifier: Apache-2.0
"""Reads results: a results.json comes in whole and true to its schema, or not at all."""

import dataclasses
import functools
import json
import math
import pathlib

import jsonschema

from concord_report import verdict

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
        return self.data["results"]

    @property
    def conforms(self):
        return self.data["conforms"]


@dataclasses.dataclass
class File:
    path: str
    document: dict

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
    if not isinstance(document, dict) or document.get("schema") != "concord-results-1":
        found = document.get("schema") if isinstance(document, dict) else None
        said = f"its schema is {_short(found)}" if found is not None else "it names no schema"
        raise Refusal(f"{path}: not Concord results: {said}, not 'concord-results-1'")
    for error in _validator().iter_errors(document):
        raise Refusal(f"{path}: {_place(error.absolute_path)}: {_wrong(error)}")
    for place, backend in enumerate(document["backends"]):
        _check_sums(path, place, backend)
    return File(str(path), document)


def printed(document):
    """The text of a results.json. Refuses a number that is not finite where the schema has no word for it."""
    try:
        return json.dumps(document, ensure_ascii=True, indent=1, allow_nan=False) + "\n"
    except ValueError:
        worded = _worded(document)
    for error in _validator().iter_errors(worded):
        raise Refusal(f"{_place(error.absolute_path)}: {_wrong(error)}: its parts are too large to add up")
    return json.dumps(worded, ensure_ascii=True, indent=1, allow_nan=False) + "\n"


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
    counted = verdict.count(backend["results"])
    for word in verdict.WORDS:
        stated = backend["counts"][word]
        if stated != counted[word]:
            raise Refusal(f"{path}: backends[{place}].counts.{word} is {stated}, "
                          f"but {counted[word]} results have that verdict")
    lowered = sum(result["lowered"] is not None for result in backend["results"])
    if backend["lowered"] != lowered:
        raise Refusal(f"{path}: backends[{place}].lowered is {backend['lowered']}, but {lowered} "
                      f"results come from a Convolution in place of the problem")
    agrees = verdict.may_conform(counted) and all(p["passed"] for p in backend["statistics"])
    if backend["conforms"] not in ("no", "unknown") and not agrees:
        raise Refusal(f"{path}: backends[{place}] claims to conform, but its results contradict it")
    seen = set()
    for result in backend["results"]:
        if result["case"] in seen:
            raise Refusal(f"{path}: backends[{place}] has case {_short(result['case'])} twice")
        seen.add(result["case"])
        if isinstance(result["margin"], str):
            result["margin"] = float(result["margin"])


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

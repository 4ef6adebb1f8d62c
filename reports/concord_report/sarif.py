# SPDX-License-Identifier: Apache-2.0
"""What fails, as SARIF 2.1.0 for code scanning: a run for each backend, a result for each failure."""

import hashlib
import json
import pathlib
import urllib.parse

from concord_report import text, verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST = 5000  # results of a run; GitHub shows no more
RULES = {
    "exact": "a wrong value where every order of summation gives the same bits",
    "interval": "a value beyond the error bound of the declared arithmetic",
    "statistical": "errors that are too large together, or point in one direction",
    "special": "a wrong NaN or infinity",
    "side_effects": "memory was written that is not dst's, or results depend on something else",
    "status": "a problem was refused, or served, against its specification",
    "shape": "a wrong shape of dst",
    "claim_broken": verdict.MEANINGS[verdict.CLAIM_BROKEN],
    "crash": verdict.MEANINGS[verdict.CRASH],
    "hang": verdict.MEANINGS[verdict.HANG],
    "other": verdict.MEANINGS[verdict.FAIL],
    "statistics": "the errors of all cases together are too large, or point in one direction",
}
_NAMES = list(RULES)


def render(report, source=None):
    """`source`: the file that results are attached to; by default the plugin's."""
    versions = {file.path: file.document["concord"]["version"] for file in report.files}
    runs = [_run(backend, versions[backend.file], source) for backend in report.backends]
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": runs}, indent=1) + "\n"


def _run(backend, version, source):
    place = _place(source or _file_of(backend.data))
    broken = [result for result in backend.results if result["verdict"] in verdict.BROKEN]
    results = [_result(backend, result, place) for result in text.simplest(broken)[:MOST]]
    results += [_pool(backend, pool, place) for pool in backend.data["statistics"] if not pool["passed"]]
    said = [] if backend.data["error"] is None else [text.visible(backend.data["error"])]
    if len(broken) > MOST:
        said.append(f"{text.plural(len(broken) - MOST, 'more failure')}; results.json has all")
    return {
        "tool": {"driver": {"name": "Concord", "version": version, "rules": [
            {"id": name, "shortDescription": {"text": meaning}, "defaultConfiguration": {"level": "error"}}
            for name, meaning in RULES.items()]}},
        "automationDetails": {"id": f"concord/{text.visible(backend.run['suite'])}/{text.visible(backend.label)}/"},
        "invocations": [{"executionSuccessful": backend.data["error"] is None and backend.run["complete"],
                         "arguments": [text.visible(word) for word in backend.run["command"]],
                         "toolExecutionNotifications": [{"level": "warning", "message": {"text": each}} for each in said]}],
        "results": results,
    }


def _result(backend, result, place):
    rule = result["verdict"].lower() if result["verdict"] != verdict.FAIL else result["tier"]
    rule = rule if rule in RULES else "other"
    said = [result["reason"] or verdict.MEANINGS[result["verdict"]]]
    if result["failure"]:
        wrong = result["failure"]
        said.append(f"dst{wrong['element']}: got {text.number(wrong['got'])}, want "
                    f"{text.number(wrong['want'])}, accepted {wrong['accepted']}")
    said += [result["problem"], result["replay"]]
    return _located(backend, rule, "\n".join(text.visible(each) for each in said if each), result["case"], place)


def _pool(backend, pool, place):
    first, last = pool["products"]
    name = f"{pool['dtype']}, {pool['class']}, sums of {first} to {last} products"
    return _located(backend, "statistics", text.visible(f"{RULES['statistics']}: {name}"), name, place)


def _located(backend, rule, message, name, place):
    full = text.visible(f"{backend.label}::{name}")
    return {"ruleId": rule, "ruleIndex": _NAMES.index(rule), "level": "error", "message": {"text": message},
            "locations": [{"physicalLocation": place, "logicalLocations": [
                {"name": text.visible(name), "fullyQualifiedName": full}]}],
            # What makes it the same alert in the next run.
            "partialFingerprints": {"concordCase/v1": hashlib.sha256(full.encode()).hexdigest()}}


def _file_of(data):
    return data["files"][0]["path"] if data["files"] else data["path"] or data["backend"]


def _place(path):
    uri = pathlib.PurePath(path).as_uri() if path.startswith("/") else urllib.parse.quote(path)
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": 1}}

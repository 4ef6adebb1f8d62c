# SPDX-License-Identifier: Apache-2.0
"""Shards of one run become one file, or a refusal says why they are not shards of one run."""

import itertools
import pathlib
import re

from concord_report import case_table, digest, pooled, service, tallied, text, verdict
from concord_report.results import Refusal

SAME_IN_RUN = ("suite", "seed", "reading", "operations", "dtypes", "filter", "threads", "lower")
# The least confined first. A shard that could not load the backend says nothing of the others.
SANDBOX = ("rlimits", "seccomp", "namespaces+seccomp", "unknown")
SAME_IN_BACKEND = ("name", "version", "config", "class")


def merged(files, command):
    """The document of all files together; `command` is the merge's own command line."""
    files = _in_order(files)
    first = files[0].document
    for file in files[1:]:
        _require_same(files[0], file)
    run = dict(
        first["run"], shard="1/1", command=command,
        started=min(file.run["started"] for file in files),
        seconds=sum(file.run["seconds"] for file in files),
        complete=all(file.run["complete"] for file in files),
        cases=sum(file.run["cases"] for file in files), cases_sha256=_cases_sha256(files),
        machine=_machine([file.run["machine"] for file in files]))
    table = case_table.joined_table(_in_turn([each for each in file.cases] for file in files))
    cases = case_table.CaseTable(table, run["seed"])
    backends = [_backend(files, place, cases) for place in range(len(first["backends"]))]
    return dict(first, run=run, cases=table, backends=backends)


# Of all cases that have a result: those of a complete run are all that were selected. Of a suite in
# batches, whose files do not list them all, of the shards' digests, a line each.
def _cases_sha256(files):
    if any(backend["tallied"] for file in files for backend in file.document["backends"]):
        return digest.of_digests([file.run["cases_sha256"] for file in files])
    found = {pair for file in files for backend in file.document["backends"]
             for pair in zip(backend["results"].column("case"), backend["results"].column("problem"))}
    return digest.of_cases(found)


# Takes the shards' cases in turn. Shards are parts of about the same predicted cost, so the order of a
# merged run may differ from the suite's.
def _in_turn(sequences):
    rows = itertools.zip_longest(*sequences)
    return [each for row in rows for each in row if each is not None]


def _in_order(files):
    """The files by their shards' numbers: each of 1/n ... n/n once."""
    numbered = {}
    for file in files:
        number, of = map(int, file.run["shard"].split("/"))
        total = int(files[0].run["shard"].split("/")[1])
        if of != total or number > of:
            raise Refusal(f"{file.path}: shard {file.run['shard']} does not belong to "
                          f"{files[0].run['shard']} of {files[0].path}")
        if number in numbered:
            raise Refusal(f"{file.path}: shard {file.run['shard']} is already in "
                          f"{numbered[number].path}")
        numbered[number] = file
    if len(numbered) < total:
        first = next(number for number in range(1, total + 1) if number not in numbered)
        raise Refusal(f"{files[0].path}: {len(numbered)} of the {total} shards of its run are here; "
                      f"{first}/{total} is missing")
    return [numbered[number] for number in sorted(numbered)]


def _require_same(one, other):
    def refuse(what, left, right):
        raise Refusal(f"{other.path}: {what} is {right!r}, but {left!r} in {one.path}")

    for key, what in ("version", "the version of Concord"), ("build", "the commit of Concord"):
        values = [file.document["concord"][key] for file in (one, other)]
        if values[0] != values[1]:
            refuse(what, *values)
    for key in SAME_IN_RUN:
        if one.run[key] != other.run[key]:
            refuse(f"run.{key}", one.run[key], other.run[key])
    names = [[b["backend"] for b in file.document["backends"]] for file in (one, other)]
    if names[0] != names[1]:
        refuse("the list of backends", *names)
    for left, right in zip(one.document["backends"], other.document["backends"]):
        loaded = left["results"] and right["results"]
        if loaded and _scope(one, left) != _scope(other, right):
            refuse("the choice of cases", _scope(one, left).strip(), _scope(other, right).strip())
        for key in SAME_IN_BACKEND:
            if left[key] != right[key] and (loaded or key in ("config", "class")):
                refuse(f"{key} of backend {left['backend']}", left[key], right[key])
        builds = [", ".join(map(_build, backend["files"])) for backend in (left, right)]
        if builds[0] != builds[1]:
            refuse(f"the build of backend {left['backend']}", *builds)


def _backend(files, place, cases):
    is_part = files[0].run["narrowed"]
    parts = [file.document["backends"][place] for file in files]
    owner = {}
    for file, part in zip(files, parts):
        for case in part["results"].column("case"):
            if case in owner:
                raise Refusal(f"{file.path}: case {case!r} is also in {owner[case]}")
            owner[case] = file.path
    in_turn = _in_turn(part["results"] for part in parts)
    full = [result for result in in_turn if isinstance(result, dict)]
    brief = case_table.brief_of([(cases.numbers[result["case"]], result) for result in in_turn
                                 if not isinstance(result, dict)])
    results = case_table.Results(cases, brief, full)
    errors = dict.fromkeys(part["error"] for part in parts if part["error"] is not None)
    counted = tallied.joined(part["tallied"] for part in parts)
    counts = tallied.count_all(results, counted)
    loaded = all(part["results"] or part["error"] is None for part in parts)
    base = next((part for part in parts if part["results"]), parts[0])
    not_run = sum(file.run["cases"] for file in files) - len(results) - tallied.total(counted)
    statistics = pooled.pools([part["statistics"] for part in parts])
    failed_pools = sum(not pool["passed"] for pool in statistics)
    served = service.of(results, counted)
    broken = failed_pools or any(counts[word] for word in verdict.BROKEN)
    why = "" if broken else service.why_unknown(loaded and not not_run, counts, served, is_part)
    conforms = ("no" if broken else "unknown" if why else "selected" if is_part else
                "served" if counts[verdict.DECLINED] else "yes")
    lowered = sum(text is not None for text in results.column("lowered")) + sum(
        each["lowered"] for each in counted)
    normwise = sum("bilinear" in (text or "") for text in results.column("class")) + tallied.normwise(counted)
    error = "; ".join(errors) or None
    shrunk = [s for part in parts for s in part["shrunk"]]
    # A rule over one shard's verdicts says nothing of the others', nor does a class that fits them.
    diagnosis = base["diagnosis"] if len(parts) == 1 else None
    would_conform = base["would_conform"] if len(parts) == 1 else []
    sandbox = min((part["sandbox"] for part in parts), key=lambda made: SANDBOX.index(made["level"]))
    shipped = list(dict.fromkeys(name for part in parts for name in part["shipped"]))
    return dict(base, error=error, sandbox=sandbox, libraries=_libraries(parts), shipped=shipped, conforms=conforms, counts=counts, lowered=lowered, brief=brief, results=full, tallied=counted,
                statistics=statistics, diagnosis=diagnosis, shrunk=shrunk,
                would_conform=would_conform,
                service=served, covering=base["covering"] if len(parts) == 1 else None,
                headline=_headline(base, _says(conforms, why, served, sum(counts.values())), counts, not_run,
                                   normwise, lowered, failed_pools,
                                   error, loaded, caveats(shipped, sandbox) + _scope(files[0], base)))


def _says(conforms, why, served, cases):
    """What the headline says between the backend's name and the numbers."""
    classes = service.classes_text(served)
    return {"yes": f"conforms{classes}",
            "served": f"conforms{classes} in what it serves: {service.service_text(served)}",
            "selected": f"no failure{classes} among the {text.grouped(cases)} selected "
                        f"{'case' if cases == 1 else 'cases'}",
            "no": "does not conform", "unknown": f"no verdict: {why}"}[conforms]


def _headline(base, says, counts, not_run, normwise, lowered, failed_pools, error, loaded,
              scope):
    """The sentence that concord run would have ended with, had it run all shards at once."""
    if not loaded:
        return f"{base['backend']}: cannot be judged - {error}"
    parts = [f"{text.grouped(counts[word])} {name}" for word, name in (
        (verdict.PASS, "passed"), (verdict.FAIL, "failed"), (verdict.VACUOUS, "vacuous"),
        (verdict.DECLINED, "declined"))]
    parts += [f"{text.grouped(number)} {name}" for number, name in (
        (counts[verdict.CLAIM_BROKEN], "claims broken"), (counts[verdict.CRASH], "crashed"),
        (counts[verdict.HANG], "hung"), (counts[verdict.HARNESS_ERROR], "harness errors"),
        (not_run, "not run"), (normwise, "judged normwise"),
        (lowered, "judged lowered"), (failed_pools, "pooled statistics failed")) if number]
    if error:
        parts.append(error)
    return f"{base['backend']}: {says} - {', '.join(parts)}{scope}"


def caveats(shipped, sandbox):
    """What a reader must know to trust the verdict."""
    text = "".join(f", runs Concord's own backend {name}" for name in shipped)
    return text + (f", sandbox: {sandbox['level']}" if sandbox["level"] in SANDBOX[:2] else "")


# The shards' machines may hold different builds of a library.
def _libraries(parts):
    files = {(each["path"], each["sha256"]): each for part in parts for each in part["libraries"]}
    return [files[key] for key in sorted(files, key=lambda key: (key[0], key[1] or ""))]


def _scope(file, backend):
    """What the backend's headline says of the cases in its last parentheses, without the shard:
    " (smoke, f32, seed 1)"; "" if it says nothing.
    """
    start = backend["headline"].rfind(f" ({file.run['suite']}, ")
    if start < 0 or not backend["headline"].endswith(")"):
        return ""
    return re.sub(r", shard [0-9]+/[0-9]+(?=, seed [0-9]+\)$)", "", backend["headline"][start:])


def _build(file):
    return f"{pathlib.PurePath(file['path']).name} SHA-256 {file['sha256'] or 'unknown'}"


def _machine(machines):
    def joined(key):
        return "; ".join(dict.fromkeys(machine[key] for machine in machines))

    shared = [each for each in machines[0]["features"] if all(each in machine["features"] for machine in machines)]
    return {"cpu": joined("cpu"), "features": shared, "cores": max(m["cores"] for m in machines),
            "system": joined("system")}

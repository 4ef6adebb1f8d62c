# SPDX-License-Identifier: Apache-2.0
"""A conformance statement: what one run measured of one backend, as TOML. docs/statement.md explains its lines."""

import datetime
import hashlib
import pathlib
import types

from concord_report import digest, known, results, service, text, verdict
from concord_report.results import Refusal

FORMAT = "concord-statement-1"
ONE_LINE = 300  # characters of a list that stands on one line
HEAD = ("# A conformance statement: what Concord measured in one run. docs/statement.md explains every line.\n"
        "# To check it: concord statement --verify STATEMENT RESULTS.json --plugin PLUGIN\n")


def choose(file, name):
    """The backend of that name, or the only one."""
    backends = results.backends_of([file])
    found = [each for each in backends if name is None or name in (each.label, each.data["backend"])]
    if len(found) == 1:
        if found[0].data["tallied"]:
            raise Refusal(f"{file.path}: a statement lists every case, and the suite {file.run['suite']} only counts most")
        return found[0]
    said = f"no backend {name!r}" if name and not found else f"{len(found)} backends"
    raise Refusal(f"{file.path}: {said}: a statement is of one of {', '.join(each.label for each in backends)} "
                  "(--backend)")


def compare(backend, entries):
    """The failures against the known ones that were in force on the day of the run."""
    day = datetime.date.fromisoformat(backend.run["started"][:10])
    return known.compare(types.SimpleNamespace(backends=[backend]), entries, day)


def render(file, backend, entries):
    """The statement's text: the same for the same results and known failures."""
    compared = compare(backend, entries)
    sections = [_head(backend), _results(file), _plugin(backend.data), _fields("machine", backend.run["machine"]),
                _suite(backend), _claims(backend), _measured(backend), _failures(compared)]
    return HEAD + "\n".join(sections + [_known(outcome) for outcome in compared.outcomes])


def sha256_of(path):
    """Of the bytes of a file. Refuses what cannot be read."""
    try:
        return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error


def _head(backend):
    data = backend.data
    return _lines({"statement": FORMAT, "backend": data["backend"], "class": data["class"] or "",
                   "conforms": data["conforms"], "says": data["headline"], "error": data["error"] or ""})


def _results(file):
    run, program = file.run, file.document["concord"]
    return _fields("results", {
        "results_sha256": sha256_of(file.path), "concord": program["version"], "build": program["build"],
        "started": run["started"], "threads": run["threads"], "lower": run["lower"]})


def _plugin(data):
    def named(files):
        return [{"name": pathlib.PurePath(each["path"]).name, "sha256": each["sha256"] or "unknown"} for each in files]

    return _fields("plugin", {
        "name": data["name"], "version": data["version"], "config": data["config"],
        "sandbox": data["sandbox"]["level"], "sandbox_lack": data["sandbox"]["lack"] or "",
        "shipped": data["shipped"], "files": named(data["files"]), "libraries": named(data["libraries"])})


def _suite(backend):
    run, covering = backend.run, backend.data["covering"]
    fields = {
        "suite": run["suite"], "cases": run["cases"], "cases_with_result": len(backend.results),
        "cases_sha256": digest.of_cases(zip(backend.results.column("case"), backend.results.column("problem"))), "seed": run["seed"],
        "reading": run["reading"] or "as each case says", "complete": run["complete"],
        "narrowed": run["narrowed"], "operations": run["operations"], "dtypes": run["dtypes"],
        "filter": run["filter"] or "", "shard": run["shard"]}
    return _fields("suite", fields | ({"covering": covering} if covering else {}))


def _claims(backend):
    parts = service.of(backend.results)
    declined = {}
    for part in parts:
        if not service.is_served(part):
            declined.setdefault(part["operation"], []).append(part["dtype"])
    return _fields("claims", {
        "served": [{key: part[key] for key in ("operation", "dtype", "classes")}
                   for part in parts if service.is_served(part)],
        "not_served": [{"operation": operation, "dtypes": dtypes} for operation, dtypes in declined.items()]})


def _measured(backend):
    found = backend.results
    bits = [{"dtype": pool["dtype"], "class": pool["class"], "bits": _rounded(pool["effective_bits"]),
             "tensors": pool["tensors"], "passed": pool["passed"]}
            for pool in backend.data["statistics"] if pool["all_lengths"]]
    return _fields("measured", {
        "counts": verdict.count(found), "lowered": backend.data["lowered"],
        "elements": sum(found.column("elements")), "by_operation_and_dtype": _depths(found),
        "by_tier": [{"tier": tier, **counts} for (tier,), counts in _counts(found, "tier") if tier],
        "effective_bits": bits})


def _depths(found):
    """Of each operation and dtype the verdicts, and how fine an error its passed cases would have exposed."""
    parts = {(part["operation"], part["dtype"]): part for part in service.of(found)}
    rows = []
    for (operation, dtype), counts in sorted(_counts(found, "operation", "dtype"), key=lambda each: service.order(each[0])):
        row = {"operation": operation, "dtype": dtype, **counts}
        part = parts.get((operation, dtype))
        if part and part["resolution"] is not None:
            row |= {"sharp": part["sharp"], "resolution": part["resolution"]}
        rows.append(row)
    return rows


def _counts(found, *fields):
    """[(values of the fields, how many results have each verdict)], verdicts without a result left out."""
    counted = found.counted(*fields, "verdict")
    keys = sorted({key[:-1] for key in counted}, key=lambda key: [each or "" for each in key])
    return [(key, {word: counted[*key, word] for word in verdict.WORDS if counted[*key, word]}) for key in keys]


def _rounded(value):
    return value if isinstance(value, str) else round(value, 2)


def _failures(compared):
    return _fields("failures", {"unexplained": compared.new[0][1]})


def _known(outcome):
    entry = outcome.entry
    return "[[known]]\n" + _lines({
        "backend": entry.backend, "version": entry.version,
        **({"processor": entry.processor} if entry.processor else {}), "case": entry.case, "reason": entry.reason,
        "expires": entry.expires, "in_force": not outcome.expired, "failed": len(outcome.failed),
        "passed": len(outcome.passed)})


def _fields(name, fields):
    return f"[{name}]\n{_lines(fields)}"


def _lines(fields):
    return "".join(f"{name} = {_value(value, '')}\n" for name, value in fields.items())


def _value(value, margin):
    """A TOML value; of a list of tables or a long list each entry stands on a line of its own."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_value(each, margin)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        written = [_value(each, margin) for each in value]
        if not any(isinstance(each, dict) for each in value) and sum(map(len, written)) < ONE_LINE:
            return f"[{', '.join(written)}]"
        return "[\n" + "".join(f"{margin}  {each},\n" for each in written) + f"{margin}]"
    return str(value)  # a number or a date


def quoted(value):
    """A basic string of TOML. Characters that could act on a reader's terminal are escaped, and read back the same."""
    def escaped(char):
        if char in '"\\':
            return "\\" + char
        if char.isprintable():
            return char
        if "\ud800" <= char <= "\udfff":  # half a character, which TOML has no escape for
            return "\\" + text.visible(char)
        return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"

    return '"' + "".join(map(escaped, value)) + '"'

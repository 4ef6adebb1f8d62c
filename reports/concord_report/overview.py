# SPDX-License-Identifier: Apache-2.0
"""A report's first screen: a row for each backend, for whoever decides and reads nothing else."""

import dataclasses

from concord_report import score, service, speed, text, verdict

NAMED = 3  # operations or dtypes that a cell names
# The gravest first; the statistics of all cases together come after them.
GRAVITY = (verdict.CRASH, verdict.HANG, verdict.FAIL, verdict.CLAIM_BROKEN)
SHOWS = {verdict.CRASH: "Crashes", verdict.HANG: "Hangs", verdict.FAIL: "Fails",
         verdict.CLAIM_BROKEN: "Breaks its claims"}


@dataclasses.dataclass
class Row:
    backend: object
    tally: verdict.Tally
    scope: str  # what it serves
    finding: str  # the worst that is known, in a sentence
    case: str | None  # the id of a case that shows it
    unserved: str
    suite: list  # how far the numbers reach, a fact each
    speed: str | None  # if speeds were given
    known: str  # how many of its failures are known, if a list of them was given


def rows(report):
    """A Row for each backend of the report, in order."""
    new = {} if report.known is None else {backend.label: len(cases) for backend, cases in report.known.new}
    said = report.speed
    return [_row(backend, report.tallies[backend.label], new.get(backend.label),
                 None if said is None else speed.of_backend(said, backend)) for backend in report.backends]


def _row(backend, tally, new, how_fast):
    finding, case = _finding(backend, tally)
    broken = sum(tally[word] for word in verdict.BROKEN)
    known = "" if new is None or not broken + new else (
        f"{text.plural(new, 'failure')} not known" if new else "every failure is known")
    return Row(backend, tally, _scope(backend.data["service"]), finding, case,
               _unserved(backend.data["service"], tally), _suite(backend), how_fast, known)


def _scope(parts):
    """"Convolution, Convolution1 in f32, f16; AtrousConv2d in f32"; "nothing" if nothing is served."""
    dtypes = {}
    for part in parts:
        if service.is_served(part):
            dtypes.setdefault(part["operation"], []).append(part["dtype"])
    groups = {}
    for operation, of_operation in dtypes.items():
        groups.setdefault(tuple(of_operation), []).append(operation)
    return "; ".join(f"{_some(operations, 'operations')} in {', '.join(group)}"
                     for group, operations in groups.items()) or "nothing"


def _some(names, what):
    return ", ".join(names) if len(names) <= NAMED else f"{len(names)} {what}"


def _unserved(parts, tally):
    """What no case could be judged of, then how many cases were declined in all."""
    if not parts:
        return "nothing was asked"
    asked, served = {}, set()
    for part in parts:
        asked.setdefault(part["operation"], []).append(part["dtype"])
        if service.is_served(part):
            served.update((part["operation"], part["dtype"]))
    whole = [operation for operation in asked if operation not in served]
    dtypes = [dtype for dtype in dict.fromkeys(part["dtype"] for part in parts) if dtype not in served]
    single = [f"{part['operation']} in {part['dtype']}" for part in parts if not service.is_served(part)
              and part["operation"] in served and part["dtype"] in served]
    said = [_some(names, what) for names, what in (
        (whole, "operations"), (dtypes, "dtypes"), (single, "pairs of operation and dtype")) if names]
    if tally[verdict.DECLINED]:
        said.append(f"{text.plural(tally[verdict.DECLINED], 'case')} declined")
    return "; ".join(said) or "nothing was declined"


def _finding(backend, tally):
    """(the sentence, the id of a case that shows it or None)"""
    data = backend.data
    for word in GRAVITY:
        if tally[word]:
            return _broken(backend, tally, word)
    failed = [pool for pool in data["statistics"] if not pool["passed"]]
    if failed:
        dtypes = ", ".join(dict.fromkeys(pool["dtype"] for pool in failed))
        return f"The errors of all cases together are too large or biased: {dtypes}", None
    if data["error"] is not None:
        return data["error"], None
    if backend.conforms == "unknown":
        complete = backend.done == backend.run["cases"]
        why = service.why_unknown(complete, tally, data["service"], backend.run["narrowed"])
        return why[:1].upper() + why[1:], None
    return _largest_error(backend)


def _broken(backend, tally, word):
    cases = backend.results.those(verdict={word})
    first = text.simplest(cases)[0]
    said = f"{SHOWS[word]} in {text.grouped(tally[word])} of {text.plural(tally.judged, 'judged case')}"
    diagnosis = backend.data["diagnosis"]
    said += f"; {diagnosis['sentence']}" if diagnosis else (
        f", such as {first['operation']} in {first['dtype']}: {first['reason'] or 'no reason given'}")
    others = [f"{verdict.NAMES[other]} {text.grouped(tally[other])}" for other in GRAVITY
              if other != word and tally[other]]
    return said + (f"; also {', '.join(others)}" if others else ""), first["case"]


def _largest_error(backend):
    """Of what passed by a bound, the case that came closest to it. A margin of 1 tells nothing: only the
    nearest value was allowed, and it was computed.
    """
    results, worst = backend.results, None
    columns = zip(*(results.column(field) for field in ("verdict", "tier", "margin")))
    for place, (word, tier, margin) in enumerate(columns):
        if word == verdict.PASS and tier != "exact" and margin is not None and margin < 1 and (
                worst is None or margin > worst[0]):
            worst = margin, place
    if worst is None:
        return "No failure; every judged result is exact or the nearest value", None
    result = results[worst[1]]
    return (f"No failure; the largest error is {text.margin(worst[0])} of what is allowed, "
            f"{result['operation']} in {result['dtype']}"), result["case"]


def _suite(backend):
    run, covered = backend.run, backend.data["covering"]
    done = backend.done
    some = f"{text.grouped(done)} of " if done < run["cases"] else "all "
    what = "selected case" if run["narrowed"] else "case"  # by a filter, a dtype or the like: no whole suite
    facts = [f"{run['suite']}, {some}{text.plural(run['cases'], what)}"]
    if covered:
        facts.append(f"{text.share(covered['pairs'], covered['all_pairs'])} of pairs of levels")
    if not run["narrowed"] and done == run["cases"]:
        facts += score.of_suite(run["suite"])
    return facts

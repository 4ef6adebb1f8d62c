# SPDX-License-Identifier: Apache-2.0
"""Many releases of a backend, oldest first: what became worse and since when, then how the numbers went."""

import dataclasses

from concord_report import results as result_files
from concord_report import speed, text, verdict


@dataclasses.dataclass
class Regression:
    """A case that passed once and is broken in the newest release."""

    result: dict  # of the newest release
    passed_last: int  # the number of the last release in which it passed
    broken_since: int  # of the first one from which it was broken in each that ran it


@dataclasses.dataclass
class Release:
    backend: result_files.Backend
    tally: verdict.Tally
    new: int  # cases broken here that passed in the last release that ran them
    fixed: int  # cases that pass here and were broken there
    bits: dict  # effective bits by dtype, the least of all classes
    rate: float | None  # flop/s, where it was measured


@dataclasses.dataclass
class History:
    name: str
    releases: list
    regressions: list  # the latest first
    dtypes: list  # with effective bits in any release
    layers: int  # that the rates are of; 0 if there are none


def of(files, benches=None):
    """A History of each backend of the files. Refuses files that have not the same backends. `benches` has for each
    file what concord_bench measured of that release, or None.
    """
    first = _names(files[0])
    for file in files[1:]:
        if _names(file) != first:
            raise result_files.Refusal(f"{file.path}: has the backends {', '.join(_names(file)) or 'none'}, but "
                                       f"{files[0].path} has {', '.join(first) or 'none'}: a history is of the same")
    if len(files) < 2:
        raise result_files.Refusal("a history needs two results files, the oldest first")
    benches = benches or [None] * len(files)
    return [_history(name, [_backend(file, name) for file in files], benches) for name in first]


def _names(file):
    names = [backend["name"] or backend["backend"] for backend in file.document["backends"]]
    for name in names:
        if names.count(name) > 1:
            raise result_files.Refusal(f"{file.path}: has backend {name} twice, so its history is not one")
    return sorted(names)


def _backend(file, name):
    (data,) = [each for each in file.document["backends"] if name == (each["name"] or each["backend"])]
    return result_files.Backend(data["backend"], file.path, file.run, data)


def _history(name, backends, benches):
    ways = {}  # of each case, [(release, verdict)]
    for number, backend in enumerate(backends):
        for key, word in zip(backend.results.keys(), backend.results.column("verdict")):
            if word in verdict.JUDGED:
                ways.setdefault(key, []).append((number, word))
    new, fixed = [0] * len(backends), [0] * len(backends)
    for way in ways.values():
        for (_, before), (number, after) in zip(way, way[1:]):
            new[number] += before == verdict.PASS and after != verdict.PASS
            fixed[number] += before != verdict.PASS and after == verdict.PASS
    rates, layers = speed.rates(benches, backends[-1])
    releases = [Release(backend, backend.tally, new[number], fixed[number], _bits(backend), rates[number])
                for number, backend in enumerate(backends)]
    dtypes = dict.fromkeys(dtype for release in releases for dtype in release.bits)
    regressions = _regressions(backends[-1], len(backends) - 1, ways)
    return History(name, releases, regressions, list(dtypes), layers)


def _regressions(newest, number, ways):
    found = []
    for key, result in zip(newest.results.keys(), newest.results):
        if result["verdict"] not in verdict.BROKEN:
            continue
        passed = [at for at, word in ways[key] if word == verdict.PASS]
        if passed:
            since = min(at for at, _ in ways[key] if at > passed[-1])
            found.append(Regression(result, passed[-1], since))
    return sorted(found, key=lambda each: (-each.broken_since, text.size_of(each.result)))


def _bits(backend):
    bits = {}
    for pool in backend.data["statistics"]:
        if pool["all_lengths"]:
            bits[pool["dtype"]] = min(float(pool["effective_bits"]), bits.get(pool["dtype"], float("inf")))
    return bits


def headline(histories):
    count = sum(len(history.regressions) for history in histories)
    return f"{text.plural(count, 'regression') if count else 'No regression'} in the newest of " \
           f"{text.plural(len(histories[0].releases), 'release')}"

# SPDX-License-Identifier: Apache-2.0
"""Is a conformance statement what the results say? All of it is made again and compared line by line."""

import dataclasses
import difflib
import itertools
import pathlib
import tomllib

from concord_report import known, results, statement, text
from concord_report.results import Refusal

COUNTED = ("in_force", "failed", "passed")  # of a known failure: made again
LONGEST = 400


@dataclasses.dataclass
class Check:
    """What does not agree, each a sentence that names its line; and what agrees."""

    wrong: list
    right: list


def check(path, file, plugins, entries=None):
    """Compares the statement in the file `path` with results. Without `entries` the known failures are the
    statement's own, of which only the counts can be wrong. Refuses what is no statement.
    """
    stated = _read(path)
    document = _parsed(path, stated)
    if entries is None:
        entries = known.entries_of(path, [_bare(table) for table in _list(path, document, "known")])
    lines = stated.split("\n")
    backend = _backend_of(file, document)
    if backend is None:
        number = next(n for n, line in enumerate(lines, 1) if line.replace(" ", "").startswith("backend="))
        there = ", ".join(each.label for each in results.backends_of([file]))
        return Check([f"{path}:{number}: {_shown(lines[number - 1])}: {file.path} has only {there}"], [])
    wanted = statement.render(file, backend, entries).split("\n")
    outcome = Check([f"{path}:{sentence}" for sentence in differences(lines, wanted)], [])
    if not outcome.wrong:
        outcome.right.append(f"{path}: all {len(lines) - 1} lines agree with {file.path}")
    _check_plugins(backend, plugins, outcome)
    return outcome


def differences(stated, wanted):
    """NUMBER: what the line says, and what the results give in its place."""
    matcher = difflib.SequenceMatcher(None, stated, wanted, autojunk=False)
    for kind, begin, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        for offset, (old, new) in enumerate(itertools.zip_longest(stated[begin:end], wanted[first:last])):
            number = min(begin + offset, len(stated) - 1) + 1
            if new is None:
                yield f"{number}: says {_shown(old)}, which the results do not give"
            elif old is None:
                yield f"{number}: lacks {_shown(new)}"
            else:
                yield f"{number}: says {_shown(old)}; the results give {_shown(new)}"


def _check_plugins(backend, plugins, outcome):
    judged = {each["sha256"]: pathlib.PurePath(each["path"]).name for each in backend.data["files"]}
    unseen = dict(judged)
    for plugin in plugins:
        digest = statement.sha256_of(plugin)
        if digest in judged:
            unseen.pop(digest, None)
            outcome.right.append(f"{plugin}: is {judged[digest]}, which was judged")
        else:
            names = ", ".join(f"{name} {known_digest}" for known_digest, name in judged.items())
            outcome.wrong.append(f"{plugin}: its SHA-256 is {digest}; judged was {names or 'no file'}")
    for name in unseen.values():
        outcome.right.append(f"{name}: not compared with a file (--plugin)")


def _read(path):
    try:
        return pathlib.Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise Refusal(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Refusal(f"{path}: not UTF-8 text, byte {error.start} is wrong") from error


def _parsed(path, stated):
    try:
        document = tomllib.loads(stated)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refusal(f"{path}: not TOML: {error}") from error
    if document.get("statement") != statement.FORMAT:
        raise Refusal(f"{path}: not a conformance statement: it does not begin with "
                      f"statement = \"{statement.FORMAT}\"")
    if not isinstance(document.get("backend"), str):
        raise Refusal(f"{path}: not a conformance statement: it names no backend")
    return document


def _list(path, document, name):
    value = document.get(name, [])
    if not isinstance(value, list):
        raise Refusal(f"{path}: {name!r} is no list of tables [[{name}]]")
    return value


def _bare(table):
    if not isinstance(table, dict):
        return table
    return {name: value for name, value in table.items() if name not in COUNTED}


def _backend_of(file, document):
    """None if the results do not have it. The class tells apart a backend that was judged as several."""
    found = [each for each in results.backends_of([file]) if each.data["backend"] == document["backend"]]
    same = [each for each in found if (each.data["class"] or "") == document.get("class")]
    return (same or found or [None])[0]


def _shown(line):
    return text.shortened(text.visible(line), LONGEST) or "nothing"

# SPDX-License-Identifier: Apache-2.0
"""The scoreboard as it was kept: in a folder, at a revision of the repository, or on a date."""

import dataclasses
import datetime
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "reports")]
from concord_report import results, service, text  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = "docs/scoreboard"  # in the repository
SPEED = "speed"  # the folder in it
Refusal = results.Refusal
LIBRARY = {"backend": str, "name": str, "version": str, "processor": str, "suite": str, "shard": str, "date": str,
           "threads": int, "conforms": str, "counts": dict, "rows": list}
ROW = {"operation": str, "dtype": str, "judged": int, "declined": int, "failed": dict, "classes": list,
       "bits": (int, float, type(None))}
SPEEDS = {"setting": str, "dtype": str, "date": str, "processor": str, "clock": str, "libraries": dict}
RATIO = {"layers": int, "speed": (int, float), "least": (int, float)}


@dataclasses.dataclass
class Board:
    said: str  # where it is from
    libraries: list  # a summary of each backend
    speeds: list  # a summary of each file of concord_bench


def of_folder(folder, empty=False):
    """Refuses a file that is no summary, and a folder without one unless it may be empty."""
    folder = pathlib.Path(folder)
    files = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8", errors="replace")
             for path in sorted([*folder.glob("*.json"), *folder.glob(f"{SPEED}/*.json")])}
    whole, root = folder.resolve(), HERE.parent
    said = whole.relative_to(root) if whole.is_relative_to(root) else folder
    return _board(str(said), str(said), files, empty)


def of(word, root=HERE.parent):
    """Of a folder, a date as 2026-11-23 (the last commit of that day in UTC or before it), or a revision."""
    if pathlib.Path(word).is_dir():
        return of_folder(word)
    commit = _on_date(word, root) if re.fullmatch(r"\d{4}-\d\d-\d\d", word) else _git(
        root, "rev-parse", "--verify", "--quiet", f"{word}^{{commit}}")
    if not commit:
        raise Refusal(f"{word}: neither a folder nor a revision nor a date such as 2026-11-23")
    said = _git(root, "show", "--no-patch", "--date=format-local:%Y-%m-%d", "--format=%h of %cd", commit)
    names = _git(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", FOLDER + "/").split("\0")
    files = {name.removeprefix(FOLDER + "/"): _git(root, "show", f"{commit}:{name}")
             for name in names if name.endswith(".json")}
    return _board(said, f"{word}: {FOLDER}", files)


def _on_date(word, root):
    try:
        datetime.date.fromisoformat(word)
    except ValueError as error:
        raise Refusal(f"{word}: no date: {error}") from error
    commit = _git(root, "rev-list", "-1", f"--before={word} 23:59:59 +0000", "HEAD")
    if not commit:
        raise Refusal(f"{word}: no commit is that old")
    return commit


def _git(root, *arguments):
    """What git prints; "" if it fails."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, errors="replace", check=False,
                              env={"PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C", "HOME": str(pathlib.Path.home())})
    except OSError as error:
        raise Refusal(f"git: {error.strerror}") from error
    if done.returncode and done.stderr.strip():
        raise Refusal(f"git {arguments[0]}: {done.stderr.strip().splitlines()[0]}")
    return "" if done.returncode else done.stdout.strip("\n")


def _board(said, place, files, empty=False):
    libraries, speeds = [], []
    for name, written in files.items():
        path = f"{place}/{name}"
        document = results.parse(path, written)
        if name.startswith(SPEED + "/"):
            speeds.append(_checked(path, document, SPEEDS, "libraries", RATIO))
        else:
            libraries.append({**_checked(path, document, LIBRARY, "rows", ROW), "file": name})
    if not libraries and not empty:
        raise Refusal(f"{place}: has no summary of a backend: there was no scoreboard yet")
    for library in libraries:
        library["rows"].sort(key=lambda row: service.order((row["operation"], row["dtype"])))
    libraries.sort(key=lambda library: (library["backend"], library["processor"]))
    return Board(said, libraries, speeds)


def _checked(path, document, fields, parts, part_fields):
    """The document, if it and its parts have the fields that the pages read."""
    def check(place, value, wanted):
        if not isinstance(value, dict):
            raise Refusal(f"{path}: {place or 'it'} is no object")
        for field, kind in wanted.items():
            if field not in value or not isinstance(value[field], kind):
                raise Refusal(f"{path}: not a summary of the scoreboard: {place}{field} is missing or of another type")

    check("", document, fields)
    each = document[parts].items() if isinstance(document[parts], dict) else enumerate(document[parts])
    for key, part in each:
        check(f"{parts}[{text.shortened(str(key), 40)}].", part, part_fields)
    return document

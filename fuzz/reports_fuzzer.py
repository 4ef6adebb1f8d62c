#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""reports_fuzzer.py SECONDS [--seed N] [--found DIR] [--runs N]

Fuzzes the programs that read files of others: reports, merge, diff, history, statements and their check,
known failures, and the import of models. Inputs are mutations of fuzz/corpora/reports; those that reach
lines that none before reached are kept in DIR, and mutated, too. Whatever the input is, a program answers
or refuses it in one sentence that names the file; a page holds no markup that an input brings in, and what
merge writes can be read.

Prints how many inputs were tried and how many lines of the programs they reached. Exit codes: 0 no
finding, 1 a finding, which is kept in DIR/finding-*.
"""

import argparse
import copy
import json
import os
import pathlib
import random
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "reports"))
from concord_import import files as imported  # noqa: E402
from concord_report import (csv_table, diff, diff_text, digest, history, known, markdown, merge, page,  # noqa: E402
                            report, results, sarif, statement, statement_check)

MARKUP = "<script>evil()</script>"
WORDS = ("", "\0", "nan", "inf", MARKUP, "'\"><b>", "\u202e", "\ud800", "../../etc/passwd", "x" * 5000, "1/2", "2/2",
         "reference", "PASS", "FAIL", "HARNESS_ERROR", "exact", "f32", "[", "*", "\n", "}}", "{{ 7*7 }}", "=1+1", "|")
NUMBERS = (0, 1, -1, 2, 2**31, 2**53, 2**63, 2**64, -2**63, 10**400, 0.5, 1e308, -1e308, 5e-324, 1e-400)
PACKAGES = tuple(str(ROOT / "reports" / name) for name in ("concord_report", "concord_import"))


class Reached:
    """Which lines of the programs have run."""

    def __init__(self):
        self.lines = set()
        self.new = False

    def trace(self, frame, event, _argument):
        if not frame.f_code.co_filename.startswith(PACKAGES):
            return None
        place = (frame.f_code, frame.f_lineno)
        if event in ("call", "line") and place not in self.lines:
            self.lines.add(place)
            self.new = True
        return self.trace

    def of_code(self):
        """Lines by file, as text."""
        return {(code.co_filename, line) for code, line in self.lines}


def mutated_value(value, dice):
    kind = dice.randrange(6)
    if kind == 0:
        return dice.choice(WORDS)
    if kind == 1:
        return dice.choice(NUMBERS)
    if kind == 2:
        return dice.choice((None, True, False, [], {}, [[]], {"": None}))
    if isinstance(value, str) and value:
        at = dice.randrange(len(value))
        return value[:at] + dice.choice(WORDS) + value[at + dice.randrange(2):]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return -value if dice.random() < .3 else value + dice.choice((-1, 1))
    return value


def places_in(value, found):
    """Every (container, key) of a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in entries:
        found.append((value, key))
        places_in(each, found)
    return found


def mutated_document(document, dice):
    document = copy.deepcopy(document)
    for _ in range(1 + int(dice.expovariate(.7))):
        places = places_in(document, [])
        if not places:
            return document
        container, key = dice.choice(places)
        deed = dice.randrange(5)
        if deed == 0:
            del container[key]
        elif deed == 1 and isinstance(container, list):
            container.insert(key, copy.deepcopy(container[key]))
        elif deed == 2:
            other, name = dice.choice(places)
            container[key] = copy.deepcopy(other[name]) if isinstance(other, list) or name in other else None
        else:
            container[key] = mutated_value(container[key], dice)
    if dice.random() < .8:  # else the digest refuses it
        try:
            document = digest.sealed(document)
        except (AttributeError, KeyError, TypeError, ValueError):
            pass
    return document


def mutated_bytes(data, dice):
    data = bytearray(data)
    for _ in range(1 + int(dice.expovariate(.5))):
        at = dice.randrange(len(data) + 1)
        deed = dice.randrange(4)
        if deed == 0:
            del data[at:at + 1 + int(dice.expovariate(.1))]
        elif deed == 1:
            data[at:at] = dice.choice(WORDS).encode("utf-8", "surrogatepass")
        elif deed == 2:
            begin = dice.randrange(len(data) + 1)
            data[at:at] = data[begin:begin + 1 + int(dice.expovariate(.05))]
        elif at < len(data):
            data[at] = dice.randrange(256)
    return bytes(data)


def mutated(name, data, dice):
    if name.endswith(".json") and dice.random() < .85:
        try:
            return json.dumps(mutated_document(json.loads(data), dice)).encode("utf-8", "surrogatepass")
        except (RecursionError, ValueError):
            pass
    return mutated_bytes(data, dice)


class Wrong(Exception):
    """What a program did that none may."""


def refused(path, run):
    """What `run` returns; None if the input was refused, in one sentence that names it."""
    try:
        return run()
    except results.Refusal as refusal:
        if "\n" in str(refusal):
            raise Wrong(f"a refusal of several lines: {refusal}") from refusal
        if str(path) not in str(refusal) and "its parts are too large to add up" not in str(refusal):
            raise Wrong(f"a refusal that does not name {path}: {refusal}") from refusal
        return None


def check_rendered(files, good):
    made = report.Report.of(files, 3)
    for text in (page.render(made), page.render_history(history.of([good, *files]), 3)):
        if MARKUP in text:
            raise Wrong("a page with an input's markup in it")
    for render in (markdown.render, csv_table.render, sarif.render):
        render(made)
    for old, new in ((files[0], good), (good, files[0])):
        for style in (diff_text.Plain, diff_text.Markdown):
            diff_text.render(diff.compare(old, new), 3, style)
    for backend in results.backends_of(files[:1]):
        statement.render(files[0], backend, [])


def check_results(path, good, folder):
    file = refused(path, lambda: results.load(path))
    if file is None:
        return
    refused(path, lambda: check_rendered([file], good))
    document = refused(path, lambda: merge.merged([file], ["merge"]))
    if document is None:
        return
    text = refused(path, lambda: results.printed(document))
    if text is not None:
        again = folder / "merged.json"
        again.write_text(text, encoding="utf-8")
        if len(results.load(again).document["backends"]) != len(file.document["backends"]):
            raise Wrong("merge loses a backend")


def check(name, path, good, folder):
    if name.endswith(".json"):
        check_results(path, good, folder)
    elif name.endswith(".known.toml"):
        refused(path, lambda: known.read(path))
    elif name.endswith(".statement"):
        refused(path, lambda: statement_check.check(str(path), good, []))
    else:
        refused(path, lambda: imported.collect(str(path), None, None, []))


class Fuzzing:
    def __init__(self, options, folder):
        self.dice = random.Random(options.seed)
        self.folder, self.found = folder, options.found
        self.corpus = [(path.name, path.read_bytes()) for path in sorted((ROOT / "fuzz/corpora/reports").iterdir())]
        self.good = results.load(ROOT / "reports/tests/sample.json")
        self.reached, self.tried, self.kept = Reached(), 0, 0

    def try_one(self, name, data):
        """Why the input is a finding; None if it is none."""
        path = self.folder / ("input" + name[name.index("."):] if "." in name else "input")
        path.write_bytes(data)
        self.tried, self.reached.new = self.tried + 1, False
        sys.settrace(self.reached.trace)
        try:
            check(name, path, self.good, self.folder)
        except Exception:  # pylint: disable=broad-except  # any other than a refusal is a finding
            return traceback.format_exc()
        finally:
            sys.settrace(None)
        return None

    def keep(self, name, data, what):
        self.found.mkdir(parents=True, exist_ok=True)
        stem, _, kind = name.partition(".")
        path = self.found / f"{what}-{stem.partition('-')[0]}-{self.tried}.{kind}"
        path.write_bytes(data)
        return path

    def run(self, seconds, runs):
        end = time.monotonic() + seconds
        inputs = list(self.corpus)
        while time.monotonic() < end and self.tried < runs:
            name, data = inputs.pop(0) if inputs else self.dice.choice(self.corpus)
            if self.tried >= len(self.corpus) - self.kept:
                data = mutated(name, data, self.dice)
            trouble = self.try_one(name, data)
            if trouble:
                print(f"{self.keep(name, data, 'finding')}:\n{trouble}", flush=True)
                return 1
            if self.reached.new and self.tried > len(self.corpus) - self.kept and len(data) < 1 << 16:
                self.corpus.append((name, data))
                self.kept += 1
                self.keep(name, data, "kept")
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[2])
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=int, default=10**9)
    parser.add_argument("--found", type=pathlib.Path, default=ROOT / "build/fuzz/corpora/reports")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        fuzzing = Fuzzing(options, pathlib.Path(folder))
        code = fuzzing.run(options.seconds, options.runs)
    print(f"reports: {fuzzing.tried} inputs, {fuzzing.kept} kept, {len(fuzzing.reached.of_code())} lines reached")
    return code


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    sys.exit(main())

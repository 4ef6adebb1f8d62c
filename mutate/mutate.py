#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures suites by bugs that a machine made: mutants of real kernels' compiled code.

usage: mutate.py --source NAME --count N --seed N --out DIR --jobs N

Draws mutations of a source's LLVM IR at random: a source line and column with a kind of mutation
first, then one of its copies among the instances of a template. Those that compile to the same
object code as before, and those that no suite ever executes, are only counted. The others are
linked as plugins and judged by each suite in turn until one finds them: by a case that fails on the
mutant and passes on the plugin unmutated. Run again with the same --out, it continues.

DIR/results.json lists all mutants, DIR/results.md has the table and the survivors. docs/suites.md
explains both.
"""

import argparse
import concurrent.futures
import itertools
import json
import pathlib
import random
import sys
import time
from typing import NamedTuple

import build
import judge
import operators
import sources
import summary

ROOT = pathlib.Path(__file__).resolve().parent.parent
# How often the plugin unmutated is judged again: one that reads beside its tensors may pass a case by
# chance.
AGAIN = 3


class Draw(NamedTuple):
    """One mutation of one instruction."""
    unit: build.Unit
    instruction: object
    mutation: operators.Mutation

    def key(self):
        """What the copies of one mutation have in common."""
        place = self.instruction.place
        return place.file, place.line, place.column, self.mutation.kind, self.mutation.what

    def describe(self, source):
        """What results.json says of it at first."""
        place = self.instruction.place
        ident = build.digest(repr((source, self.unit.path, self.instruction.index, self.mutation))
                             .encode())[:10]
        return {"id": ident, "source": source, "file": place.file, "line": place.line,
                "column": place.column, "function": place.function,
                "kind": self.mutation.kind, "what": self.mutation.what,
                "half": "ab"[int(ident, 16) % 2], "unit": self.unit.path,
                "before": self.instruction.text.strip(),
                "after": [line.strip() for line in self.mutation.lines]}


def draws(plugin, seed, only=None):
    """Each mutation of a plugin's source once, in a random order: one of its copies."""
    copies = {}
    for unit in plugin.units:
        for instruction in plugin.text(unit).instructions(plugin.source.has):
            if only and only != f"{instruction.place.file}:{instruction.place.line}":
                continue
            for mutation in operators.mutations(instruction.text):
                draw = Draw(unit, instruction, mutation)
                copies.setdefault(draw.key(), []).append(draw)
    chance = random.Random(seed)
    keys = sorted(copies)
    chance.shuffle(keys)
    for key in keys:
        yield chance.choice(copies[key])


class Session:
    """The mutants of one source: builds, judges and records them."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.folder = options.out / name
        self.plugin = build.Plugin(sources.SOURCES[name], ROOT, options.build, self.folder,
                                   options.clang)
        self.journal = self.folder / "mutants.jsonl"
        self.mutants = []
        if self.journal.exists():
            self.mutants = read_journal(self.journal)
        config = self.plugin.source.config
        self.judges = {suite: judge.Judge(options.build / "bin/concord", cases, config,
                                          options.threads, options.deadline, options.memory_limit,
                                          self.plugin.marks)
                       for suite, cases in options.suites.items()}
        # Of each suite, unmutated: cases that fail, how many are declined, marks of blocks.
        self.baseline, self.declined, self.reached = {}, {}, {}
        self.seen = set()                     # objects of earlier mutants

    def prepare(self):
        """Builds what all mutants share, and learns what fails and what is executed unmutated."""
        self.first = self.plugin.prepare(self.options.jobs)
        self._texts = {unit.object: self.plugin.text(unit) for unit in self.plugin.units}
        stamp = self._stamp()
        kept = self.folder / "baseline.json"
        if kept.exists() and (known := json.loads(kept.read_text()))["stamp"] == stamp:
            self.baseline, self.declined = known["failed"], known["declined"]
            self.reached = {suite: bytes.fromhex(text) for suite, text in known["marks"].items()}
            return
        if self.mutants:
            raise SystemExit(f"{self.journal}: made with other sources, suites or tools; choose "
                             f"another --out")
        for suite, one in self.judges.items():
            self.plugin.marks.write_bytes(bytes(self.plugin.marks.stat().st_size))
            plain, _ = one.finds([self.folder / "plain.so", self.folder / "marked.so"], judge.ALL)
            self.baseline[suite], self.declined[suite] = list(plain["failed"]), plain["declined"]
            for _ in range(AGAIN):
                again, = one.finds([self.folder / "plain.so"], judge.ALL)
                self.baseline[suite] = sorted({*self.baseline[suite], *again["failed"]})
            if not self.baseline[suite] and plain["verdict"] != "SURVIVED":
                raise SystemExit(f"{self.name}: the plugin unmutated: {plain['place']}")
            self.reached[suite] = self.plugin.marks.read_bytes()
            if not any(self.reached[suite]):
                raise SystemExit(f"{self.name}: {suite} executes none of {self.plugin.source.files}")
        kept.write_text(json.dumps({
            "stamp": stamp, "failed": self.baseline, "declined": self.declined,
            "marks": {suite: marks.hex() for suite, marks in self.reached.items()}}))

    def _stamp(self):
        """What a journal is for: the code, the command that judges, and the options."""
        command = (self.options.build / "bin/concord").read_bytes()
        plain = "".join(build.digest(data) for data in self.plugin.plain.values())
        return build.digest(command + repr((plain, self.options.suites, self.options.seed,
                                            self.options.only, self.options.threads, AGAIN)).encode())

    def run(self):
        """Draws mutants until `count` of them can be judged, then each suite judges those that the
        ones before it did not find."""
        known = {one["id"] for one in self.mutants}
        self.seen = {one["object"] for one in self.mutants if "object" in one}
        order = (draw for draw in draws(self.plugin, f"{self.options.seed} {self.name}",
                                        self.options.only)
                 if draw.describe(self.name)["id"] not in known)
        first, *later = self.judges
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            while not self.options.is_over():
                judged = sum(one["state"] == "judged" for one in self.mutants)
                want = min(self.options.batch, self.options.count - judged)
                batch = list(itertools.islice(order, max(0, want)))
                if not batch:
                    break
                records = self._build(batch, pool)
                self.mutants += records
                self._judge(first, records)
        for suite in later:
            left = [one for one in self.mutants if one["state"] == "judged" and
                    suite not in one["suites"] and summary.is_survivor(one)]
            for begin in range(0, len(left), self.options.batch):
                if self.options.is_over():
                    return
                self._judge(suite, left[begin:begin + self.options.batch])

    def _build(self, batch, pool):
        """The records of the batch; those whose state is "judged" are linked as plugins."""
        records = [draw.describe(self.name) for draw in batch]
        objects = list(pool.map(self._compile, batch, records))
        for record, data, draw in zip(records, objects, batch):
            if data is None:
                continue
            record["object"] = build.digest(data)
            if data == self.plugin.plain[draw.unit.object]:
                record["state"] = "same"
            elif record["object"] in self.seen:
                record["state"] = "repeated"
            else:
                record["state"] = "judged"
                self.seen.add(record["object"])
                try:
                    self.plugin.link_plugin(self._path(record), {draw.unit.object: data})
                except build.BuildError as error:
                    record.update(state="invalid", why=str(error)[-300:])
        return records

    def _compile(self, draw, record):
        """The mutant's object, or None where its record says why there is none."""
        block = self.first[draw.unit.object] + draw.instruction.block
        record["reached"] = [suite for suite, marks in self.reached.items() if marks[block]]
        if not record["reached"]:
            record["state"] = "unreached"
            return None
        text = self._texts[draw.unit.object].text(draw.instruction.index, draw.mutation.lines)
        try:
            return self.plugin.compile(text)
        except build.BuildError as error:
            record.update(state="invalid", why=str(error)[-300:])
            return None

    def _path(self, record):
        return self.folder / f"{record['id']}.so"

    def _judge(self, suite, records):
        """Lets `suite` judge those of `records` that have a plugin, and writes all down."""
        alive = [one for one in records if one["state"] == "judged"]
        runs = [one for one in alive if suite in one["reached"]]
        finds = self.judges[suite].finds([self._path(one) for one in runs], self.options.finds,
                                         self.baseline[suite]) if runs else []
        for one in alive:
            one.setdefault("suites", {})[suite] = {"found": False}  # also where nothing executes it
        for one, find in zip(runs, finds):
            one["suites"][suite] = {
                "found": find["verdict"] != "SURVIVED",
                **{key: find[key] for key in ("verdict", "tier", "place", "cases", "failed")},
                "declines": find["declined"] - self.declined[suite]}
        for one in alive:
            is_done = not summary.is_survivor(one) or suite == list(self.judges)[-1]
            if is_done and not self.options.keep:
                self._path(one).unlink(missing_ok=True)
        with open(self.journal, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in records)
        counts = summary.count(self.mutants, list(self.judges))
        print(f"{self.name}, {suite}: {counts['judged']} judged, {counts['survived']} survived, "
              f"{counts['same']} the same, {counts['unreached']} not executed", flush=True)


def all_mutants(out):
    """Those of every source in the folder `out`, of earlier runs as well."""
    return [one for path in sorted(out.glob("*/mutants.jsonl")) for one in read_journal(path)]


def read_journal(path):
    """The mutants of a journal; a later line about one replaces an earlier one."""
    records = map(json.loads, path.read_text().splitlines())
    return list({one["id"]: one for one in records}.values())


def write(mutants, options):
    """results.json and results.md."""
    suites = list(options.suites)
    results = {"command": sys.argv, "suites": suites, "seed": options.seed, "counts": {
        source: summary.count(group, suites) for source, group in summary.by_source(mutants).items()
    }, "mutants": mutants}
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "results.md").write_text(summary.markdown(mutants, suites))


def read_options(arguments):
    """The command line, checked."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--source", action="append", choices=[*sources.SOURCES, "all"],
                        required=True, help="what is mutated (repeatable)")
    parser.add_argument("--count", type=int, default=100,
                        help="mutants to judge of each source (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at a time")
    parser.add_argument("--suite", action="append", help="repeatable, cheap ones first "
                        "(default: smoke, full)")
    parser.add_argument("--problems", help="a file of problems instead of a suite")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release",
                        help="a folder in which concord and the plugins are built")
    parser.add_argument("--clang", default="clang-14", help="the compiler; 14 writes typed pointers, "
                        "which the operators expect")
    parser.add_argument("--finds", type=int, default=3,
                        help="failing cases to list of each mutant (default: %(default)s)")
    parser.add_argument("--batch", type=int, default=24, help="mutants judged together")
    parser.add_argument("--threads", type=int, default=1, help="how many threads a mutant may use")
    parser.add_argument("--deadline", type=float, default=5, help="of each request, in seconds")
    parser.add_argument("--memory-limit", type=float, default=4, help="of a process, in GiB")
    parser.add_argument("--time-budget", type=float, help="begin no batch after so many seconds")
    parser.add_argument("--only", help="FILE:LINE: mutate this line only")
    parser.add_argument("--keep", action="store_true", help="keep the mutants' plugins")
    options = parser.parse_args(arguments)
    if options.count < 1 or options.jobs < 1 or options.finds < 1 or options.batch < 1:
        parser.error("--count, --jobs, --finds and --batch are at least 1")
    options.suites = {name: ["--suite", name] for name in options.suite or ("smoke", "full")}
    if options.problems:
        options.suites = {"problems": ["--problems", options.problems]}
    if not (options.build / "bin/concord").exists():
        parser.error(f"--build {options.build}: there is no bin/concord")
    options.out, options.build = options.out.resolve(), options.build.resolve()
    begin = time.monotonic()
    options.is_over = lambda: (options.time_budget is not None and
                               time.monotonic() - begin > options.time_budget)
    return options


def main(arguments):
    """Returns the exit code: 0 unless something could not be built or judged."""
    options = read_options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    names = list(sources.SOURCES) if "all" in options.source else options.source
    for name in dict.fromkeys(names):
        try:
            session = Session(name, options)
            session.prepare()
            session.run()
        except (build.BuildError, RuntimeError) as error:
            print(f"mutate: {name}: {error}", file=sys.stderr)
            return 2
        write(all_mutants(options.out), options)
    print((options.out / "results.md").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

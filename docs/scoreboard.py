#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What libraries serve, how well and how fast, as docs/scoreboard.md and .html: made from summaries of results that docs/scoreboard keeps.

usage: scoreboard.py add FILE.json...   keeps a summary of each backend of results of `concord run`, in place of the older one on such a
                                        processor; or of a file of concord_bench, on the machine that measured it
       scoreboard.py page               writes the pages
       scoreboard.py check              exits with 1 unless the pages are what `page` would write
       scoreboard.py diff OLD NEW [PAGE.md|PAGE.html]...
                                        what changed between two folders of summaries, revisions, or dates (2026-11-23: the last commit
                                        of that day or before it); in Markdown to standard output if no page is named
       scoreboard.py --kept FOLDER ...  another folder than docs/scoreboard, with its pages beside it

Exit code 2: wrong arguments or files.
"""

import collections
import datetime
import fnmatch
import json
import os
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "findings"), str(HERE.parent / "reports")]
import kept_page  # noqa: E402  pylint: disable=wrong-import-position
import scoreboard_diff  # noqa: E402  pylint: disable=wrong-import-position
import scoreboard_kept  # noqa: E402  pylint: disable=wrong-import-position
import scoreboard_view  # noqa: E402  pylint: disable=wrong-import-position
from concord_report import bench_files, command, known, page as html, results, verdict  # noqa: E402  pylint: disable=wrong-import-position
from rules import finding_of  # noqa: E402  pylint: disable=wrong-import-position
from scoreboard_view import NOT_EXPLAINED  # noqa: E402  pylint: disable=wrong-import-position

# The instruction sets that matter to these libraries, the most recent first.
FLAGS = (("amx_bf16", "AMX"), ("avx512_bf16", "AVX-512 bf16"), ("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"), ("sse4_1", "SSE"),
         ("sve", "SVE"), ("asimd", "NEON"))


def instruction_set(features):
    """The newest instruction set of a processor."""
    return next((name for flag, name in FLAGS if flag in features), "no vectors")


def features_here():
    """Of this machine's processor, as results.json names them."""
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return set(next((line for line in lines if line.startswith(("flags", "Features"))), "").split())


def explained(entries, data, result):
    """The finding that a failing case of a backend shows: a program's name, a heading of findings.md, or NOT_EXPLAINED. `entries` are the known
    failures of that version on that processor.
    """
    try:
        finding = finding_of(data["backend"], result)
    except (KeyError, ValueError):  # the rules read discrete convolutions alone
        finding = None
    listed = (entry.reason.partition(": ")[2] for entry in entries if fnmatch.fnmatchcase(result["case"], entry.case))
    return finding or next(listed, None) or NOT_EXPLAINED


def summary(backend):
    """The part of a backend's results that the pages show."""
    run, data = backend.run, backend.data
    entries = [entry for entry in known.read(HERE / "known_failures.toml") if entry.is_of(backend)]
    failures = collections.defaultdict(collections.Counter)
    for result in backend.results:
        if result["verdict"] in verdict.BROKEN:
            failures[result["operation"], result["dtype"]][explained(entries, data, result)] += 1
    bits = {(each["dtype"], each["class"]): each["effective_bits"] for each in data["statistics"]
            if each["all_lengths"]}
    rows = []
    for served in data["service"]:
        if not served["judged"]:
            continue
        key = served["operation"], served["dtype"]
        found = [bits[served["dtype"], name] for name in served["classes"] if (served["dtype"], name) in bits]
        rows.append({"operation": key[0], "dtype": key[1], "judged": served["judged"],
                     "declined": served["declined"], "failed": dict(sorted(failures[key].items())),
                     "classes": served["classes"], "bits": round(min(found), 1) if found else None})
    return {"backend": data["backend"], "name": data["name"], "version": data["version"],
            "processor": instruction_set(run["machine"]["features"]), "suite": run["suite"], "shard": run["shard"],
            "date": run["started"][:10], "threads": run["threads"], "conforms": data["conforms"],
            "counts": {word: count for word, count in data["counts"].items() if count}, "rows": rows}


def speeds(document):
    """The part of a file of concord_bench that the pages show: how fast libraries were, over the engine."""
    found = {}
    for name in {side["name"] for layer in document["layers"] for side in layer["competitors"][1:]} - {bench_files.MOVING}:
        ratios = [1 / ratio for layer in document["layers"] if (ratio := bench_files.ratio(layer, name)) is not None]
        if ratios:
            found[name] = {"layers": len(ratios), "speed": round(bench_files.geomean(ratios), 3), "least": round(min(ratios), 3)}
    return {"setting": bench_files.title(document), "dtype": document["dtype"], "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
            "processor": instruction_set(features_here()), "clock": document.get("clock", "wall"), "libraries": dict(sorted(found.items()))}


class Kept:
    """A folder of summaries, and the pages beside it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.markdown, self.html = (self.folder.parent / f"{self.folder.name}{suffix}" for suffix in (".md", ".html"))

    def add(self, path):
        """Keeps the summaries of one file. Refuses what is no whole run of a suite or of a shard of it."""
        try:
            document = results.parse(path, pathlib.Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise results.Refusal(f"{path}: {error}") from error
        if isinstance(document, dict) and "layers" in document:
            made = speeds(bench_files.checked(document))
            self._write(f"{scoreboard_kept.SPEED}/{_name(made['setting'], made['processor'])}.json", made)
            return
        file = results.load(path)
        run = file.run
        for backend in file.document["backends"]:
            if backend["error"] or not run["complete"]:
                raise results.Refusal(f"{path}: {backend['backend']} was not judged on all of its cases")
        if run["filter"] or run["operations"] or run["dtypes"] or any(backend["tallied"] for backend in file.document["backends"]):
            raise results.Refusal(f"{path}: not a run of a suite, with every case listed")
        for backend in results.backends_of([file]):
            self._put(summary(backend))

    def _put(self, made):
        """In the place of the same backend on the same kind of processor."""
        key = made["backend"], made["processor"]
        before = scoreboard_kept.of_folder(self.folder, empty=True).libraries
        name = next((each["file"] for each in before if (each["backend"], each["processor"]) == key), None)
        self._write(name or f"{_name(*key)}.json", made)

    def _write(self, name, made):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")

    def pages(self):
        """[(path, text)]"""
        board = scoreboard_kept.of_folder(self.folder)
        base = base_of(self.markdown)
        return [(self.markdown, scoreboard_view.Markdown(board, base).page()),
                (self.html, html.render_scoreboard("scoreboard.html", board=board, view=scoreboard_view, base=base))]

    def write(self):
        for path, text in self.pages():
            path.write_text(text, encoding="utf-8")

    def complaints(self):
        for path, text in self.pages():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                yield f"{path} is not what docs/scoreboard.py page writes"


def _name(*words):
    return re.sub(r"\W+", "_", "_".join(words).lower())


def base_of(page):
    """The way from a page to the folder docs: "", or with a slash at its end."""
    way = os.path.relpath(HERE, pathlib.Path(page).resolve().parent)
    return "" if way == "." else f"{way}/"


def diff(old, new, *pages):
    """Writes what changed as each page, as Markdown to standard output if there is none."""
    changes = scoreboard_diff.Changes(scoreboard_kept.of(old), scoreboard_kept.of(new))
    for name in pages or ("-",):
        suffix = pathlib.Path(name).suffix
        if name != "-" and suffix not in (".md", ".html"):
            raise results.Refusal(f"{name}: a page ends with .md or .html")
        base = base_of("stdout" if name == "-" else name)
        command.write(name, html.render_scoreboard("scoreboard_diff.html", changes=changes, view=scoreboard_view, base=base)
                      if suffix == ".html" else scoreboard_diff.markdown(changes, base))


def main(arguments):
    arguments, kept = list(arguments), Kept(HERE / "scoreboard")
    if arguments[1:2] == ["--kept"] and len(arguments) > 3:
        kept = Kept(arguments[2])
        del arguments[1:3]
    if arguments[1:2] == ["diff"] and len(arguments) > 3:
        diff(*arguments[2:])
        return 0
    return kept_page.main(arguments, __doc__, lambda paths: [kept.add(path) for path in paths], kept.write, kept.complaints)


if __name__ == "__main__":
    sys.exit(command.run(lambda: main(sys.argv)))

# SPDX-License-Identifier: Apache-2.0
"""What the pages of the scoreboard show of kept summaries, and the Markdown page."""

import collections
import dataclasses
import functools
import pathlib
import re

from scoreboard_kept import HERE  # first: it makes the report's modules known
from concord_report import headline, service, verdict  # pylint: disable=wrong-import-order
import doc_text  # pylint: disable=wrong-import-order

NOT_EXPLAINED = "not explained"
ENGINE = "optimized"
PROGRAM, UPSTREAM = re.compile(r"\]\((findings/\w+\.\w+)\)"), re.compile(r"\]\((findings/upstream/\w+\.md)\)")
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by docs/scoreboard.py from docs/scoreboard/*.json: do not edit. -->
# Scoreboard

What the libraries of the shipped adapters serve, what of that conforms, and how fast they are. The same [as HTML](scoreboard.html). A row is a backend on a
processor with an instruction set: the newest run there. Rows of different suites and dates were judged on different cases, so that only shares of them can be compared.

To add or renew a library: `concord run --suite smoke --backend NAME --out r.json`, then `docs/scoreboard.py add r.json` and
`docs/scoreboard.py page`; [half a minute to two](notes/2026-11-27-minutes-to-a-verdict.md) from a package to the verdict. `docs/scoreboard.py diff 2026-11-25 HEAD` shows what changed since a date, a revision, or a folder of such results.
"""
WORDS = (
    ("served", "judged cases of an operation in a dtype: they passed or failed"),
    ("declined", "cases of it that the backend said it does not serve; operations and dtypes of which it serves nothing are not listed"),
    ("failed", "those of the served cases that failed, crashed, hung or were declined after all, by the defect that explains them"),
    ("class", "the arithmetic that the adapter declares"),
    ("bits", "how many bits are right of sums of random reals in that dtype, over all operations: the effective bits of the worst class"),
    ("speed", "the engine's time over the library's, above 1 where the library is faster: the geometric mean over the layers of concord_bench that "
              "it serves, each the median over rounds in which both took turns. Empty where nothing was measured: the time of a case in a conformance run "
              "includes data, oracle and judge, and says nothing about it. On a machine that others use, differences under 5 % mean nothing; "
              "performance.md has the figures of quiet ones"),
)


@dataclasses.dataclass
class Finding:
    """A defect: its heading in findings.md and what lies beside it, as links from the folder docs."""

    title: str
    page: str
    program: str | None
    upstream: str | None


@functools.lru_cache(maxsize=1)
def _sections():
    """[(heading, text)] of findings.md."""
    parts = re.split(r"^## (.*)\n", (HERE / "findings.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


@functools.lru_cache(maxsize=None)
def finding(name):
    """The defect that a summary names by its program or by its heading; one that findings.md does not have is only named."""
    for title, body in _sections():
        programs = [target for target in PROGRAM.findall(body) if (HERE / target).exists()]
        if name in [pathlib.PurePath(each).stem for each in programs] or title == name or title.endswith(f": {name}"):
            program = next((each for each in programs if pathlib.PurePath(each).stem == name), programs[0] if programs else None)
            upstream = next(iter(UPSTREAM.findall(body)), None)
            return Finding(title, f"findings.md#{doc_text.slug(title)}", program, upstream)
    return Finding(name, "findings.md", None, None)


def failed(row):
    return sum(row["failed"].values())


def failures_of(library):
    """How many cases show each defect."""
    return sum((collections.Counter(row["failed"]) for row in library["rows"]), collections.Counter())


def row_of(library, operation, dtype):
    return next((row for row in library["rows"] if (row["operation"], row["dtype"]) == (operation, dtype)), None)


def columns(libraries):
    """[(operation, [dtype])] of what more than one backend serves, and [(backend, [operation])] of what one alone does."""
    served = {}
    for library in libraries:
        for row in library["rows"]:
            served.setdefault(row["operation"], {}).setdefault(library["backend"], set()).add(row["dtype"])
    ordered = sorted(served, key=lambda operation: service.order((operation, "f32")))
    dtypes = {operation: sorted(set().union(*served[operation].values()), key=lambda dtype: service.order((operation, dtype)))
              for operation in ordered}
    alone = {}
    for operation in ordered:
        if len(served[operation]) == 1:
            alone.setdefault(next(iter(served[operation])), []).append(operation)
    return [(operation, dtypes[operation]) for operation in ordered if len(served[operation]) > 1], list(alone.items())


def defects(libraries):
    """[(Finding, [(library, cases)])] of all that failed, in the order of findings.md; what is not explained comes last."""
    found = {}
    for library in libraries:
        for name, count in failures_of(library).items():
            if name != NOT_EXPLAINED:
                each = found.setdefault(finding(name).page if finding(name).page != "findings.md" else name, (finding(name), []))
                each[1].append((library, count))
    order = [title for title, _ in _sections()]
    return sorted(found.values(), key=lambda each: order.index(each[0].title) if each[0].title in order else len(order))


def speeds_of(board, library):
    """[(what was measured, how fast)] of a backend on processors of its kind, and of none else."""
    return [(speed, speed["libraries"][library["backend"]]) for speed in board.speeds
            if library["backend"] in speed["libraries"] and speed["processor"] == library["processor"]]


def speed_text(board, library):
    """"0.92 in f32, 0.96 in bf16", "" where nothing was measured."""
    return ", ".join(f"{ratio['speed']:.2f} in {speed['dtype']}" for speed, ratio in speeds_of(board, library))


def how_measured(speed):
    clock = "processor time" if speed["clock"] == "processor" else "wall-clock time"
    return f"{speed['setting']}: {clock}, {speed['date']}, a processor with {speed['processor']}"


def judged_on(library):
    """"smoke, 7,121 cases" """
    part = "" if library["shard"] == "1/1" else f", shard {library['shard']}"
    return f"{library['suite']}{part}, {sum(library['counts'].values()):,} cases"


def facts(library):
    """How it was judged, in a line."""
    counts = ", ".join(f"{count:,} {verdict.NAMES[word]}" for word, count in library["counts"].items())
    threads = f"{library['threads']} thread{'' if library['threads'] == 1 else 's'}"
    return f"{judged_on(library)}, {library['date']}, {threads}, a processor with {library['processor']}: {counts}."


def dtypes_of(library):
    return sorted({row["dtype"] for row in library["rows"]}, key=lambda dtype: service.order(("", dtype)))


def anchor(library):
    """Of its section on the HTML page."""
    return re.sub(r"\W+", "-", f"{library['backend']}-{library['processor']}".lower())


class Markdown:
    """The page in Markdown. `base` leads from it to docs."""

    def __init__(self, board, base=""):
        self.board, self.base = board, base

    def link(self, name):
        """A defect by the name that summaries have, linked to its program or heading."""
        if name == NOT_EXPLAINED:
            return name
        found = finding(name)
        return f"[{name}]({self.base}{found.program if found.program and name in found.program else found.page})"

    def findings_text(self, failures):
        """ "52 of [cimg_default_boundary](findings/cimg_default_boundary.cpp)" and so on."""
        return ", ".join(f"{count:,} {self.link(name)}" for name, count in
                         sorted(failures.items(), key=lambda each: -each[1])) or "-"

    def overview(self):
        lines = ["| backend | version | processor | conforms | judged on | date | dtypes | served | failed | findings | speed |", "|---" * 11 + "|"]
        for each in self.board.libraries:
            failures = failures_of(each)
            lines.append(f"| {each['backend']} | {each['version']} | {each['processor']} | {headline.COLUMN[each['conforms']]} | {judged_on(each)} | "
                         f"{each['date']} | {', '.join(dtypes_of(each))} | {sum(row['judged'] for row in each['rows']):,} | {sum(failures.values()):,} | "
                         f"{len(set(failures) - {NOT_EXPLAINED})} | {speed_text(self.board, each)} |")
        return lines + [""]

    def matrix(self):
        shared, alone = columns(self.board.libraries)
        pairs = [(operation, dtype) for operation, dtypes in shared for dtype in dtypes]
        said = [*(f"{backend} alone serves {', '.join(operations)}." for backend, operations in alone), ""]
        if not shared:
            return said
        lines = ["## Served and failed", "", "✓ and the number of served cases if all passed; ✗ and how many of them failed; – where nothing is served.", "",
                 "| backend | processor | " + " | ".join(map(" ".join, pairs)) + " |", "|---" * (len(pairs) + 2) + "|"]
        for each in self.board.libraries:
            cells = [_cell(row_of(each, *pair)) for pair in pairs]
            lines.append(f"| {each['backend']} | {each['processor']} | {' | '.join(cells)} |")
        return lines + ["", *said]

    def defects(self):
        lines = ["## Defects", "", "| defect | cases | program | to file upstream |", "|---|---|---|---|"]
        for found, shown in defects(self.board.libraries):
            cases = ", ".join(f"{count:,} of {library['backend']} ({library['processor']})" for library, count in shown)
            program = f"[{found.program.partition('/')[2]}]({self.base}{found.program})" if found.program else ""
            lines.append(f"| [{found.title}]({self.base}{found.page}) | {cases} | {program} | "
                         + (f"[text]({self.base}{found.upstream}) |" if found.upstream else "|"))
        return lines + [""]

    def section(self, each):
        """One library's heading and table."""
        lines = [f"## {each['backend']}: {each['name']} {each['version']}, {each['processor']}", "", facts(each), ""]
        for speed, ratio in speeds_of(self.board, each):
            lines += [f"Speed: {ratio['speed']:.2f} of the engine's over {ratio['layers']} layers, {ratio['least']:.2f} on the worst ({how_measured(speed)}).", ""]
        lines += ["| operation | dtype | served | declined | failed | class | bits |", "|---|---|---|---|---|---|---|"]
        for row in each["rows"]:
            bits = "" if row["bits"] is None else f"{row['bits']:.1f}"
            lines.append(f"| {row['operation']} | {row['dtype']} | {row['judged']:,} | {row['declined']:,} | "
                         f"{self.findings_text(row['failed'])} | {', '.join(row['classes'])} | {bits} |")
        return lines + [""]

    def page(self):
        lines = [HEAD, *self.overview(), *self.matrix(), *self.defects(), "## Words", "", *(f"- **{word}**: {meaning}." for word, meaning in WORDS), ""]
        for each in self.board.libraries:
            lines += self.section(each)
        return "\n".join(lines)


def _cell(row):
    if row is None:
        return "–"
    return f"✗ {failed(row):,} of {row['judged']:,}" if failed(row) else f"✓ {row['judged']:,}"

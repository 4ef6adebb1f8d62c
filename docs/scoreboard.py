#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What libraries serve and how well, as docs/scoreboard.md: made from summaries of results that docs/scoreboard keeps.

usage: scoreboard.py add RESULTS.json...   keeps a summary of each backend of these results
       scoreboard.py page                  writes docs/scoreboard.md
       scoreboard.py check                 exits with 1 unless the page is what `page` would write
"""

import collections
import fnmatch
import json
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
SUMMARIES, PAGE = HERE / "scoreboard", HERE / "scoreboard.md"
sys.path[:0] = [str(HERE), str(HERE / "findings"), str(HERE.parent / "reports")]
import kept_page  # noqa: E402  pylint: disable=wrong-import-position
from concord_report.service import DTYPES  # noqa: E402  pylint: disable=wrong-import-position
from rules import finding_of  # noqa: E402  pylint: disable=wrong-import-position

FAILED = ("FAIL", "CLAIM_BROKEN", "CRASH", "HANG", "HARNESS_ERROR")
# The instruction sets that matter to these libraries, the most recent first.
FLAGS = (("amx_bf16", "AMX"), ("avx512_bf16", "AVX-512 bf16"), ("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"))
NOT_EXPLAINED = "not explained"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- Made by docs/scoreboard.py from docs/scoreboard/*.json: do not edit. -->
# Scoreboard

What the libraries of the shipped adapters serve, and what of that conforms. `served` counts the judged cases of an operation in a dtype;
`failed` those of them that fail, each with the defect of [findings.md](findings.md) that explains it. `class` is the arithmetic that the adapter
declares, `bits` the [effective bits](numerics.md#statistical-tier) of its sums of random reals, over all operations. Operations and dtypes that a
library does not serve have no row.

To add or renew a library: `concord run --suite smoke --backend NAME --out r.json`, then `docs/scoreboard.py add r.json` and
`docs/scoreboard.py page`.
"""


def instruction_set():
    """The newest instruction set of this processor."""
    flags = set(re.findall(r"\w+", next((line for line in open("/proc/cpuinfo", encoding="utf-8")
                                         if line.startswith("flags")), "")))
    return next((name for flag, name in FLAGS if flag in flags), "SSE")


def known_reason(backend, result):
    """The heading in findings.md of a failure that docs/known_failures.toml lists, or None."""
    known = tomllib.loads((HERE / "known_failures.toml").read_text(encoding="utf-8"))["known"]
    return next((entry["reason"].partition(": ")[2] for entry in known
                 if entry["backend"] == backend and fnmatch.fnmatchcase(result["case"], entry["case"])), None)


def explained(backend, result):
    """The finding that a failing case shows: a program's name, a heading of findings.md, or NOT_EXPLAINED."""
    try:
        finding = finding_of(backend, result)
    except (KeyError, ValueError):  # the rules read discrete convolutions alone
        finding = None
    return finding or known_reason(backend, result) or NOT_EXPLAINED


def summary(results, backend):
    """The part of a backend's results that the page shows."""
    failures = collections.defaultdict(collections.Counter)
    for result in backend["results"]:
        if result["verdict"] in FAILED:
            failures[result["operation"], result["dtype"]][explained(backend["backend"], result)] += 1
    bits = {(each["dtype"], each["class"]): each["effective_bits"] for each in backend["statistics"]
            if each["all_lengths"]}
    rows = []
    for served in backend["service"]:
        if not served["judged"]:
            continue
        key = served["operation"], served["dtype"]
        found = [bits[served["dtype"], name] for name in served["classes"] if (served["dtype"], name) in bits]
        rows.append({"operation": key[0], "dtype": key[1], "judged": served["judged"],
                     "declined": served["declined"], "failed": dict(sorted(failures[key].items())),
                     "classes": served["classes"], "bits": round(min(found), 1) if found else None})
    run = results["run"]
    return {"backend": backend["backend"], "name": backend["name"], "version": backend["version"],
            "processor": instruction_set(), "suite": run["suite"], "shard": run["shard"],
            "date": run["started"][:10], "threads": run["threads"], "conforms": backend["conforms"],
            "counts": {verdict: count for verdict, count in backend["counts"].items() if count}, "rows": rows}


def add(path):
    results = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    for backend in results["backends"]:
        if backend["error"] or not results["run"]["complete"]:
            raise SystemExit(f"{path}: {backend['backend']} was not judged on all of its cases")
        target = SUMMARIES / (re.sub(r"\W", "_", backend["backend"]) + ".json")
        target.write_text(json.dumps(summary(results, backend), indent=1) + "\n", encoding="utf-8")


def findings_text(failed):
    """ "52 of [cimg_default_boundary](findings/cimg_default_boundary.cpp)" and so on."""
    words = []
    for name, count in sorted(failed.items(), key=lambda item: -item[1]):
        program = next((path.name for path in (HERE / "findings").glob("*.*") if path.stem == name), None)
        target = f"findings/{program}" if program else "findings.md"
        words.append(f"{count:,} " + (name if name == NOT_EXPLAINED else f"[{name}]({target})"))
    return ", ".join(words) or "-"


def section(each):
    """One library's heading and table."""
    part = "" if each["shard"] == "1/1" else f", shard {each['shard']}"
    counts = ", ".join(f"{count:,} {verdict.lower()}" for verdict, count in each["counts"].items())
    lines = [f"## {each['backend']}: {each['name']} {each['version']}", "",
             f"{each['suite']}{part}, {each['date']}, {each['threads']} threads, a processor with {each['processor']}: {counts}.",
             "", "| operation | dtype | served | declined | failed | class | bits |", "|---|---|---|---|---|---|---|"]
    for row in each["rows"]:
        bits = "" if row["bits"] is None else f"{row['bits']:.1f}"
        lines.append(f"| {row['operation']} | {row['dtype']} | {row['judged']:,} | {row['declined']:,} | "
                     f"{findings_text(row['failed'])} | {', '.join(row['classes'])} | {bits} |")
    return lines + [""]


def page():
    """The whole page: one table of all libraries, then a section for each."""
    all_of_them = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SUMMARIES.glob("*.json"))]
    lines = [HEAD, "| backend | version | dtypes | judged | failed | findings |", "|---|---|---|---|---|---|"]
    for each in all_of_them:
        dtypes = sorted({row["dtype"] for row in each["rows"]}, key=DTYPES.index)
        failed = sum((collections.Counter(row["failed"]) for row in each["rows"]), collections.Counter())
        lines.append(f"| {each['backend']} | {each['version']} | {', '.join(dtypes)} | "
                     f"{sum(row['judged'] for row in each['rows']):,} | {sum(failed.values()):,} | "
                     f"{len(set(failed) - {NOT_EXPLAINED})} |")
    lines.append("")
    for each in all_of_them:
        lines += section(each)
    return "\n".join(lines)


def add_all(paths):
    for path in paths:
        add(path)


def write():
    PAGE.write_text(page(), encoding="utf-8")


def complaints():
    if PAGE.read_text(encoding="utf-8") != page():
        yield "docs/scoreboard.md is not what docs/scoreboard.py page writes"


def main(arguments):
    return kept_page.main(arguments, __doc__, add_all, write, complaints)


if __name__ == "__main__":
    sys.exit(main(sys.argv))

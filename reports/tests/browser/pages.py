# SPDX-License-Identifier: Apache-2.0
"""Writes the pages that check.mjs opens: python3 -B -m tests.browser.pages FOLDER, in reports/."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from concord_report import case_list, history, page, report, results
from tests import sample
from tests.test_page import Hostile

MANY = case_list.MOST_IN_FULL  # cases that are told in full


def rendered(document):
    return page.render(report.Report.of([results.File("results.json", document)], 10))


def hostile():
    """Every text that a backend or a user can choose tries to act."""
    attack = Hostile.ATTACK
    failed = sample.failed({**sample.case(1), "case": attack, "problem": attack, "operation": attack, "dtype": attack,
                            "fill": attack, "origin": attack, "note": attack, "traits": [attack], "replay": attack,
                            "class": attack, "adapter_part": attack, "implementation": attack,
                            "lowered": attack}, reason=attack)
    return sample.document(sample.backend(attack, [failed, sample.case(2)], name=attack, version=attack,
                                          headline=attack, error=attack, **{"class": attack}))


def many():
    cases = [sample.case(i) for i in range(MANY)]
    return sample.document(sample.backend("many", [sample.failed(c) if i % 50 == 0 else c
                                                   for i, c in enumerate(cases)]))


def vast():
    """One case too many to tell all in full, on two backends: of 500 one fails, half are declined by one."""
    cases = [sample.case(i) for i in range(MANY + 1)]
    one = [sample.failed(c) if i % 500 == 0 else c for i, c in enumerate(cases)]
    two = [c if i % 2 == 0 else sample.became(c, "DECLINED", "no") for i, c in enumerate(cases)]
    return sample.document(sample.backend("one", one), sample.backend("two", two))


def releases():
    """Six of one backend: it becomes worse, then better, and serves bf16 from the third one on."""
    for number, planted in enumerate((40, 25, 60, 12, 12, 20)):
        cases = [sample.became(c, "DECLINED", "no bf16") if number < 2 and c["dtype"] == "bf16" else
                 sample.failed(c) if i % planted == 0 else c
                 for i, c in enumerate(map(sample.case, range(500 + 40 * number)))]
        for case in cases:
            if case["errors"]:
                case["errors"]["by_scale"] *= 1 + number
        yield results.File(f"release-{number}.json", sample.document(
            sample.backend("rough", cases, version=f"2.{number}.1")))


def speeds():
    """Of the same six; the fourth was not measured."""
    for seconds in (1.2, 1.1, 1.15, None, .8, .7):
        yield seconds and {"layers": [{"problem": "a", "flops_valid": 2e10, "competitors": [
            {"name": "rough", "seconds": [seconds]}]}], "threads": 1, "dtype": "f32", "data_format": "NXC", "batch": 1, "packed": True}


def scoreboards(folder):
    """The scoreboard as it is committed, and a comparison with one in which most of each backend differs."""
    docs = pathlib.Path(__file__).resolve().parents[3] / "docs"
    shutil.copy(docs / "scoreboard.html", folder)
    with tempfile.TemporaryDirectory() as other:
        for path in (docs / "scoreboard").glob("*.json"):
            summary = json.loads(path.read_text(encoding="utf-8"))
            summary["version"] += ".1"
            for row in summary["rows"][::2]:
                row.update(judged=row["judged"] + 1000, failed={**row["failed"], "xnnpack_nan": 12})
            (pathlib.Path(other) / path.name).write_text(json.dumps(summary), encoding="utf-8")
        subprocess.run([sys.executable, "-B", docs / "scoreboard.py", "diff", docs / "scoreboard", other, folder / "scoreboard_diff.html"], check=True)


def main():
    folder = pathlib.Path(sys.argv[1])
    scoreboards(folder)
    rich = sample.rich(700)
    one, eight = ([dict(each, backend=f"{each['backend']}{at}") for at, each in enumerate(rich["backends"] * 2)][:count]
                  for count in (1, 8))
    made = {"rich": rendered(rich), "one": rendered(dict(rich, backends=one)), "eight": rendered(dict(rich, backends=eight)),
            "hostile": rendered(hostile()), "many": rendered(many()), "vast": rendered(vast()),
            "history": page.render_history(history.of(list(releases()), list(speeds())), 10)}
    for name, text in made.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    main()

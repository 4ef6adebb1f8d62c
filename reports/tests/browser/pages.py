# SPDX-License-Identifier: Apache-2.0
"""Writes the pages that check.mjs opens: python3 -B -m tests.browser.pages FOLDER, in reports/."""

import pathlib
import sys

from concord_report import page, report, results
from tests import sample
from tests.test_page import Hostile

MANY = 50000


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


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, made in (("rich", lambda: sample.rich(700)), ("hostile", hostile), ("many", many)):
        (folder / f"{name}.html").write_text(rendered(made()), encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    main()

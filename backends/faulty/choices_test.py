# SPDX-License-Identifier: Apache-2.0
"""That every row of the tables "What was chosen" in docs/spec.md has a planted bug that chose
otherwise, and that the suite smoke finds each. Usage: choices_test.py CONCORD SPEC CHOICES"""

import pathlib
import re
import subprocess
import sys
import unittest

CONCORD, SPEC, CHOICES = sys.argv[1:4]
HEADING = "### What was chosen"
EXEMPT = "-: "


def questions(text):
    """(section, question) of each row, in order."""
    rows, section, inside = [], None, False
    for line in text.splitlines():
        if line.startswith("#"):
            inside = line == HEADING
            if line.startswith("## "):
                section = line[3:]
        elif inside and line.startswith("| ") and not line.startswith("| question |"):
            rows.append((section, line.split("|")[1].strip()))
    return rows


def choices(text):
    """(section, beginning of the question, bugs or reason) of each line, in order."""
    lines = [l for l in text.splitlines() if l and not l.startswith("#")]
    return [tuple(part.strip() for part in l.split("|", 2)) for l in lines]


def complaints(rows, listed):
    """What is wrong: a row that no line is for, or a line for no row; both are in one order."""
    found = []
    for place in range(max(len(rows), len(listed))):
        if place >= len(listed):
            found.append(f"no choice is listed for {rows[place]}")
        elif place >= len(rows):
            found.append(f"no row for {listed[place][:2]}")
        else:
            (section, question), (of, beginning, _) = rows[place], listed[place]
            if section != of or not question.startswith(beginning):
                found.append(f"{listed[place][:2]} stands where {rows[place]} should")
    return found


def bugs_of(listed):
    return sorted({b for l in listed if not l[2].startswith(EXEMPT) for b in l[2].split()})


class Choices(unittest.TestCase):
    rows = questions(pathlib.Path(SPEC).read_text())
    listed = choices(pathlib.Path(CHOICES).read_text())

    def test_every_row_has_its_line(self):
        self.assertGreaterEqual(len(self.rows), 30)
        self.assertEqual(complaints(self.rows, self.listed), [])

    def test_every_line_has_bugs_or_a_reason(self):
        for section, beginning, rest in self.listed:
            self.assertTrue(len(rest) > len(EXEMPT), (section, beginning))

    def test_a_row_without_a_line_and_a_line_without_a_row_are_seen(self):
        for rows, listed in ((self.rows, self.listed[:-1]), (self.rows[:-1], self.listed),
                             (self.rows, self.listed[1:]), (self.rows[1:], self.listed)):
            self.assertNotEqual(complaints(rows, listed), [])

    def test_smoke_finds_every_other_choice(self):
        bugs = bugs_of(self.listed)
        command = [CONCORD, "grade", "--suite", "smoke"]
        for bug in bugs:
            command += ["--bug", bug]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        score = re.search(r"mutation score: (\d+)/(\d+)", result.stdout)
        self.assertEqual(score.groups(), (str(len(bugs)),) * 2, result.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

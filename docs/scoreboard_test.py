# SPDX-License-Identifier: Apache-2.0
"""A summary counts what results say, and a page that was edited or is behind its summaries is told."""

import json
import pathlib
import tempfile
import unittest

import scoreboard

SHIFTED = {"case": "pairs/1/f32/integers", "verdict": "FAIL", "operation": "Convolution", "dtype": "f32", "fill": "integers",
           "problem": "Convolution f32 src=1x1x9x9 weights=1x1x3x5 data_format=NCX weights_format=OIX"}
OTHER = {**SHIFTED, "problem": SHIFTED["problem"].replace("3x5", "3x3")}
PASSED = {**SHIFTED, "verdict": "PASS"}
BACKEND = {"backend": "cimg:neumann", "name": "cimg", "version": "3.2.1", "conforms": "no", "error": None,
           "counts": {"PASS": 2, "FAIL": 2, "CRASH": 0}, "results": [SHIFTED, OTHER, PASSED],
           "statistics": [{"dtype": "f32", "class": "strict", "all_lengths": True, "effective_bits": 24.68},
                          {"dtype": "f32", "class": "strict", "all_lengths": False, "effective_bits": 9}],
           "service": [{"operation": "Convolution", "dtype": "f32", "judged": 4, "declined": 5, "classes": ["strict"]},
                       {"operation": "Convolution", "dtype": "f16", "judged": 0, "declined": 5, "classes": []}]}
RUN = {"suite": "smoke", "shard": "1/1", "started": "2026-11-23T20:00:00Z", "threads": 2, "complete": True}


class Scoreboard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        kept = scoreboard.SUMMARIES, scoreboard.PAGE
        self.addCleanup(lambda: (setattr(scoreboard, "SUMMARIES", kept[0]), setattr(scoreboard, "PAGE", kept[1])))
        scoreboard.SUMMARIES, scoreboard.PAGE = self.folder, self.folder / "page.md"

    def add(self, backend, run):
        (self.folder / "r").write_text(json.dumps({"run": run, "backends": [backend]}), encoding="utf-8")
        scoreboard.add(self.folder / "r")

    def test_a_row_counts_each_finding(self):
        self.add(BACKEND, RUN)
        (row,) = json.loads((self.folder / "cimg_neumann.json").read_text(encoding="utf-8"))["rows"]
        self.assertEqual(row["failed"], {"cimg_default_boundary": 1, scoreboard.NOT_EXPLAINED: 1})
        self.assertEqual((row["judged"], row["declined"], row["bits"]), (4, 5, 24.7))
        self.assertIn("| Convolution | f32 | 4 | 5 | 1 [cimg_default_boundary](findings/cimg_default_boundary.cpp), "
                      "1 not explained | strict | 24.7 |", scoreboard.page())

    def test_a_listed_failure_is_explained_by_its_heading(self):
        result = {**SHIFTED, "case": "pairs/1/f32/special"}
        self.assertEqual(scoreboard.explained("xnnpack", result), "NaN becomes -Inf")
        self.assertEqual(scoreboard.explained("eigen", result), scoreboard.NOT_EXPLAINED)

    def test_an_incomplete_run_is_refused(self):
        for backend, run in ((BACKEND, {**RUN, "complete": False}), ({**BACKEND, "error": "it died"}, RUN)):
            with self.assertRaises(SystemExit):
                self.add(backend, run)

    def test_an_edited_page_is_told(self):
        self.add(BACKEND, RUN)
        scoreboard.main(["", "page"])
        self.assertEqual(scoreboard.main(["", "check"]), 0)
        page = scoreboard.PAGE.read_text(encoding="utf-8")
        scoreboard.PAGE.write_text(page.replace("| 24.7 |", "| 24.8 |"), encoding="utf-8")
        self.assertEqual(scoreboard.main(["", "check"]), 1)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Many releases: what became worse and since when, however the cases came and went."""

import json
import unittest

from concord_report import history, page, results, trend_plot
from tests import reader, sample
from tests.test_page import Hostile
from tests.test_programs import Program

CASES = [sample.case(i) for i in range(5)]
BROKEN = [sample.failed(case) for case in CASES]
DECLINED = [sample.became(case, "DECLINED", "no") for case in CASES]


def of(*releases, **changes):
    """A history of one backend; a release is a list of results."""
    files = [results.File(f"r{number}.json", sample.document(sample.backend(
        "b", cases, version=f"1.{number}", **changes))) for number, cases in enumerate(releases)]
    (found,) = history.of(files)
    return found


def told(found):
    return [(r.result["case"], r.passed_last, r.broken_since) for r in found.regressions]


class Regressions(unittest.TestCase):
    def test_a_case_is_told_with_the_release_since_which_it_is_broken(self):
        found = of([CASES[0], CASES[1]], [BROKEN[0], CASES[1]], [BROKEN[0], BROKEN[1]])
        self.assertEqual(told(found), [(CASES[1]["case"], 1, 2), (CASES[0]["case"], 0, 1)])
        self.assertEqual([(r.new, r.fixed) for r in found.releases], [(0, 0), (1, 0), (1, 0)])

    def test_what_was_always_broken_or_is_fixed_is_no_regression(self):
        found = of([BROKEN[0], CASES[1]], [BROKEN[0], BROKEN[1]], [BROKEN[0], CASES[1]])
        self.assertEqual(told(found), [])
        self.assertEqual([(r.new, r.fixed) for r in found.releases], [(0, 0), (1, 0), (0, 1)])

    def test_releases_that_declined_or_did_not_run_a_case_are_skipped(self):
        found = of([CASES[0]], [DECLINED[0]], [CASES[1]], [BROKEN[0]])
        self.assertEqual(told(found), [(CASES[0]["case"], 0, 3)])
        self.assertEqual([r.new for r in found.releases], [0, 0, 0, 1])

    def test_other_data_are_another_case(self):
        self.assertEqual(told(of([CASES[0]], [dict(BROKEN[0], seed="99")])), [])

    def test_the_least_effective_bits_of_each_dtype(self):
        pool = dict(sample.statistics_of([sample.case(27)])[0], all_lengths=True)
        found = of([CASES[0]], [CASES[0]], statistics=[dict(pool, effective_bits=bits) for bits in (20.5, 11.25)])
        self.assertEqual(found.releases[0].bits, {pool["dtype"]: 11.25})

    def test_files_of_other_backends_are_refused(self):
        files = [results.File(f"{name}.json", sample.document(*(sample.backend(each, CASES) for each in name)))
                 for name in ("ab", "a", "aa")]
        for pair, said in ((files[:2], "a.json: has the backends a, but ab.json has a, b"),
                           (files[2:] * 2, "aa.json: has backend a twice"), (files[:1], "needs two")):
            with self.assertRaisesRegex(results.Refusal, said):
                history.of(pair)


def bench(*rates, side="b", **changes):
    """A file of concord_bench: of each layer, in 1e9 operations a second."""
    layers = [{"problem": f"layer {at}", "flops_valid": 6e9, "competitors": [
        {"name": "concord", "seconds": [1.0]}, {"name": side, "seconds": [9e9, 6 / rate, 0]}]}
              for at, rate in enumerate(rates) if rate]
    return {"layers": layers, "peak_flops": 1e11, "triad_bytes": 1e10, "threads": 1, "dtype": "f32",
            "data_format": "NXC", "batch": 1, "packed": True, **changes}


class Speed(unittest.TestCase):
    def of(self, *benches, name="b"):
        files = [results.File(f"r{number}.json", sample.document(sample.backend(name, CASES))) for number in range(len(benches))]
        (found,) = history.of(files, list(benches))
        return found, [release.rate and round(release.rate / 1e9, 6) for release in found.releases]

    def test_it_is_the_geometric_mean_over_the_layers_that_all_releases_have(self):
        found, rates = self.of(bench(2, 8, 100), None, bench(1, 4), bench(16, 1, None, 50))
        self.assertEqual((rates, found.layers), ([4, None, 2, 4], 2))

    def test_the_engine_and_plugins_given_by_their_path_are_found(self):
        self.assertEqual(self.of(bench(3), bench(5), name="./lib/b.so:fast")[1], [3, 5])
        self.assertEqual(self.of(bench(3), bench(5), name="optimized")[1], [6, 6])

    def test_what_was_not_measured_has_no_line(self):
        for found, rates in (self.of(bench(3, side="c"), bench(3)), self.of(bench(1), bench(None, 2)), self.of(None, None)):
            shown = page.render_history([found], 2)
            if any(rates):
                self.assertEqual(rates, [None, 3])
            self.assertEqual("Gflop/s" in shown, any(rates))

    def test_the_trend_and_the_table_show_it(self):
        root = reader.read(page.render_history([self.of(bench(3), None, bench(12.25))[0]], 2))
        captions = [each.text for each in root.all("figcaption")]
        self.assertEqual(captions, ["Cases passed", "Cases failed", "Speed in Gflop/s over 1 layer"])
        picture = list(root.all("svg"))[2]
        self.assertEqual([title.text for title in picture.all("title")], ["1.2.3 (1): 3.0", "1.2.3 (3): 12.2"])
        rows = [[td.text for td in tr.all("td")] for tr in root.one("table").all("tr")][1:]
        self.assertEqual([row[8] for row in rows], ["3.0", "–", "12.2"])

    def test_what_cannot_be_compared_is_refused(self):
        for benches, said in (((bench(1), bench(1, threads=2)), "different settings are no trend: f32.*1 thread.*2 threads"),
                              ((bench(1), bench(1, layers=[{}])), "not a file of concord_bench: KeyError")):
            with self.assertRaisesRegex(results.Refusal, said):
                self.of(*benches)


class Page(unittest.TestCase):
    def test_regressions_come_before_the_trend_and_what_is_left_out_is_counted(self):
        root = reader.read(page.render_history([of(CASES, BROKEN)], 2))
        self.assertEqual(root.one("h1").text, "5 regressions in the newest of 2 releases")
        first, second = root.all("section")
        self.assertEqual(len(list(first.all("article"))), 2)
        self.assertIn("and 3 more regressions", first.text)
        self.assertIn("passed last in 1.0 (r0.json), broken since 1.1 (r1.json)", first.text)
        rows = [[td.text for td in tr.all("td")] for tr in second.all("tr")][1:]
        self.assertEqual([row[2] for row in rows], ["5 of 5, 100 %", "0 of 5, 0 %"])
        self.assertEqual([row[4:8] for row in rows], [["0", "0", "0", "0"], ["5", "0", "5", "0"]])

    def test_the_trend_is_drawn_before_the_table_in_the_order_of_the_releases(self):
        root = reader.read(page.render_history([of(CASES, CASES[:3] + BROKEN[3:], CASES[:4])], 2))
        _, trend = root.all("section")
        pictures = [(figure.one("figcaption").text, figure.one("svg")) for figure in trend.all("figure")]
        self.assertEqual([what for what, _ in pictures], ["Cases passed", "Cases failed"])
        self.assertEqual([title.text for title in pictures[0][1].all("title")], ["1.0: 5", "1.1: 3", "1.2: 4"])
        self.assertEqual([title.text for title in pictures[1][1].all("title")], ["1.0: 0", "1.1: 2", "1.2: 0"])
        self.assertEqual(pictures[0][1].attributes["aria-label"], "Cases passed: from 5 to 4, between 3 and 5")

    def test_foreign_text_stays_text(self):
        attack = Hostile.ATTACK
        bad = dict(BROKEN[0], reason=attack, replay=attack)
        root = reader.read(page.render_history([of([CASES[0]], [bad], config=attack)], 5))
        self.assertEqual([*root.all("script"), *root.all("img")], [])
        self.assertIn("{{7*7}}", root.text)


class Trend(unittest.TestCase):
    """Where a number lies: the pictures' heights against the numbers."""

    def drawn(self, *lines, digits=0):
        root = reader.read(trend_plot.render("n", [f"r{at}" for at in range(len(lines[0]))],
                                             [(f"line{at}", line) for at, line in enumerate(lines)], digits))
        return root.one("svg")

    def heights(self, picture):
        """Of the marks, each as a part of the way from the lowest rule to the highest."""
        rules = [float(rule.attributes["y1"]) for rule in picture.all("line")]
        marks = [float(each.attributes["transform"][:-1].split()[1]) for each in picture.all("path")]
        return [round((max(rules) - y) / (max(rules) - min(rules)), 2) for y in marks]

    def test_heights_are_in_proportion_and_the_axis_holds_every_number(self):
        picture = self.drawn([0, 30, 15, 60])
        self.assertEqual(self.heights(picture), [0, .5, .25, 1])
        self.assertEqual([said.text for said in picture.all("text")][:4], ["0", "20", "40", "60"])

    def test_a_flat_line_is_no_error_and_lies_in_the_middle_unless_it_is_at_zero(self):
        self.assertEqual(self.heights(self.drawn([7, 7, 7])), [.5, .5, .5])
        self.assertEqual(self.heights(self.drawn([0, 0])), [0, 0])

    def test_a_release_without_a_number_breaks_the_line(self):
        picture = self.drawn([1, 2, None, 4], [None, 1, 1, 1])
        lines = [len(line.attributes["points"].split()) for line in picture.all("polyline")]
        self.assertEqual((lines, len(list(picture.all("path")))), ([2, 1, 3], 6))

    def test_the_names_of_many_releases_do_not_cover_each_other_and_the_newest_has_its_own(self):
        picture = self.drawn(list(range(40)))
        said = [each for each in picture.all("text") if each.text.startswith("r")]
        places = sorted(float(each.attributes["x"]) for each in said)
        self.assertLess(len(said), 20)
        self.assertGreater(min(b - a for a, b in zip(places, places[1:])), 3 * trend_plot.LETTER)
        self.assertIn("r39", [each.text for each in said])

    def test_versions_that_are_alike_or_long_are_told_apart(self):
        (found,) = history.of([results.File(f"r{number}.json", sample.document(sample.backend(
            "b", CASES, version=version))) for number, version in enumerate(("1.0", "1.0", "", "20260101-" + "f" * 90))])
        (_, picture), *_ = trend_plot.of(found)
        self.assertEqual([each.text for each in reader.read(picture).all("title")],
                         ["1.0 (1): 5", "1.0 (2): 5", "(3): 5", "20260101-ffffff…: 5"])

    def test_a_backend_that_could_not_be_loaded_has_no_number(self):
        files = [results.File(f"r{number}.json", sample.document(each)) for number, each in enumerate(
            (sample.backend("b", CASES), sample.backend("b", [], error="no such file")))]
        (_, picture), *_ = trend_plot.of(history.of(files)[0])
        self.assertEqual(len(list(reader.read(picture).all("path"))), 1)


class AsAProgram(Program):
    def test_writes_a_page_and_refuses_what_does_not_go_with_it(self):
        old, new = (self.write(f"{name}.json", sample.document(sample.backend("b", cases)))
                    for name, cases in (("old", CASES), ("new", BROKEN)))
        self.assertIn("<h1>5 regressions in the newest of 2 releases</h1>",
                      self.run_script(old, new, "--history")[0])
        self.assertIn("two results files", self.run_script(old, "--history", code=2)[1])
        self.assertIn("--history", self.run_script(old, new, "--history", "--format", "md", code=2)[1])

    def test_speeds_are_given_one_for_each_release(self):
        old, new = (self.write(f"{name}.json", sample.document(sample.backend("b", CASES))) for name in ("old", "new"))
        (self.folder / "bench.json").write_text(json.dumps(bench(2)))
        self.assertIn("Speed in Gflop/s over 1 layer", self.run_script(
            old, new, "--history", "--speed", "-", "--speed", "bench.json")[0])
        self.assertIn("one for each", self.run_script(old, new, "--history", "--speed", "bench.json", code=2)[1])
        self.assertIn("several", self.run_script(old, "--speed", "bench.json", "--speed", "bench.json", code=2)[1])


if __name__ == "__main__":
    unittest.main()

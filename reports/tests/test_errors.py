# SPDX-License-Identifier: Apache-2.0
"""Errors against their bounds: the table counted again, and the places in the picture."""

import math
import re
import unittest

from concord_report import length_plot
from concord_report.sections import errors
from tests import sample
from tests.test_page import Hostile, made


def pool(products, square, limit=4.0, passed=True, **changes):
    return {"dtype": "f32", "class": "strict", "all_lengths": False, "products": [products, products],
            "mean_square": square, "mean_square_limit": limit, "passed": passed, **changes}


class Table(unittest.TestCase):
    def rows(self, *backends):
        return {row.words: row for row in errors.build(made(sample.document(*backends)))["rows"]}

    def test_both_ends_of_a_range_are_counted_where_they_belong(self):
        margins = [0, .01, .0100001, .99, 1, 1, 1.0000001, 1000, 1001, math.inf, math.nan, None]
        cases = [dict(sample.case(i), margin=margin) for i, margin in enumerate(margins)]
        rows = self.rows(sample.backend("b", [sample.failed(c, margin=c["margin"]) if c["margin"] is None
                                              or not c["margin"] <= 1 else c for c in cases]))
        shown = {words: (row.passed[0], row.broken[0]) for words, row in rows.items()
                 if row.passed[0] or row.broken[0]}
        self.assertEqual(shown, {"0: exact": (1, 0), "to 0.01": (1, 0), "0.01 to 0.1": (1, 0), "0.5 to 1": (1, 0), errors.NEAREST: (2, 0),
                                 "1 to 2": (0, 1), "10 to 1,000": (0, 1),
                                 "beyond 1,000, or not finite": (0, 3), errors.NO_MARGIN: (0, 1)})
        self.assertEqual([words for words, row in rows.items() if row.beyond],
                         ["1 to 2", "2 to 10", "10 to 1,000", "beyond 1,000, or not finite"])

    def test_a_case_that_failed_at_the_bound_is_not_called_the_nearest_value(self):
        rows = self.rows(sample.backend("b", [sample.failed(sample.case(0), margin=1)]))
        self.assertEqual((rows["0.5 to 1"].broken, rows[errors.NEAREST].broken), ([1], [0]))

    def test_every_judged_case_is_counted_once_and_declined_ones_never(self):
        document = sample.rich(300)
        rows = errors.build(made(document))["rows"]
        for column, backend in enumerate(document["backends"][:4]):
            for words, of in (("PASS",), "passed"), (("FAIL", "CRASH", "HANG", "CLAIM_BROKEN"), "broken"):
                self.assertEqual(sum(getattr(row, of)[column] for row in rows),
                                 sum(backend["counts"][word] for word in words))

    def test_where_nothing_was_judged_there_is_nothing_to_say(self):
        declined = sample.became(sample.case(0), "DECLINED", "no")
        self.assertIsNone(errors.build(made(sample.document(sample.backend("b", [declined])))))


class Picture(unittest.TestCase):
    def places(self, svg, css):
        points = re.search(rf'<polyline class="{css}" points="([^"]*)"', svg).group(1)
        return [tuple(map(float, point.split(","))) for point in points.split()]

    def test_longer_sums_are_to_the_right_and_larger_errors_above(self):
        svg = length_plot.render("f32", [("b", "strict", [pool(64, 1.0), pool(1, .25), pool(8, .5)])])
        line, bound = self.places(svg, "series0"), self.places(svg, "bound")
        self.assertEqual([x for x, _ in line], sorted(x for x, _ in line))
        self.assertEqual([y for _, y in line], sorted((y for _, y in line), reverse=True))
        # 1, 8 and 64 products are as far apart as their logarithms; errors a factor 2 below the bound one step.
        self.assertAlmostEqual(line[1][0] - line[0][0], line[2][0] - line[1][0], delta=.2)
        self.assertAlmostEqual(line[0][1] - bound[0][1], 2 * (line[2][1] - bound[2][1]), delta=.2)

    def test_the_numbers_of_the_axes_neither_touch_nor_are_cut_off(self):
        for longest in 1, 2, 7, 64, 1000, 2900, 4700, 2 ** 16, 10 ** 6:
            svg = length_plot.render("f32", [("b", "strict", [pool(1, 2.0 ** -12), pool(longest, 1.0)])])
            ticks = [(float(x), number) for x, number in re.findall(r'<text x="([\d.]+)" y="235.0"[^>]*>([\d,]+)<', svg)]
            self.assertGreater(len(ticks), 0 if longest < 7 else 2)
            for (x, one), (after, other) in zip(ticks, ticks[1:]):
                self.assertGreater(after - x, length_plot.LETTER * (len(one) + len(other)) / 2, (longest, one, other))
            for x, number in re.findall(r'<text x="([\d.]+)"[^>]*text-anchor="end"[^>]*>([\d.]+)<', svg):
                self.assertGreaterEqual(float(x) - length_plot.LETTER * len(number), 0, number)

    def test_the_bound_is_the_least_that_any_backend_has_there(self):
        svg = length_plot.render("f32", [("a", "strict", [pool(1, 1.0, 16.0), pool(2, 1.0)]),
                                         ("b", "strict", [pool(1, 1.0, 1.0), pool(2, 1.0)])])
        heights = [y for _, y in self.places(svg, "bound")]
        self.assertEqual(heights[0], self.places(svg, "series1")[0][1])
        self.assertLess(heights[1], heights[0])

    def test_what_fails_is_marked(self):
        lines = [("b", "strict", [pool(1, 1.0), pool(2, 9.0, passed=False)])]
        svg = length_plot.render("f32", lines)
        self.assertEqual(svg.count(" fails"), 2)  # the mark and its title
        self.assertIn("2 products: 3, allowed 2; fails", svg)

    def test_errors_that_are_zero_or_not_finite_have_a_place(self):
        svg = length_plot.render("f32", [("b", "strict", [pool(1, 0.0), pool(2, math.inf), pool(0, 1.0, math.inf)])])
        self.assertNotRegex(svg, r'(points|transform)="[^"]*(nan|inf)')

    def test_a_line_is_named_by_its_backend_and_by_its_class_only_where_a_backend_has_several(self):
        pools = [pool(1, 1.0), pool(2, 1.0)]
        svg = length_plot.render("f32", [("one", "strict", pools), ("two", "strict", pools), ("two", "loose", pools)])
        names = [name for name in re.findall(r">([^<>]*)</text>", svg) if re.match("one|two", name)]
        self.assertEqual(names, ["one", "two, strict", "two, loose"])

    def test_a_long_name_keeps_its_ends_and_is_told_whole_in_a_title(self):
        long = "./build/release/libvendor.so:fast"
        svg = length_plot.render("f32", [(long, "strict", [pool(1, 1.0), pool(2, 1.0)])])
        self.assertIn("./build/rel…or.so:fast</text>", svg)
        self.assertIn(f"<title>{long}, strict</title>", svg)

    def test_foreign_text_stays_text(self):
        svg = length_plot.render(Hostile.ATTACK, [(Hostile.ATTACK, Hostile.ATTACK, [pool(1, 1.0), pool(2, 1.0)])])
        self.assertNotIn("<script", svg)
        self.assertNotIn("<img", svg)


if __name__ == "__main__":
    unittest.main()

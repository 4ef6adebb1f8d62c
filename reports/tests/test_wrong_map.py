# SPDX-License-Identifier: Apache-2.0
import re
import unittest
import xml.etree.ElementTree

from concord_report import page, wrong_map
from tests import reader, sample
from tests.test_page import made


class WrongMap(unittest.TestCase):
    def test_words_name_the_axes_that_are_not_wrong_everywhere(self):
        self.assertEqual(wrong_map.words(sample.where()),
                         "axis 1: index 1 of 0–1; axis 2: indices 1–2 of 0–3; axis 3: index 3 of 0–4")
        everywhere = sample.where([1, 2], [[2], [1, 1]], [0, 1], ["99"], [[0, 0], [0, 0]])
        self.assertEqual(wrong_map.words(everywhere), "along every axis")

    def test_a_map_whose_parts_do_not_fit_together_is_told(self):
        self.assertIsNone(wrong_map.fault(sample.where()))
        for change, what in (({"axes": [2, 4]}, "axes are [2, 4], and dst has 4"), ({"axes": [2, 2]}, "axes are [2, 2]"),
                             ({"axes": [3]}, "2 borders for 1 axes"), ({"counts": [[3]]}, "counts of 1 axes"),
                             ({"picture": ["00", "0"]}, "different lengths"),
                             ({"axes": [3], "borders": [[0, 0]]}, "no axis for them")):
            self.assertIn(what, wrong_map.fault(sample.where() | change))

    def test_parts_of_a_long_axis_are_told_by_its_indices(self):
        counts = [0] * 16
        counts[0] = counts[15] = counts[14] = 1
        long = sample.where([1, 40], [[3], counts], [0, 1], ["9" + "0" * 13 + "99"], [[0, 0], [0, 0]])
        parts = [i * 16 // 40 for i in range(40)]
        said = f"axis 1: indices 0–{parts.index(1) - 1}, {parts.index(14)}–39 of 0–39"
        self.assertEqual(wrong_map.words(long), said)

    def test_borders_lie_where_windows_begin_to_reach_into_the_padding(self):
        self.assertEqual(wrong_map.lines(sample.where()), [[3, 0, 3, 4], [0, 1, 5, 1], [0, 3, 5, 3]])
        self.assertEqual(wrong_map.lines(sample.where(borders=[[0, 0], [0, 0]])), [])
        long = sample.where([32, 64], [[1] + [0] * 15] * 2, [0, 1], ["0" * 16] * 16, [[0, 0], [4, 0]])
        self.assertEqual(wrong_map.lines(long), [[1, 0, 1, 16]])

    def test_the_picture_has_a_cell_for_each_digit_and_says_what_it_shows(self):
        root = xml.etree.ElementTree.fromstring(wrong_map.picture(sample.where()))
        cells = {tuple(place.split()): path.get("class") for path in root.iter("path")
                 for place in re.findall(r"M(\d+ \d+)h1v1h-1z", path.get("d"))}
        self.assertEqual(len(cells), 20)
        self.assertEqual((cells["3", "1"], cells["3", "2"], cells["2", "2"]), ("heat5", "heat9", "heat0"))
        self.assertEqual(len(list(root.iter("line"))), 3)
        self.assertIn("Wrong elements of dst (1x2x4x5): axis 1: index 1 of 0–1", root.get("aria-label"))

    def test_one_axis_is_a_row(self):
        one = sample.where([4], [[0, 0, 1, 0]], [0], ["0090"], [[0, 1]])
        self.assertIn("In the picture, columns are axis 0.", wrong_map.label(one))
        self.assertEqual(wrong_map.lines(one), [[3, 0, 3, 1]])

    def test_a_failure_shows_its_picture_on_the_page_and_in_the_list(self):
        report = made(sample.document(sample.backend("b", [sample.failed(sample.case(0))])))
        root = reader.read(page.render(report))
        entry = next(root.all(css="entry"))
        self.assertEqual(sum(path.attributes["d"].count("M") for path in entry.all("path")), 20)
        self.assertIn("Wrong elements of dst (1x2x4x5): axis 1: index 1 of 0–1; axis 2: indices 1–2 of 0–3; axis 3: index 3 of 0–4. "
                      "In the picture, rows are axis 2, columns axis 3.", entry.text)


if __name__ == "__main__":
    unittest.main()

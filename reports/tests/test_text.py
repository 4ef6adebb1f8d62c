# SPDX-License-Identifier: Apache-2.0
import unittest

from concord_report import text


class Shortened(unittest.TestCase):
    def test_words_are_left_out_whole(self):
        value = "AtrousConv2d, CntkConvolution, Convolution, DepthToSpace and SpaceToDepth too"
        self.assertEqual(text.shortened(value, 45),
                         "AtrousConv2d, CntkConvolution, … (44 characters more) … too")

    def test_a_word_that_just_fits_stays(self):
        self.assertEqual(text.shortened("one two three four five", 20),
                         "one two three … (6 characters more) … five")

    def test_a_word_that_is_very_long_is_cut(self):
        self.assertEqual(text.shortened("x" * 100, 50), "x" * 40 + " … (50 characters more) … " + "x" * 10)

    def test_what_is_short_enough_stays(self):
        self.assertEqual(text.shortened("a b", 3), "a b")


if __name__ == "__main__":
    unittest.main()

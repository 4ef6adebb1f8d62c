# SPDX-License-Identifier: Apache-2.0
"""Backends that are wrong, decline, misbehave or declare too little, as concord tells of them."""

import os
import tempfile
import unittest

from command_harness import CONCORD, LINE, concord, main, read_json


class Replay(unittest.TestCase):
    def test_exit_codes_tell_conforming_from_wrong_from_declined(self):
        self.assertEqual(concord("replay", "--backend", "reference", LINE)[0], 0)
        code, out, _ = concord("replay", "--backend", "faulty:kernel_flip", LINE)
        self.assertEqual(code, 1)
        for word in "got", "want", "accepted", "seed", LINE:
            self.assertIn(word, out)
        f16 = LINE.replace("f32", "f16")
        self.assertEqual(concord("replay", "--backend", "onednn", f16)[0], 2)


class ManyAxes(unittest.TestCase):
    """Problems of more axes than most libraries serve."""

    FOUR = ("Convolution1 f32 src=1x2x5x5x3x6 weights=3x2x2x2x2x2 strides=2,1,1,1 "
            "dilations=2,1,1,2 data_format=NCX filter_format=OIX")
    FIVE = ("CntkConvolution f32 src=3x4x2x5x4x2 weights=3x32 kernel=2,2,2,2,2 mapCount=3 "
            "stride=1,2,1,2,2 autoPadding=false")

    def replay(self, backend, line):
        return concord("replay", "--backend", backend, "--fill", "integers", line)[0]

    def test_are_judged_like_all_others(self):
        for backend in ("reference", "optimized"):
            for line in (self.FOUR, self.FOUR + " reading=documented", self.FIVE):
                self.assertEqual(self.replay(backend, line), 0, line)
        self.assertEqual(self.replay("faulty:fourth_axis_and_depth_swapped", self.FOUR), 1)
        self.assertEqual(self.replay("faulty:cntk_fourth_and_fifth_axis_swapped", self.FIVE), 1)

    def test_are_not_judged_where_the_document_leaves_them_open(self):
        line = self.FOUR.replace("Convolution1", "Convolution").replace("filter", "weights")
        for backend, verdict in (("reference", "VACUOUS"), ("faulty:none", "DECLINED")):
            code, out, _ = concord("replay", "--backend", backend, line)
            self.assertEqual(code, 2, out)
            self.assertIn(verdict, out)


class Conduct(unittest.TestCase):
    """A backend computes rightly, and yet does not conform."""

    PLUGIN = os.path.join(os.path.dirname(CONCORD), "..", "conformance", "command", "plugins",
                          "ill_mannered.so")

    def says(self, deed, expected):
        code, out, err = concord("run", "--backend", f"{self.PLUGIN}:{deed}", "--shrink", "0",
                                 "--filter", "boundary/*/f32/integers")
        self.assertEqual(code, 1 if expected else 0, out + err)
        self.assertIn(expected or ": no failure among the ", out)

    def test_without_a_bad_manner_nothing_fails(self):
        self.says("", None)

    def test_an_answer_that_changes_from_query_to_query(self):
        self.says("decline_every_other", "and then, to the same problem, CONCORD_UNSUPPORTED")
        self.says("declare_anew", "and then, to the same problem, CONCORD_OK")

    def test_a_rounding_mode_that_is_left_behind(self):
        self.says("leave_rounding", "changed the floating-point environment: results are rounded upward")

    def test_a_death_at_the_end(self):
        self.says("abort_in_close", "did not exit cleanly: in close: SIGABRT: printed "
                                    "'close: 1 object leaked'")


class Declarations(unittest.TestCase):
    """What an undeclared class is found by, and that it passes once it is declared."""

    def judge(self, bug, dtype, tier, fill, arithmetic, cases="pairs/??[147]/*"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            options = ["--backend", f"faulty:{bug}", "--dtype", dtype, "--filter", cases,
                       "--shrink", 0, "--out", path]
            self.assertEqual(concord("run", *options)[0], 1)
            results = read_json(path)["backends"][0]["results"]
            found = {(r["tier"], r["fill"]) for r in results if r["verdict"] == "FAIL"}
            self.assertIn((tier, fill), found)
            code, out, _ = concord("run", *options, "--class", arithmetic)
            self.assertEqual(code, 0, out)

    def test_a_store_that_cuts_off(self):
        self.judge("store_truncates", "bf16", "exact", "integers", "output_rounding=zero")

    def test_products_in_tf32(self):
        self.judge("f32_through_tf32", "f32", "exact", "impulse", "tf32")
        self.judge("f32_through_tf32", "f32", "statistical", "uniform", "tf32")

    def test_sums_in_bf16(self):
        # Long sums in bf16 can be anything: of pairs too many cases could not fail.
        self.judge("accumulates_in_bf16", "bf16", "exact", "integers", "bf16-accumulate", "plain/??[147]*")

    def test_a_store_that_takes_ties_away_from_zero(self):
        for dtype in "f16", "bf16":
            self.judge("store_ties_away", dtype, "exact", "integers",
                       "output_rounding=nearest_away")

    def test_a_bias_that_is_added_after_the_store(self):
        for dtype in "f16", "bf16":
            self.judge("bias_after_rounding", dtype, "exact", "integers", "bias=after_store")
            self.judge("bias_after_rounding", dtype, "interval", "uniform", "bias=after_store")

    def test_weights_of_zero_that_are_skipped(self):
        self.judge("zero_weights_skipped", "f32", "special", "special", "zero_weights=skipped")


class Neighbours(unittest.TestCase):
    """A class under which no failure is left is told; of a backend that is wrong there is none."""

    def would_conform(self, bug, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            code, out, err = concord("run", "--backend", f"faulty:{bug}", "--filter", "pairs/??[147]/*",
                                     "--shrink", "0", "--out", path, *options)
            self.assertEqual(code, 1, out + err)
            found = read_json(path)["backends"][0]["would_conform"]
        for neighbour in found:
            self.assertIn(f"faulty:{bug} {neighbour['sentence']}", out)
            self.assertEqual(neighbour["tried"], neighbour["failures"])
            self.assertGreater(2 * neighbour["passed"], neighbour["failures"])
        self.assertEqual("would conform" in out, bool(found), out)
        return [(neighbour["class"], neighbour["dtype"]) for neighbour in found]

    def test_one_word_that_is_missing_is_named(self):
        for bug, word in (("flushes_results", "flush=yes"), ("flushes_inputs", "flush=yes"),
                          ("store_ties_away", "output_rounding=nearest_away"),
                          ("bias_after_rounding", "bias=after_store"),
                          ("zero_weights_skipped", "zero_weights=skipped"),
                          ("accumulates_in_bf16", "accumulator=bf16")):
            with self.subTest(bug=bug):
                self.assertEqual(self.would_conform(bug), [(word, None)])

    def test_two_words_that_are_missing_are_named(self):
        self.assertEqual(self.would_conform("flushes_results", "--dtype", "f16",
                                            "--class", "output_rounding=zero"),
                         [("flush=yes,output_rounding=nearest", None)])

    def test_nothing_is_said_of_values_that_no_class_allows(self):
        for bug in "kernel_flip", "nan_swallowed", "crashes_in_prepare":
            with self.subTest(bug=bug):
                self.assertEqual(self.would_conform(bug), [])


class Load(unittest.TestCase):
    def test_a_program_that_ends_at_once_is_said_to(self):
        code, out, _ = concord("run", "--backend", "exec:false", "--filter", "*resnet50/conv1/*")
        self.assertEqual(code, 2)
        self.assertIn("exec:false: cannot be judged - in load: exit with code 1", out)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A wrong library does not conform whatever class of arithmetic it declares, and an honest one of
the same class does not fail."""

from command_harness import RunTest, main

WRONG = ("zeros", "scaled", "negated", "shifted")
# What is judged in every class, of every operation with products, in every dtype: 20 pairs of them.
SPARSE = ("--filter", "[cp]*/sparse", "--shrink", 0)
FEW_SPARSE = ("--filter", "[cp][na]*/sparse", "--shrink", 0)
PAIRS = 20
WEAKEST = ("input=bf16,accumulator=bf16,accumulator_rounding=zero,output_rounding=zero,flush=yes,"
           "algorithm=bilinear")


# The unit tests of judge_lone.cpp go through all combinations of the words.
CLASSES = (WEAKEST, "input=bf16x3", "accumulator=f16,flush=yes", "algorithm=bilinear",
           "accumulator_rounding=faithful")


def sparse(arithmetic):
    """All such cases in the weakest class, a third of them in the others."""
    return (*(SPARSE if arithmetic == WEAKEST else FEW_SPARSE), "--class", arithmetic)


class WeakClasses(RunTest):
    def test_wrong_values_fail_in_every_class(self):
        backends = [word for wrong in WRONG
                    for word in ("--backend", f"faulty:weakest_class_{wrong}")]
        for arithmetic in CLASSES:
            code, _, _, results = self.run_to_file(*backends, *sparse(arithmetic))
            self.assertEqual(code, 1)
            for backend in results["backends"]:
                failed = {(r["operation"], r["dtype"]) for r in backend["results"]
                          if r["verdict"] == "FAIL"}
                asked = {(r["operation"], r["dtype"]) for r in backend["results"]}
                self.assertEqual(len(asked), PAIRS, asked)
                self.assertEqual(failed, asked, (backend["backend"], arithmetic))

    def test_right_values_fail_in_no_class(self):
        for arithmetic in CLASSES:
            _, _, _, results = self.run_to_file("--backend", "faulty:none", "--backend",
                                                "reference", *sparse(arithmetic))
            for backend in results["backends"]:
                self.assertEqual(backend["counts"]["FAIL"], 0, (backend["headline"], arithmetic))

    def test_the_weakest_class_conforms_in_no_suite(self):
        for wrong in WRONG:
            code, _, _, results = self.run_to_file("--backend", f"faulty:weakest_class_{wrong}",
                                                   "--stop-after", 3, "--shrink", 0)
            self.assertEqual((code, results["backends"][0]["conforms"]), (1, "no"))
        code, out, _, results = self.run_to_file("--backend", "optimized", "--class", WEAKEST)
        backend = results["backends"][0]
        self.assertEqual((code, backend["conforms"], backend["counts"]["FAIL"]), (2, "unknown", 0))
        self.assertRegex(out.strip().splitlines()[-1],
                         r"^optimized: no verdict: [\d,]+ of the [\d,]+ cases that it serves could "
                         r"not have failed - ")

    def test_a_coarse_class_conforms_under_its_own_name(self):
        code, out, _, results = self.run_to_file("--backend", "optimized", "--class",
                                                 "flush=yes")
        self.assertEqual((code, results["backends"][0]["conforms"]), (0, "yes"))
        self.assertIn("optimized: conforms as flush=yes - ", out)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A wrong library does not conform whatever class of arithmetic it declares, and an honest one of
the same class does not fail."""

from command_harness import RunTest, main

WRONG = ("zeros", "scaled", "negated", "shifted")
# What is judged in every class, of every operation with products, in every dtype.
SPARSE = ("--filter", "[cp]*/sparse", "--shrink", 0)
WEAKEST = ("input=bf16,accumulator=bf16,accumulator_rounding=zero,output_rounding=zero,flush=yes,"
           "algorithm=bilinear")


# The unit tests of judge_lone.cpp go through all combinations of the words.
CLASSES = (WEAKEST, "input=bf16x3", "accumulator=f16,flush=yes",
           "input=bf16,accumulator=bf16,accumulator_rounding=zero", "algorithm=bilinear",
           "accumulator=bf16,algorithm=bilinear", "accumulator_rounding=faithful",
           "input=bf16,accumulator=bf16,accumulator_rounding=faithful,output_rounding=zero,"
           "flush=yes,algorithm=bilinear")


class WeakClasses(RunTest):
    def test_wrong_values_fail_in_every_class(self):
        backends = [word for wrong in WRONG
                    for word in ("--backend", f"faulty:weakest_class_{wrong}")]
        for arithmetic in CLASSES:
            code, _, _, results = self.run_to_file(*backends, *SPARSE, "--class", arithmetic)
            self.assertEqual(code, 1)
            for backend in results["backends"]:
                failed = {(r["operation"], r["dtype"]) for r in backend["results"]
                          if r["verdict"] == "FAIL"}
                asked = {(r["operation"], r["dtype"]) for r in backend["results"]}
                self.assertEqual(failed, asked, (backend["backend"], arithmetic))

    def test_right_values_fail_in_no_class(self):
        for arithmetic in CLASSES:
            _, _, _, results = self.run_to_file("--backend", "faulty:none", "--backend",
                                                "reference", *SPARSE, "--class", arithmetic)
            for backend in results["backends"]:
                self.assertEqual(backend["counts"]["FAIL"], 0, (backend["headline"], arithmetic))

    def test_the_weakest_class_conforms_in_no_suite(self):
        for wrong in WRONG:
            code, _, _, results = self.run_to_file("--backend", f"faulty:weakest_class_{wrong}",
                                                   "--stop-after", 3, "--shrink", 0)
            self.assertEqual((code, results["backends"][0]["conforms"]), (1, "no"))
        code, out, _, results = self.run_to_file("--backend", "reference", "--class", WEAKEST)
        backend = results["backends"][0]
        self.assertEqual((code, backend["conforms"], backend["counts"]["FAIL"]), (2, "unknown", 0))
        self.assertRegex(out.strip().splitlines()[-1],
                         r"^reference: no verdict: [\d,]+ of the [\d,]+ cases that it serves could "
                         r"not have failed - ")

    def test_a_coarse_class_conforms_under_its_own_name(self):
        code, out, _, results = self.run_to_file("--backend", "reference", "--class",
                                                 "flush=yes")
        self.assertEqual((code, results["backends"][0]["conforms"]), (0, "yes"))
        self.assertIn("reference: conforms as flush=yes - ", out)


if __name__ == "__main__":
    main()

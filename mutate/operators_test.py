# SPDX-License-Identifier: Apache-2.0
"""Each mutation operator: what it makes of an instruction, and what it leaves alone."""

import unittest

import operators


def of_kind(kind, text):
    """The mutations of one kind: what is written instead, a tuple of lines each."""
    return [one.lines for one in operators.mutations(text) if one.kind == kind]


class Operators(unittest.TestCase):
    def check(self, kind, text, *wanted):
        self.assertEqual(of_kind(kind, text), [one if isinstance(one, tuple) else (one,)
                                               for one in wanted])

    def test_constants_change_by_one_and_lose_the_promise_not_to_overflow(self):
        self.check("constant", "  %3 = add nuw nsw i64 %2, 7",
                   "  %3 = add i64 %2, 8", "  %3 = add i64 %2, 6")
        self.check("constant", "  %3 = sub i32 0, %2", "  %3 = sub i32 1, %2", "  %3 = sub i32 -1, %2")
        self.check("constant", "  %3 = icmp slt i64 %2, 4",
                   "  %3 = icmp slt i64 %2, 5", "  %3 = icmp slt i64 %2, 3")

    def test_a_constant_never_becomes_a_divisor_of_zero_or_too_long_a_shift(self):
        self.check("constant", "  %3 = sdiv i64 %2, 1", "  %3 = sdiv i64 %2, 2")
        self.check("constant", "  %3 = shl i64 %2, 63", "  %3 = shl i64 %2, 62")

    def test_constants_that_are_stored_returned_passed_or_begin_a_loop(self):
        self.check("constant", "  store i32 1, i32* %2, align 4, !tbaa !5",
                   "  store i32 2, i32* %2, align 4, !tbaa !5",
                   "  store i32 0, i32* %2, align 4, !tbaa !5")
        self.check("constant", "  ret i32 0", "  ret i32 1", "  ret i32 -1")
        self.check("constant", "  %4 = phi i64 [ 0, %1 ], [ %9, %3 ]",
                   "  %4 = phi i64 [ 1, %1 ], [ %9, %3 ]", "  %4 = phi i64 [ -1, %1 ], [ %9, %3 ]")
        self.check("constant", "  %2 = call i64 @f(i64 noundef 3, i8* noundef %1) #4",
                   "  %2 = call i64 @f(i64 noundef 4, i8* noundef %1) #4",
                   "  %2 = call i64 @f(i64 noundef 2, i8* noundef %1) #4")

    def test_truth_values_and_vectors_have_no_neighbouring_constants(self):
        self.check("constant", "  %3 = xor i1 %2, true")
        self.check("constant", "  %3 = add <4 x i32> %2, <i32 1, i32 1, i32 1, i32 1>")

    def test_comparisons_move_their_boundary_or_their_sign(self):
        self.check("boundary", "  %3 = icmp slt i64 %1, %2",
                   "  %3 = icmp sle i64 %1, %2", "  %3 = icmp ult i64 %1, %2")
        self.check("boundary", "  %3 = fcmp ogt float %1, %2", "  %3 = fcmp oge float %1, %2")
        self.check("boundary", "  %3 = icmp eq i64 %1, %2")

    def test_comparisons_and_branches_are_negated(self):
        self.check("negate", "  %3 = icmp eq i8* %1, null", "  %3 = icmp ne i8* %1, null")
        self.check("negate", "  %3 = fcmp olt float %1, %2", "  %3 = fcmp uge float %1, %2")
        self.check("negate", "  br i1 %3, label %4, label %5, !llvm.loop !7",
                   "  br i1 %3, label %5, label %4, !llvm.loop !7")

    def test_each_negation_is_the_opposite_of_its_comparison(self):
        opposite = {"l": "g", "g": "l", "t": "e", "e": "t"}
        for old, new in operators.NEGATED.items():
            if len(old) == 3 and old[0] in "su" and old[1] in "lg":
                self.assertEqual(new, old[0] + opposite[old[1]] + opposite[old[2]])

    def test_bounds_of_loops_move_by_one(self):
        self.check("bound", "  %3 = icmp slt i64 %1, %2",
                   ("  %mutated.3 = add i64 %2, 1", "  %3 = icmp slt i64 %1, %mutated.3"),
                   ("  %mutated.3 = add i64 %2, -1", "  %3 = icmp slt i64 %1, %mutated.3"))
        self.check("bound", "  %3 = icmp eq i8* %1, %2")

    def test_stores_are_dropped_unless_volatile(self):
        text = "store <16 x float> %2, <16 x float>* %3, align 4, !tbaa !9"
        self.check("store", "  " + text, ())
        self.check("store", "  store volatile i8 0, i8* %3, align 1")

    def test_of_a_sum_one_operand_is_left(self):
        self.check("dropped", "  %3 = fadd <4 x float> %1, %2",
                   "  %3 = select i1 true, <4 x float> %1, <4 x float> %1",
                   "  %3 = select i1 true, <4 x float> %2, <4 x float> %2")
        self.check("dropped", "  %3 = sub nsw i64 %1, %2", "  %3 = select i1 true, i64 %1, i64 %1")

    def test_of_a_fused_one_the_addend_or_the_product_is_left(self):
        self.check("dropped", "  %4 = call <8 x float> @llvm.fma.v8f32(<8 x float> %1, "
                              "<8 x float> %2, <8 x float> %3) #19",
                   "  %4 = select i1 true, <8 x float> %3, <8 x float> %3",
                   "  %4 = fmul <8 x float> %1, %2")

    def test_operands_are_exchanged_where_their_order_matters(self):
        self.check("exchange", "  %3 = fsub float %1, %2", "  %3 = fsub float %2, %1")
        self.check("exchange", "  %3 = fadd float %1, %2")
        self.check("exchange", "  %4 = select i1 %1, i64 %2, i64 7",
                   "  %4 = select i1 %1, i64 7, i64 %2")
        self.check("exchange", "  call void @f(i64 noundef %1, i64 noundef %2, float %3) #1",
                   "  call void @f(i64 noundef %2, i64 noundef %1, float %3) #1")

    def test_indices_move_by_one_but_fields_of_structs_do_not(self):
        self.check("index", "  %3 = getelementptr inbounds float, float* %1, i64 %2",
                   ("  %mutated.3 = add i64 %2, 1",
                    "  %3 = getelementptr float, float* %1, i64 %mutated.3"),
                   ("  %mutated.3 = add i64 %2, -1",
                    "  %3 = getelementptr float, float* %1, i64 %mutated.3"))
        self.check("index", "  %3 = getelementptr inbounds [4 x i64], [4 x i64]* %1, i64 0, i64 2",
                   "  %3 = getelementptr [4 x i64], [4 x i64]* %1, i64 0, i64 3",
                   "  %3 = getelementptr [4 x i64], [4 x i64]* %1, i64 0, i64 1")
        self.check("index", "  %3 = getelementptr inbounds %struct.plan, %struct.plan* %1, i64 0, i32 2")

    def test_rounding_goes_wrong(self):
        self.check("rounding", "  %2 = fptrunc double %1 to float",
                   ("  %mutated.2.value = fptrunc double %1 to float",
                    "  %mutated.2.bits = bitcast float %mutated.2.value to i32",
                    "  %mutated.2.even = and i32 %mutated.2.bits, -2",
                    "  %2 = bitcast i32 %mutated.2.even to float"))
        self.check("rounding", "  %2 = call double @llvm.floor.f64(double %1)",
                   "  %2 = call double @llvm.ceil.f64(double %1)")
        self.check("rounding", "  %3 = udiv i64 %1, %2",
                   ("  %mutated.3 = add i64 %1, 1", "  %3 = udiv i64 %mutated.3, %2"),
                   ("  %mutated.3 = add i64 %1, -1", "  %3 = udiv i64 %mutated.3, %2"))

    def test_calls_without_a_result_are_dropped_but_not_those_for_the_compiler(self):
        self.check("call", "  call void @_ZN4pack3runEv(i8* %1) #3", ())
        self.check("call", "  call void @llvm.lifetime.end.p0i8(i64 8, i8* %1) #3")
        self.check("call", "  %2 = call i8* @malloc(i64 %1) #3")

    def test_a_note_on_aliases_stays_and_one_on_values_goes(self):
        self.check("index", "  %3 = getelementptr float, float* %1, i64 1, !tbaa !4",
                   "  %3 = getelementptr float, float* %1, i64 2, !tbaa !4",
                   "  %3 = getelementptr float, float* %1, i64 0, !tbaa !4")
        self.check("exchange", "  %3 = fsub float %1, %2, !range !4", "  %3 = fsub float %2, %1")

    def test_every_operator_is_among_those_that_are_used(self):
        kinds = set()
        for text in ("  %3 = sub i64 %1, 2", "  %3 = icmp slt i64 %1, %2", "  call void @f(i8* %1)",
                     "  %3 = getelementptr float, float* %1, i64 1", "  store i8 1, i8* %3, align 1",
                     "  %2 = fptrunc double %1 to float"):
            kinds |= {one.kind for one in operators.mutations(text)}
        self.assertEqual(kinds | {"exchange"}, set(operators.KINDS))


if __name__ == "__main__":
    unittest.main()

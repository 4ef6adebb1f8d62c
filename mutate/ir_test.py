# SPDX-License-Identifier: Apache-2.0
"""What is read from IR: places of instructions, and the modules with a mutation or with marks."""

import unittest

import ir

TEXT = """define i32 @f(i32 %0) #0 !dbg !4 {
  %2 = icmp sgt i32 %0, 0, !dbg !7
  br i1 %2, label %3, label %5, !dbg !8

3:                                                ; preds = %1
  %4 = mul i32 %0, 3, !dbg !9
  br label %5

5:                                                ; preds = %3, %1
  %6 = phi i32 [ 1, %1 ], [ %4, %3 ], !dbg !10
  ret i32 %6, !dbg !11
}

define void @pad() personality i8* null {
  %1 = landingpad { i8*, i32 }
          cleanup, !dbg !7
  ret void
}

attributes #0 = { nofree noinline norecurse nosync nounwind readnone uwtable willreturn }
attributes #1 = { noinline readonly }

!llvm.dbg.cu = !{!0}
!1 = !DIFile(filename: "a/kernel.cpp", directory: "/root of/sources")
!2 = !DIFile(filename: "/usr/include/immintrin.h", directory: "")
!4 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, unit: !0)
!5 = distinct !DISubprogram(name: "_mm_add", scope: !2, file: !2, line: 50, unit: !0)
!6 = distinct !DILexicalBlock(scope: !4, file: !1, line: 2)
!7 = !DILocation(line: 2, column: 7, scope: !6)
!8 = !DILocation(line: 2, column: 3, scope: !4)
!9 = !DILocation(line: 51, column: 9, scope: !5, inlinedAt: !12)
!10 = !DILocation(line: 0, scope: !4)
!11 = !DILocation(line: 60, column: 9, scope: !5)
!12 = distinct !DILocation(line: 3, column: 5, scope: !4)
"""


class Modules(unittest.TestCase):
    def setUp(self):
        self.module = ir.Module(TEXT, "/root of/sources")

    def instructions(self):
        return list(self.module.instructions(lambda path: path.startswith("a/")))

    def test_a_place_is_the_innermost_one_in_the_source(self):
        found = {one.text.strip(): one.place for one in self.instructions()}
        self.assertEqual(found["%2 = icmp sgt i32 %0, 0"], ("a/kernel.cpp", 2, 7, "f"))
        self.assertEqual(found["%4 = mul i32 %0, 3"], ("a/kernel.cpp", 3, 5, "f"))

    def test_instructions_of_other_files_or_without_a_line_are_left_out(self):
        texts = [one.text for one in self.instructions()]
        self.assertNotIn("  ret i32 %6", texts)
        self.assertFalse([text for text in texts if "phi" in text])
        self.assertEqual(list(self.module.instructions(lambda path: False)), [])

    def test_blocks_are_counted_over_the_whole_module(self):
        self.assertEqual([one.block for one in self.instructions()], [0, 0, 1])
        self.assertEqual(self.module.blocks, 4)

    def test_a_mutant_differs_in_its_line_alone(self):
        index = self.instructions()[2].index
        plain = self.module.text().split("\n")
        mutant = self.module.text(index, ("  %m = add i32 %0, 1", "  %4 = mul i32 %m, 3")).split("\n")
        self.assertEqual(mutant[index:index + 2], ["  %m = add i32 %0, 1", "  %4 = mul i32 %m, 3"])
        self.assertEqual(plain[:index] + plain[index + 1:], mutant[:index] + mutant[index + 2:])
        self.assertNotIn("!dbg", self.module.text())

    def test_promises_that_a_mutant_may_break_are_left_out(self):
        self.assertIn("attributes #0 = { nounwind uwtable }", self.module.text())
        self.assertIn('attributes #1 = { "none" }', self.module.text())

    def test_every_block_gets_a_mark_behind_its_phis_and_its_landing_pad(self):
        lines = self.module.marked_text(10).split("\n")
        marks = [at for at, line in enumerate(lines) if line.startswith("  store i8 1")]
        self.assertEqual([lines[at].split("i64 ")[-1] for at in marks], ["10)", "11)", "12)", "13)"])
        self.assertIn("phi", lines[marks[2] - 1])
        self.assertIn("cleanup", lines[marks[3] - 1])


if __name__ == "__main__":
    unittest.main()

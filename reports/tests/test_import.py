# SPDX-License-Identifier: Apache-2.0
"""What concord import makes of verbose output, descriptors and traces; ONNX has a test of its own."""

import gzip
import json
import os
import random
import tempfile
import unittest

from concord_import import files
from concord_import.convolution import Convolution, NotHandled
from concord_report.results import Refusal

END = " data_format=NCX weights_format=OIX"

# As oneDNN 2.6, 3.2 and 3.7 print the same layers.
VERBOSE_2 = """\
onednn_verbose,info,oneDNN v2.6.3 (commit N/A)
onednn_verbose,info,prim_template:operation,engine,primitive,implementation,prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,exec_time
onednn_verbose,exec,cpu,reorder,jit:uni,undef,src_f32::blocked:abcd:f0 dst_f32::blocked:Acdb16a:f0,attr-scratchpad:user ,,16x3x7x7,0.0222168
onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_training,src_f32::blocked:abcd:f0 wei_f32::blocked:Acdb16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:aBcd16b:f0,attr-scratchpad:user ,alg:convolution_direct,mb2_ic3oc16_ih40oh20kh7sh2dh0ph3_iw42ow21kw7sw2dw0pw3,0.208984
onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_training,src_f32::blocked:aBcd4b:f0 wei_f32::blocked:aBCde4c4b:f0 bia_undef::undef::f0 dst_f32::blocked:aBcd4b:f0,attr-scratchpad:user ,alg:convolution_direct,g4mb2_ic16oc16_ih20oh20kh3sh1dh0ph1_iw21ow21kw3sw1dw0pw1,0.146973
onednn_verbose,exec,cpu,convolution,jit:avx512_core,forward_training,src_f32::blocked:aBcd16b:f0 wei_f32::blocked:ABcd16b16a:f0 bia_f32::blocked:a:f0 dst_f32::blocked:aBcd16b:f0,attr-scratchpad:user ,alg:convolution_direct,mb2_ic16oc32_ih20oh16kh3sh1dh1ph0_iw21ow13kw5sw1dw1pw0,0.206055
"""
VERBOSE_2_LINES = [
    "conv-line4: Convolution f32 src=2x3x40x42 weights=16x3x7x7 bias=16 strides=2,2 pads_begin=3,3 pads_end=2,2" + END,
    "conv-line5: Convolution f32 src=2x16x20x21 weights=16x4x3x3 pads_begin=1,1 pads_end=1,1 groups=4" + END,
    "conv-line6: Convolution f32 src=2x16x20x21 weights=32x16x3x5 bias=32 dilations=2,2" + END]
V3 = ("onednn_verbose,primitive,exec,cpu,convolution,brgconv:avx512_core,forward_training,src_f32::blocked:acdb::f0 "
      "wei_f32:ap:blocked:Acdb16a::f0 bia_f32:a:blocked:a::f0 dst_f32::blocked:acdb::f0,attr-scratchpad:user ,"
      "alg:convolution_direct,mb50_ic3oc6_ih112oh110kh3sh1dh0ph0_iw112ow110kw3sw1dw0pw0,1.32788")
V3_LINE = "Convolution f32 src=50x112x112x3 weights=6x3x3x3 bias=6 data_format=NXC weights_format=OIX"
V37 = ("onednn_verbose,v1,primitive,exec,cpu,convolution,jit:avx2,forward_inference,src:bf16::blocked:abcd::f0 "
       "wei:bf16:ap:blocked:ABcd8b8a::f0 bia:undef::undef::: dst:bf16::blocked:abcd::f0,attr-scratchpad:user,"
       "alg:convolution_direct,mb32_ic4oc8_ih32oh16kh1sh2dh0ph0_iw32ow16kw1sw2dw0pw0,0.02")
V37_LINE = "Convolution bf16 src=32x4x32x32 weights=8x4x1x1 strides=2,2" + END

# As PyTorch 2.6 exports an operator and the one that it calls.
DIMS = [[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]
CONVOLUTION = {
    "ph": "X", "cat": "cpu_op", "name": "aten::convolution", "pid": 7, "tid": 7, "ts": 198093488368.463, "dur": 425.453,
    "args": {"External id": 1340, "Concrete Inputs": ["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"],
             "Input type": ["float", "float", "", "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"],
             "Input Dims": DIMS}}
CONVOLUTION_LINE = "Convolution f32 src=1x3x224x224 weights=64x3x7x7 strides=2,2 pads_begin=3,3 pads_end=3,3" + END


def event(name=None, start=0, length=None, **changes):
    """CONVOLUTION with another name, place in time, and arguments; None takes one out."""
    arguments = {**CONVOLUTION["args"], **{key.replace("_", " "): value for key, value in changes.items()}}
    return {**CONVOLUTION, "name": name or CONVOLUTION["name"], "ts": CONVOLUTION["ts"] + start,
            "dur": CONVOLUTION["dur"] if length is None else length,
            "args": {key: value for key, value in arguments.items() if value is not None}}


def trace(*events):
    return json.dumps({"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name"}, *events]})


class ImportTest(unittest.TestCase):
    def collected(self, content, name="file.txt", wanted=None, **options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
            return files.collect(path, wanted, options.get("batch"), options.get("inputs", {}))[1]

    def lines(self, content, **options):
        """The problem lines, all of which are imported."""
        collection = self.collected(content, **options)
        self.assertEqual(collection.left, 0, list(collection.remarks()))
        return list(collection.problems())

    def one(self, content, **options):
        lines = self.lines(content, **options)
        self.assertEqual(len(lines), 1, lines)
        return lines[0].partition(": ")[2]

    def why(self, content, **options):
        """Why the one convolution is not imported."""
        collection = self.collected(content, **options)
        self.assertEqual((collection.imported, collection.left), (0, 1))
        return next(iter(collection.remarks()))

    def refusal(self, content, **options):
        with self.assertRaises(Refusal) as caught:
            self.collected(content, **options)
        return str(caught.exception).replace(tempfile.gettempdir(), "")


class Verbose(ImportTest):
    def test_executed_convolutions_of_each_version(self):
        self.assertEqual(self.lines(VERBOSE_2), VERBOSE_2_LINES)
        self.assertEqual(self.one(V3), V3_LINE)
        self.assertEqual(self.one(V37), V37_LINE)
        self.assertEqual(self.one(V37.replace(",primitive,", ",1693533460193.346924,primitive,")), V37_LINE)
        self.assertEqual(self.one("[rank 0] " + V3.replace("onednn_verbose,primitive", "dnnl_verbose")), V3_LINE)

    def test_the_output_of_each_problem_is_that_of_its_line(self):
        for ih, oh, k, s, d, p in (40, 20, 7, 2, 0, 3), (230, 112, 7, 2, 0, 0), (20, 16, 3, 1, 1, 0), (5, 5, 1, 1, 3, 0):
            line = V37.replace("ih32oh16kh1sh2dh0ph0", f"ih{ih}oh{oh}kh{k}sh{s}dh{d}ph{p}")
            words = dict(word.split("=") for word in self.one(line).split() if "=" in word)
            pads = [int(words.get(key, "0,0").split(",")[0]) for key in ("pads_begin", "pads_end")]
            self.assertEqual((ih + sum(pads) - (d + 1) * (k - 1) - 1) // s + 1, oh, line)

    def test_repeated_problems_are_one_whose_name_says_how_often(self):
        self.assertEqual([line.partition(":")[0] for line in self.lines("\n".join([V3, V37, V3, V3]))],
                         ["conv-line1-x3", "conv-line2"])

    def test_what_is_not_imported_is_counted_with_its_reason(self):
        for old, new, reason in [
                ("forward_inference", "backward_weights", "not a forward convolution (line 1: backward_weights)"),
                ("convolution,jit", "deconvolution,jit", "only convolution is a Convolution"),
                ("src:bf16", "src:u8", "different types (line 1: src u8, wei bf16, dst bf16)"),
                ("bia:undef::undef:::", "bia:f32::blocked:a::f0", "different types"),
                ("attr-scratchpad:user", "attr-post-ops:dw:k3s1p1", "another convolution is fused into it"),
                ("mb32_", "mb*_", "known only at run time"), ("mb32_", "mb32q7_", "cannot be read"),
                ("oh16", "oh15", "its output is smaller"), ("ic4oc8", "g3ic4oc8", "groups do not divide"),
                ("src:bf16", "bf16", "cannot be read"), ("sh2", "sh0", "strides are below 1"),
                ("ic4oc8", "oc8", "no ic"), ("kw1", "", "no kw")]:
            self.assertIn(reason, self.why(V37.replace(old, new)), new)
        for bf16 in "s8", "f8_e5m2", "tf32":
            self.assertIn("its type is none of f32, f16, bf16, f64", self.why(V37.replace("bf16", bf16)))
        cut = V37[:V37.index(",attr")]
        self.assertIn("1 convolution: the line is cut short (line 2)", "\n".join(self.collected(V3 + "\n" + cut).remarks()))

    def test_what_is_imported_without_something_says_so(self):
        fused = V37.replace("attr-scratchpad:user", "attr-scratchpad:user attr-post-ops:eltwise_relu").replace(
            "convolution_direct", "convolution_winograd")
        strided = self.collected(V37.replace("blocked:abcd::f0", "blocked:abcd:8192x1024x32x2:f0", 1))
        self.assertEqual(list(strided.remarks()), ["imported as dense, although a tensor has strides"])
        collection = self.collected("\n".join([fused, fused, V3, V3.replace("exec", "create:cache_miss"), "hello"]))
        self.assertEqual((collection.imported, collection.left), (3, 0))
        self.assertEqual(list(collection.remarks()), [
            "imported without attr-post-ops:eltwise_relu (2 times)", "imported without alg:convolution_winograd (2 times)",
            "lines that are not oneDNN's",
            "convolutions that were created, of which those that were executed are imported"])


class Benchdnn(ImportTest):
    def test_short_forms_are_square_and_cubic(self):
        self.assertEqual(self.lines('mb1ic16ih10oc16oh10kh3ph1n"name"'),
                         ["name: Convolution f32 src=1x16x10x10 weights=16x16x3x3 bias=16 pads_begin=1,1 pads_end=1,1" + END])
        for word, rest in [
                ("ic3iw9oc4kw3", "src=2x3x9 weights=4x3x3 bias=4"),
                ("ic3id9oc4kd3pd1", "src=2x3x9x9x9 weights=4x3x3x3x3 bias=4 pads_begin=1,1,1 pads_end=1,1,1"),
                ("g2mb1_ic4ih9iw8_oc6oh5ow8_kh3kw1_sh2sw1_ph1pw0",
                 "src=1x4x9x8 weights=6x2x3x1 bias=6 strides=2,1 pads_begin=1,0 pads_end=1,0 groups=2"),
                ("mb1ic3ih227iw227_oc96oh55ow55_kh11kw11_sh4sw4ph0pw0_n\"alexnet:conv1\"",
                 "src=1x3x227x227 weights=96x3x11x11 bias=96 strides=4,4"),
                ("mb1ic3ih9oc4kh3dh1", "src=1x3x9x9 weights=4x3x3x3 bias=4 dilations=2,2"),
                ("mb1ic3ih9oh9oc4kh3", "src=1x3x9x9 weights=4x3x3x3 bias=4 pads_begin=1,1 pads_end=1,1"),
                ("mb1ic3ih8oh4oc4kh3sh2", "src=1x3x8x8 weights=4x3x3x3 bias=4 strides=2,2 pads_end=1,1")]:
            self.assertEqual(self.one(word), f"Convolution f32 {rest}{END}", word)

    def test_options_hold_for_the_problems_behind_them(self):
        batch = """# a comment
--reset
--dir=FWD_D,FWD_B --stag=any,axb
--cfg=bf16bf16bf16
mb1ic3ih5oc4kh3 # a first
--reset
--mb=7 \\
  --dir=FWD_I --dt=f16:f16:f16
mb1ic3ih5oc4kh3
"""
        shapes = "weights=4x3x3x3"
        self.assertEqual([line.partition(": ")[2] for line in self.lines(batch)], [
            f"Convolution bf16 src=1x3x5x5 {shapes}{END}",
            f"Convolution bf16 src=1x5x5x3 {shapes} data_format=NXC weights_format=OIX",
            f"Convolution bf16 src=1x3x5x5 {shapes} bias=4{END}",
            f"Convolution bf16 src=1x5x5x3 {shapes} bias=4 data_format=NXC weights_format=OIX",
            f"Convolution f16 src=7x3x5x5 {shapes}{END}"])
        self.assertEqual(self.one("0:FAILED (errors:1) __REPRO: --conv --dir=FWD_D mb1ic3ih5oc4kh3"),
                         f"Convolution f32 src=1x3x5x5 {shapes}{END}")

    def test_what_is_not_imported_is_counted_with_its_reason(self):
        for batch, reason in [
                ("--dir=BWD_D ic3ih5oc4kh3", "not a forward convolution"), ("--deconv ic3ih5oc4kh3", "1 problem of --deconv"),
                ("--dt=u8:s8:f32 ic3ih5oc4kh3", "different types"), ("--cfg=u8s8f32 ic3ih5oc4kh3", "different types"),
                ("--dt=bf16:f32 ic3ih5oc4kh3", "one or three words"), ("--mb=x ic3ih5oc4kh3", "not a number"),
                ("ic3ih5oc4", "no kh"), ("ic3oc4kh3", "no ih"), ("ic3oc4", "no spatial axis"), ("ic3ih5oc4kh7", "longer"),
                ("g2ic3ih5oc4kh3", "groups"), ("ic3ih5oc4kh3sh0", "strides"), ("ic3id5ih5oc4kd3kh3", "no iw"),
                ("ic3ih5oc4kh3oh2", "smaller")]:
            self.assertIn(reason, self.why(batch, wanted="benchdnn"), batch)
        collection = self.collected("--batch=shapes_basic\n--attr-post-ops=relu --match=.*kh3.*\nic3ih5oc4kh3 ic3ih5oc4kh3x")
        self.assertEqual([collection.imported, collection.left], [1, 2])
        remarks = list(collection.remarks())
        self.assertIn("not imported: 1 file of --batch: it is a file of its own (line 1: shapes_basic)", remarks)
        self.assertIn("option that was left out: --attr-post-ops=relu", remarks)
        self.assertTrue(any("line 3: 'ic3ih5oc4kh3x'" in each for each in remarks), remarks)


class Trace(ImportTest):
    def test_one_convolution_of_each_nest(self):
        inner = event("aten::_convolution", 76, 341)
        outer = event("aten::conv2d", -10, 500, Concrete_Inputs=["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "1"])
        self.assertEqual(self.lines(trace(inner, CONVOLUTION, outer)), ["conv-1: " + CONVOLUTION_LINE])
        self.assertEqual(self.one(trace(outer)), CONVOLUTION_LINE)
        same = event("aten::conv2d", -10, 500, Concrete_Inputs=["", "", "", "[2, 2]", "", "[1, 1]", "1"])  # padding="same"
        self.assertEqual(self.one(trace(same, CONVOLUTION)), CONVOLUTION_LINE)
        other = {**outer, "tid": 8}
        self.assertEqual(self.lines(trace(outer, CONVOLUTION, event(start=1000), other)), ["conv-1-x3: " + CONVOLUTION_LINE])
        self.assertEqual(self.one(json.dumps([CONVOLUTION])), CONVOLUTION_LINE)
        self.assertEqual(self.one(gzip.compress(trace(CONVOLUTION).encode())), CONVOLUTION_LINE)

    def test_bias_type_and_memory_order(self):
        half = event(Input_Dims=[[1, 4, 9], [6, 2, 3], [6], [], [], [], [], [], []], Input_type=["c10::Half"] * 3,
                     Concrete_Inputs=["", "", "", "[2]", "[1]", "[3]", "False", "[0]", "2"])
        self.assertEqual(self.one(trace(half)), "Convolution f16 src=1x4x9 weights=6x2x3 bias=6 strides=2 pads_begin=1 "
                         "pads_end=1 dilations=3 groups=2" + END)
        last = event(Input_Strides=[[150528, 1, 672, 3], [147, 1, 21, 3]])
        self.assertIn("src=1x224x224x3 weights=64x3x7x7 ", self.one(trace(last)))

    def test_what_is_not_imported_is_counted_with_its_reason(self):
        for made, reason in [
                (event(Concrete_Inputs=None), "the trace has no stride"), (event(Input_Dims=None), "record_shapes=True"),
                (event(Concrete_Inputs=["", "", "", "", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"]), "no stride for it"),
                (event(Concrete_Inputs=["", "", "", "[2, 2]", "", "[1, 1]", "False", "[0, 0]", "1"]), "no padding for it"),
                (event(Concrete_Inputs=["", "", "", "[2, 2]", "[3, 3]", "[1, 1]", "True", "[0, 0]", "1"]), "transposed"),
                (event("aten::convolution_backward"), "not a forward"), (event("quantized::conv2d"), "not one of"),
                (event(Input_type=["float", "c10::Half", ""]), "different types"),
                (event(Input_type=["int", "int", ""]), "its type is none of"),
                (event(Input_Dims=[[3, 224, 224], [64, 3, 7, 7], []]), "1 to 3 axes"),
                (event(Input_Dims=[[1, 3, 4, 4], [64, 3, 17, 7], []]), "longer than its padded input"),
                (event(Input_Dims=[[1, 3, "x", 4], [64, 3, 7, 7], []]), "cannot be read"),
                (event(Input_Dims=[[2**61, 3, 4, 4], [64, 3, 7, 7], []]), "64 bits")]:
            self.assertIn(reason, self.why(trace(made)), reason)

    def test_what_is_no_trace_is_refused_with_its_place(self):
        for content, sentence in [
                (trace(CONVOLUTION)[:400], ":1:"), ("{}", "no list traceEvents"), ("[1, 2", ":1:6: not JSON"),
                ("[" * 100000, "not a trace"), (trace({**CONVOLUTION, "ts": "x"}), "event 1, aten::convolution: no ts"),
                (gzip.compress(b"{}")[:12], "not a whole gzip file")]:
            self.assertIn(sentence, self.refusal(content), content[:80])


class Files(ImportTest):
    def test_formats_are_found_by_what_files_hold(self):
        for content, sentence in [("", "empty"), ("hello", "--format says what it is"), (b"line\n\xff\xfe", "")]:
            self.assertIn(sentence, self.refusal(content))
        self.assertIn(":2: byte 5 is not UTF-8", self.refusal(b"line\n\xff\xfe", wanted="benchdnn"))
        self.assertIn("--batch: only ONNX models", self.refusal(V3, batch=3))

    def test_names_and_reasons_cannot_break_the_file(self):
        collection = self.collected('mb1ic3ih9oc4kh3n"A:\x07b:_é"\nmb1ic3ih8oc4kh3n"a:-b:_"\n')
        self.assertEqual([line.partition(": ")[0] for line in collection.problems()], ["a-b-_", "a-b-_-2"])
        collection.leave("Conv\nx: Convolution", "n\r\n", "why\n# x")
        self.assertTrue(all("\n" not in each and "\r" not in each for each in collection.remarks()))

    def test_broken_files_never_end_in_a_traceback(self):
        dice = random.Random(20261124)
        for content in VERBOSE_2 + V3 + V37, trace(CONVOLUTION, event(start=1000)), "--dt=f32 mb1ic3ih9oc4kh3n1\n" * 3:
            for _ in range(300):
                broken = bytearray(content.encode())
                for _ in range(dice.choice([1, 3, 20])):
                    at = dice.randrange(len(broken))
                    broken[at:at + dice.randrange(3)] = bytes([dice.randrange(256)] * dice.randrange(3))
                try:
                    collection = self.collected(bytes(broken))
                except Refusal:
                    continue
                for line in collection.problems():
                    self.assertRegex(line, r"^[a-z0-9_-]+: Convolution (f32|f16|bf16|f64) [ -~]+$")


class Problems(unittest.TestCase):
    def test_each_rule_is_checked(self):
        good = {"dtype": "f32", "src": [1, 4, 9], "weights": [6, 2, 3], "has_bias": False, "strides": [1], "pads_begin": [0],
                "pads_end": [0], "dilations": [1], "groups": 2}
        self.assertEqual(Convolution(**good).line(), "Convolution f32 src=1x4x9 weights=6x2x3 groups=2" + END)
        for key, value in [
                ("dtype", "s8"), ("src", [1, 4]), ("src", [1, -4, 9]), ("src", [1, 4, True]), ("weights", [6, 2, 0]),
                ("weights", [6, 3, 3]), ("weights", [7, 2, 3]), ("strides", [0]), ("strides", [1, 1]), ("pads_begin", [-1]),
                ("pads_end", []), ("dilations", [0]), ("dilations", [5]), ("groups", 0), ("groups", "2"), ("src", [2**60, 4, 9])]:
            with self.assertRaises(NotHandled, msg=f"{key}={value}"):
                Convolution(**{**good, key: value}).line()


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""concord_exec_test.py: the Python package of the exec protocol, and that the one in JavaScript
answers the same."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import concord_exec
from concord_exec.geometry import same_padding

HERE = pathlib.Path(__file__).resolve().parent


def problem(src, weights, bias=None, dst=None, **changes):
    """A Convolution in f32, dense, channels first."""
    def dense(dims):
        return {"dims": dims, "strides": [int(np.prod(dims[i + 1:])) for i in range(len(dims))]}

    rank = len(src) - 2
    attributes = {"strides": [1] * rank, "dilations": [1] * rank, "pads_begin": [0] * rank,
                  "pads_end": [0] * rank, "auto_pad": "none", "groups": 1, "data_format": "NCX",
                  "weights_format": "OIX"}
    made = {"text": "a problem", "operation": "Convolution", "dtype": "f32",
            "reading": "implemented",
            "inputs": [dense(t) for t in (src, weights, bias) if t is not None],
            "outputs": [None if dst is None else dense(dst)], "attributes": attributes}
    for name, value in changes.items():
        (attributes if name in attributes else made)[name] = value
    return made


class Scale(concord_exec.ConvolutionBackend):
    """A pointwise convolution of one channel."""

    name, version, dtypes = "scale", "1", ("f32", "bf16")

    def refusal(self, g):
        return "only 1x1 kernels" if max(g.kernel) > 1 else None

    def convolve(self, g, src, weights, bias):
        return src * weights.astype(np.float64).ravel()[0]


PYTHON = """
import concord_exec
class Scale(concord_exec.ConvolutionBackend):
    def convolve(self, g, src, weights, bias):
        print("hello", flush=True)
        return src * weights
concord_exec.serve(Scale())
"""
JAVASCRIPT = """
const {ConvolutionBackend, serve} = require('./concord_exec_js');
class Scale extends ConvolutionBackend {
  async convolve(g, src, weights) {
    console.log('hello');
    return src.map(x => x * weights[0]);
  }
}
serve(new Scale());
"""


def refusal_of(asked, backend=Scale()):
    """(status, reason)"""
    try:
        backend.query(asked)
    except concord_exec.Refused as refused:
        return refused.status, str(refused)
    return 0, ""


class OfGeometry(unittest.TestCase):
    def test_same_is_that_of_the_table_in_spec_md(self):
        for size, kernel, stride, upper, lower, documented in (
                (4, 3, 2, (0, 1), (1, 0), (1, 1)), (2, 2, 2, (0, 0), (0, 0), (0, 1)),
                (6, 3, 3, (0, 0), (0, 0), (1, 1)), (6, 1, 3, (0, 0), (0, 0), (0, 0)),
                (5, 4, 1, (1, 2), (2, 1), (1, 2)), (3, 2, 1, (0, 1), (1, 0), (0, 1))):
            found = [same_padding(size, kernel, stride, *how) for how in
                     (("same_upper", "implemented"), ("same_lower", "implemented"),
                      ("same_upper", "documented"))]
            self.assertEqual(found, [upper, lower, documented], (size, kernel, stride))

    def test_channels_come_first_whatever_the_formats(self):
        g = concord_exec.Geometry(problem(
            [2, 7, 9, 4], [3, 5, 2, 6], bias=[6], strides=[2, 1], pads_end=[0, 3], groups=2,
            data_format="NXC", weights_format="XIO"))
        self.assertEqual((g.src, g.weights, g.dst),
                         ([2, 4, 7, 9], [6, 2, 3, 5], [2, 6, 3, 8]))
        self.assertEqual((g.dst_dims, g.has_bias, g.groups), ([2, 3, 8, 6], True, 2))

    def test_a_kernel_longer_than_its_input_is_an_empty_output_or_refused(self):
        self.assertEqual(concord_exec.Geometry(problem([1, 1, 2], [1, 1, 3])).dst, [1, 1, 0])
        with self.assertRaises(concord_exec.Refused):
            concord_exec.Geometry(problem([1, 1, 2], [1, 1, 4]))
        # -1/2 rounds down, not to zero.
        g = concord_exec.Geometry(problem([1, 1, 2], [1, 1, 3], strides=[2]))
        self.assertEqual(g.dst, [1, 1, 0])


class OfBackends(unittest.TestCase):
    def test_what_is_wrong_is_refused_and_what_is_not_served_declined(self):
        good = [1, 1, 5], [1, 1, 1]
        self.assertEqual(refusal_of(problem(*good))[0], 0)
        for status, word, asked in (
                (1, "AtrousConv2d", problem(*good, operation="AtrousConv2d")),
                (1, "f16", problem(*good, dtype="f16")),
                (2, "dtype", problem(*good, dtype="mixed")),
                (1, "1x1", problem([1, 1, 5], [1, 1, 2])),
                (2, "groups", problem(*good, groups=0)),
                (2, "channels", problem([1, 3, 5], [1, 2, 1])),
                (2, "strides", problem(*good, strides=[0])),
                (2, "pads_end", problem(*good, pads_end=[-1])),
                (2, "dilations", problem(*good, dilations=[1, 1])),
                (2, "bias", problem(*good, bias=[2])),
                (2, "kernel", problem([1, 1, 5], [1, 1, 0])),
                (2, "dst", problem(*good, dst=[1, 1, 4]))):
            self.assertEqual(refusal_of(asked)[0], status, refusal_of(asked))
            self.assertIn(word, refusal_of(asked)[1])
        for value, status in ((0, 0), ([0, 0], 0), (3, 1), ([0, 1], 1), ("wide", 1)):
            newer = problem(*good)
            newer["attributes"]["extra_pad"] = value
            self.assertEqual(refusal_of(newer)[0], status, value)
        overlapping = problem(*good)
        overlapping["inputs"][0]["strides"] = [5, 5, 0]
        self.assertEqual(refusal_of(overlapping)[0], 2)

    def test_a_result_of_another_shape_is_the_programs_error(self):
        class Wrong(Scale):
            def convolve(self, g, src, weights, bias):
                return src[..., :-1]

        asked = problem([1, 1, 5], [1, 1, 1], dst=[1, 1, 5])
        inputs = [np.ones(t["dims"], np.float32) for t in asked["inputs"]]
        compute = Wrong().prepare(asked, 1)
        with self.assertRaisesRegex(ValueError, r"\[1, 1, 4\]"):
            compute(inputs, np.zeros([1, 1, 5], np.float32))

    def test_bf16_arrives_as_its_values_and_is_rounded_once(self):
        asked = problem([1, 1, 3], [1, 1, 1], dst=[1, 1, 3], dtype="bf16")
        inputs = [np.array([0x3F80, 0xC000, 0x7F80], np.uint16).reshape(1, 1, 3),
                  np.array([0x3FC0], np.uint16).reshape(1, 1, 1)]  # 1, -2, inf times 1.5
        dst = np.zeros([1, 1, 3], np.uint16)
        Scale().prepare(asked, 1)(inputs, dst)
        self.assertEqual(dst.ravel().tolist(), [0x3FC0, 0xC040, 0x7F80])


class OfBf16(unittest.TestCase):
    def test_rounding_is_to_nearest_even_from_double_in_one_step(self):
        tie = 1 + 2.0**-8
        cases = {1.0: 0x3F80, -0.0: 0x8000, tie: 0x3F80, 1 + 3 * 2.0**-8: 0x3F82,
                 # Through float32 these would be ties.
                 tie + 2.0**-40: 0x3F81, tie - 2.0**-40: 0x3F80, -tie - 2.0**-40: 0xBF81,
                 3.4e38: 0x7F80, -1e300: 0xFF80, float("inf"): 0x7F80, 2.0**-133: 1,
                 2.0**-134: 0, 1.5 * 2.0**-134: 1, 1e-300: 0}
        found = concord_exec.bf16_bits(np.array(list(cases)))
        self.assertEqual(found.tolist(), list(cases.values()))
        self.assertEqual(concord_exec.bf16_bits(np.array([np.nan])).tolist(), [0x7FC0])
        every = np.arange(2**16).astype(np.uint16)
        number = ~np.isnan(concord_exec.bf16_values(every))
        self.assertTrue((concord_exec.bf16_bits(concord_exec.bf16_values(every))
                         == every)[number].all())


class OfJavaScript(unittest.TestCase):
    """node runs what Python runs, and must answer the same."""

    @staticmethod
    def node(script):
        text = f"const c = require({json.dumps(str(HERE / 'concord_exec_js'))});\n" + script
        done = subprocess.run(["node", "-e", text], text=True, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return json.loads(done.stdout)

    def test_the_packages_have_one_version(self):
        self.assertEqual(self.node("console.log(JSON.stringify([c.version, c.PROTOCOL]))"),
                         [concord_exec.__version__, concord_exec.PROTOCOL])

    def test_the_same_problems_have_the_same_geometry_and_refusals(self):
        asked = [problem([2, 3, *sizes], [4, 3, *kernel], auto_pad=auto_pad, reading=reading,
                         strides=strides, dilations=dilations, **pads)
                 for sizes, kernel in (([7, 6], [3, 2]), ([2, 9], [4, 5]))
                 for auto_pad in ("none", "valid", "same_upper", "same_lower")
                 for reading in ("implemented", "documented")
                 for strides in ([1, 1], [2, 3], [4, 1]) for dilations in ([1, 1], [2, 3])
                 for pads in ({}, {"pads_begin": [2, 0]}, {"pads_end": [1, 5]})]
        asked += [problem([1, 4, 5], [2, 2, 3], groups=3), problem([1, 1, 5], [1, 1, 1], bias=[2]),
                  problem([1, 1, 5], [1, 1, 1], strides=[2**62]),
                  problem([1, 1, 1], [1, 1, 2], dilations=[2**62], pads_begin=[2**62]),
                  problem([1, 1, 1], [1, 1, 2], dilations=[2**62], pads_begin=[2**62 - 1]),
                  problem([1, 1, 2**61 - 1], [1, 1, 1]), problem([1, 1, 2**61], [1, 1, 1])]
        for value in (0, 3, [0, 0], [0, 1]):
            newer = problem([1, 1, 5], [1, 1, 1])
            newer["attributes"]["extra_pad"] = value
            asked.append(newer)
        want = []
        for each in asked:
            try:
                concord_exec.check_tensors(each)
                g = concord_exec.Geometry(each)
                want.append([0, *map(str, g.dst_dims + (g.pads_begin + g.pads_end))])
            except concord_exec.Refused as refused:
                want.append([refused.status])
        self.assertGreater(sum(each[0] == 0 for each in want), 100)
        self.assertGreater(sum(each[0] == 2 for each in want), 10)

        def with_strings(value):
            if isinstance(value, dict):
                return {key: with_strings(each) for key, each in value.items()}
            if isinstance(value, list):
                return [with_strings(each) for each in value]
            return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value

        found = self.node(f"""
            const {{restoreIntegers}} = require({json.dumps(str(HERE / 'concord_exec_js/channel.js'))});
            console.log(JSON.stringify({json.dumps(with_strings(asked))}.map(problem => {{
              try {{
                c.checkTensors(restoreIntegers(problem));
                const g = new c.Geometry(problem);
                return [0, ...[...g.dstDims, ...g.exact.padsBegin, ...g.exact.padsEnd].map(String)];
              }} catch (refused) {{
                return [refused.status];
              }}
            }})));""")
        for each, python, javascript in zip(asked, want, found, strict=True):
            self.assertEqual(javascript, python, each)

    def test_elements_are_read_and_rounded_as_numpy_does(self):
        random = np.random.default_rng(1)
        values = np.concatenate([random.standard_normal(500) * 2.0**random.integers(-160, 140, 500),
                                 np.arange(-40, 40) * 2.0**-26, np.arange(-40, 40) * 2.0**-135,
                                 65504 + np.arange(0, 33), [1 + 2.0**-11, 1 + 3 * 2.0**-11, -0.0],
                                 [1 + 2.0**-8 + 2.0**-40, 3.4e38, 1e300, np.inf, -np.inf]])
        with np.errstate(over="ignore", under="ignore"):
            want = {"f16": values.astype(np.float16).view(np.uint16).tolist(),
                    "bf16": concord_exec.bf16_bits(values).tolist()}
        texts = [str(value) for value in values.tolist()]
        found = self.node(f"""
            const values = {json.dumps(texts)}.map(t => Number(t.replace('inf', 'Infinity')));
            const bits = dtype => {{
              const bytes = Buffer.alloc(2 * values.length);
              c.writeElements(values, bytes, dtype);
              return [...new Uint16Array(bytes.buffer, bytes.byteOffset, values.length)];
            }};
            const every = dtype => {{
              const bytes = Buffer.from(Uint16Array.from({{length: 65536}}, (_, i) => i).buffer);
              const back = Buffer.alloc(bytes.length), wide = c.readElements(bytes, dtype);
              c.writeElements(wide, back, dtype);
              return wide.filter((x, i) => !Number.isNaN(x) &&
                  back.readUInt16LE(2 * i) !== bytes.readUInt16LE(2 * i)).length;
            }};
            console.log(JSON.stringify({{f16: bits('f16'), bf16: bits('bf16'),
                                        changed: [every('f16'), every('bf16')]}}));""")
        self.assertEqual(found.pop("changed"), [0, 0])
        self.assertEqual(found, want)

    def test_gaps_keep_their_bytes_and_prints_go_to_standard_error(self):
        asked = problem([1, 1, 2], [1, 1, 1], dst=[1, 1, 2])
        asked["inputs"][0]["strides"] = asked["outputs"][0]["strides"] = [4, 4, 2]
        place = [{"offset": 4, "bytes": 12}, {"offset": 16, "bytes": 4}, {"offset": 20, "bytes": 12}]
        for program in (["node", "-e", JAVASCRIPT], [sys.executable, "-B", "-c", PYTHON]):
            with tempfile.NamedTemporaryFile() as file:
                file.write(np.array([7, 2, 9, 3, 7, 8, 8, 8, 8], "<f4").tobytes())
                file.flush()
                requests = [{"request": "load", "protocol": 1}, {"request": "open"},
                            {"request": "query", "problem": asked},
                            {"request": "prepare", "problem": asked, "threads": 1},
                            {"request": "execute", "memory": {"path": file.name, "inputs": place[:2],
                                                              "outputs": place[2:]}},
                            {"request": "release"}, {"request": "close"}]
                done = subprocess.run(program, text=True, capture_output=True, check=True, cwd=HERE,
                                      input="".join(json.dumps(each) + "\n" for each in requests))
                after = np.frombuffer(pathlib.Path(file.name).read_bytes(), "<f4").tolist()
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len(answers), len(requests), done.stdout)
            self.assertEqual(answers[2]["dst_dims"], [1, 1, 2])
            self.assertEqual(answers[4]["status"], 0, answers[4])
            self.assertIn("hello", done.stderr)
            self.assertEqual(after, [7, 2, 9, 3, 7, 14, 8, 21, 8])


if __name__ == "__main__":
    unittest.main()

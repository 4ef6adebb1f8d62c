#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""new_plugin_test.py CONCORD: a new plugin of each language runs at once; a convolution put into it
passes, and the same with an error planted fails."""

import collections
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from command_harness import CONCORD, concord, main, read_json

# python3 is the system's, which has numpy.
ENVIRONMENT = {**os.environ, "PATH": "/usr/bin:" + os.environ["PATH"]}

NEEDS = {"c": "a C compiler and make", "c++": "a C++17 compiler and make", "python": "Python 3.9 and numpy",
         "javascript": "Node.js 18"}

# Attributes of plain convolutions in combination.
PAIRS = "plain/00?*"

# A full convolution for each starter: (begin of what it replaces, begin of what follows, text).
PYTHON = [
    ("        if max(g.kernel)", "        return None", ""),
    ("        dst = np.zeros", "\n\nif __name__", """\
        x = np.pad(src, [(0, 0), (0, 0)] + list(zip(g.pads_begin, g.pads_end)))
        x = x.reshape(g.src[0], g.groups, g.weights[1], *x.shape[2:])
        w = weights.reshape(g.groups, g.weights[0] // g.groups, *g.weights[1:])
        dst = np.zeros((g.src[0], g.groups, w.shape[1], *g.extents), src.dtype)
        for k in np.ndindex(*g.kernel):
            window = tuple(slice(i * d, i * d + (o - 1) * s + 1, s)
                           for i, d, o, s in zip(k, g.dilations, g.extents, g.strides))
            for ic in range(g.weights[1]):
                dst += x[:, :, ic:ic + 1][(...,) + window] * w[:, :, ic][(None, ...) + k].reshape(
                    1, g.groups, -1, *[1] * g.rank)
        dst = dst.reshape(g.dst)
        return dst if bias is None else dst + bias.reshape(-1, *[1] * g.rank)
""")]
JAVASCRIPT = [
    ("    if (g.kernel.some", "    return null;", ""),
    ("    const [batch, ic]", "  }\n}\n\nserve", """\
    const all = list => list.reduce((a, b) => a * b, 1);
    const indexOf = (i, list) => list.map((extent, axis) =>
      Math.floor(i / all(list.slice(axis + 1))) % extent);
    const outputs = all(g.extents), image = all(g.sizes), taps = all(g.kernel), channels = g.weights[1];
    return Float64Array.from({length: all(g.dst)}, (_, i) => {
      const o = indexOf(i % outputs, g.extents), oc = Math.floor(i / outputs) % g.dst[1];
      const n = Math.floor(i / outputs / g.dst[1]), group = Math.floor(oc / (g.dst[1] / g.groups));
      let sum = g.hasBias ? bias[oc] : 0;
      for (let t = 0; t < taps; ++t) {
        const k = indexOf(t, g.kernel);
        const at = o.map((p, d) => p * g.strides[d] + k[d] * g.dilations[d] - g.padsBegin[d]);
        if (at.some((p, d) => p < 0 || p >= g.sizes[d])) continue;
        const place = at.reduce((sum, p, d) => sum * g.sizes[d] + p, 0);
        for (let ic = 0; ic < channels; ++ic) {
          sum += src[(n * g.src[1] + group * channels + ic) * image + place] *
            weights[(oc * channels + ic) * taps + t];
        }
      }
      return sum;
    });
""")]
CPP = [
    ("refusal(const Geometry& g) {", "    return nullptr;", "refusal(const Geometry&) {\n"),
    ("const T*, T* dst", ") {", "const T* bias, T* dst"),
    ("    const int64_t image", "  }\n};", """\
    Geometry p = g;
    const std::vector<T> x = concord_convolution_helper::padded(p, src, kOrder);
    const auto all = [](const int64_t* e) { return e[0] * e[1] * e[2]; };
    const auto at = [](int64_t i, const int64_t* e, int d) {
      return d == 2 ? i % e[2] : d == 1 ? i / e[2] % e[1] : i / (e[1] * e[2]) % e[0];
    };
    for (int64_t i = 0; i < g.n * g.oc * all(g.extent); ++i) {
      const int64_t oc = i / all(g.extent) % g.oc, n = i / all(g.extent) / g.oc;
      T sum = bias == nullptr ? T(0) : bias[oc];
      for (int64_t ic = 0; ic < g.ic; ++ic) {
        for (int64_t t = 0; t < all(g.kernel); ++t) {
          int64_t place = 0;
          for (int d = 0; d < 3; ++d) {
            place = place * p.size[d] + at(i, g.extent, d) * g.stride[d] +
                    at(t, g.kernel, d) * g.dilation[d];
          }
          sum += x[(n * g.ic + ic) * all(p.size) + place] *
                 weights[(oc * g.ic + ic) * all(g.kernel) + t];
        }
      }
      dst[i] = sum;
    }
""")]


class NewPlugin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def make(self, language):
        """A new plugin; the commands that new-plugin prints for it, without those of Concord."""
        self.folder = self.work / f"my {language}"
        code, out, err = concord("new-plugin", self.folder, "--language", language)
        self.assertEqual((code, err), (0, ""))
        commands = re.findall(r"^  (.*)", out, re.MULTILINE)
        self.assertEqual(commands[0], f"cd '{self.folder}'")
        self.assertIn(f". It needs {NEEDS[language]}. Next:\n", out)
        readme = (self.folder / "README.md").read_text()
        self.assertIn(NEEDS[language], readme)
        for command in commands[1:]:
            self.assertIn(f"\n    {command}\n", readme)
        return commands[1:]

    def edit(self, name, changes):
        text = (self.folder / name).read_text()
        for begin, end, new in changes:
            self.assertIn(begin, text)
            start = text.index(begin)
            text = text[:start] + new + text[text.index(end, start + len(begin) * (begin != end)):]
        (self.folder / name).write_text(text)

    def remove_built(self):
        """make may not see a change within its clock's tick."""
        for built in self.folder.glob("*.so"):
            built.unlink()

    def judge(self, commands, cases, *options):
        """Runs the commands, those of Concord on a part of smoke; exit code, verdicts, results."""
        for command in commands:
            if command.startswith("concord"):
                command = (f"'{CONCORD}' {command.removeprefix('concord ')} --filter '{cases}' "
                           f"--operation Convolution --out r.json {' '.join(options)}")
            done = subprocess.run(command, shell=True, cwd=self.folder, text=True, check=False,
                                  capture_output=True, timeout=200, env=ENVIRONMENT)
            if not command.startswith("'"):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr, "")  # not a warning
        self.assertLess(done.returncode, 2, done.stdout + done.stderr)
        self.said = done.stdout
        results = read_json(self.folder / "r.json")["backends"][0]["results"]
        return done.returncode, collections.Counter(each["verdict"] for each in results), results

    def first_to_do(self):
        """The command that the last run named for the case to begin with."""
        found = re.search(r"^To serve the most frequent of these, begin with \S+:\n  problem  Convolution f.*\n"
                          r"  replay   concord (replay .*)", self.said, re.MULTILINE)
        self.assertTrue(found, self.said)
        return f"'{CONCORD}' {found[1]}"

    def run_again(self, command):
        return subprocess.run(command, shell=True, cwd=self.folder, text=True, check=False,
                              capture_output=True, timeout=200, env=ENVIRONMENT).stdout

    def check(self, language, source, whole, error):
        """It conforms as it is and says what is missing; with `whole` in it, it passes what it had
        declined, first of all the case to begin with; with `error` in that, a replacement in the
        source, it fails."""
        commands = self.make(language)
        code, first, results = self.judge(commands, "[rw]*net*")
        self.assertEqual((code, set(first)), (0, {"PASS", "DECLINED"}))
        reasons = {each["reason"] for each in results if each["verdict"] == "DECLINED"}
        self.assertTrue(all(" so far" in each or "served" in each for each in reasons), reasons)
        to_do = self.first_to_do()
        self.assertIn("DECLINED", self.run_again(to_do))
        self.edit(source, whole)
        self.remove_built()
        code, second, _ = self.judge(commands, PAIRS)
        self.assertIn("PASS" if whole else "DECLINED", self.run_again(to_do))
        self.assertEqual(code, 0)
        self.assertGreater(second["PASS"], 5)
        text = (self.folder / source).read_text()
        self.assertEqual(text.count(error[0]), 1)
        (self.folder / source).write_text(text.replace(*error))
        self.remove_built()
        code, third, _ = self.judge(commands, PAIRS, "--shrink", "0")
        self.assertEqual(code, 1)
        self.assertGreater(third["FAIL"], 0)

    def test_c(self):
        self.check("c", "template.c", [], ("kh * p->dilation[0] - p->pad[0]", "kh * p->dilation[0]"))

    def test_cpp(self):
        self.check("c++", "plugin.cpp", CPP, ("* g.stride[d]", ""))

    def test_cpp_is_built_by_cmake_and_with_channels_last(self):
        commands = self.make("c++")
        self.edit("plugin.cpp", [("kChannelsFirst;", "\n", "kChannelsLast;"), (
            "src[(n * g.ic", ";", "src[(n * image + i) * g.ic + ic] * weights[ic * g.oc + oc]"), (
            "dst[(n * g.oc", " = sum", "dst[(n * image + i) * g.oc + oc]")])
        for words in (["cmake", "-B", "build"], ["cmake", "--build", "build"],
                      ["cp", "build/plugin.so", "plugin.so"]):
            subprocess.run(words, cwd=self.folder, check=True, capture_output=True)
        code, judged, _ = self.judge(commands[1:], "resnet50/*")
        self.assertEqual((code, set(judged)), (0, {"PASS", "DECLINED"}))

    def test_python(self):
        self.check("python", "plugin.py", PYTHON, ("(o - 1) * s + 1, s)", "(o - 1) * 1 + 1, 1)"))

    def test_javascript(self):
        self.check("javascript", "plugin.js", JAVASCRIPT, ("- g.padsBegin[d]", ""))

    def test_what_cannot_be_made_is_said(self):
        full = self.work / "full"
        full.mkdir()
        (full / "file").write_text("mine")
        for words, complaint in (
                ([full], f"'{full}' exists, and is no empty folder"),
                ([full / "file"], "is no empty folder"),
                ([self.work / "new", "--language", "rust"], "--language is 'rust'; expected one of c, "),
                (["/proc/none/new"], "cannot write '/proc/none/new'"), ([], "folder is required")):
            code, out, err = concord("new-plugin", *words)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(complaint, err)
        self.assertEqual((full / "file").read_text(), "mine")


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""package_test.py BUILD SOURCE: packs the build, unpacks it elsewhere, and uses it from there."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "docs"))

import doc_text  # pylint: disable=wrong-import-position


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = pathlib.Path(cls.folder.name)
        cls.run_in(cls.work, "cpack", "--config", BUILD / "CPackConfig.cmake", "-B", cls.work / "packed")
        (cls.package,) = (cls.work / "packed").glob("concord_*.deb")
        # Anywhere, under a name with a blank: nothing may depend on /usr.
        cls.prefix = cls.work / "moved away" / "usr"
        cls.run_in(cls.work, "dpkg-deb", "-x", cls.package, cls.prefix.parent)
        cls.concord = cls.prefix / "bin" / "concord"

    @staticmethod
    def run_in(folder, *words, code=0):
        done = subprocess.run([str(word) for word in words], cwd=folder, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              env={"PATH": os.environ["PATH"], "HOME": str(folder)})
        if done.returncode != code:
            raise AssertionError(f"{words} exited with {done.returncode}, not {code}:\n"
                                 f"{done.stdout}{done.stderr}")
        return done.stdout

    def field(self, name):
        return self.run_in(self.work, "dpkg-deb", "-f", self.package, name)

    def test_what_the_package_needs_is_declared(self):
        for name in ("python3-jinja2", "python3-jsonschema", "libtbb12", "libdnnl2", "libc6"):
            self.assertIn(name, self.field("Depends"))

    def test_no_file_knows_where_its_sources_were(self):
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreaterEqual(len([path for path in files if path.read_bytes().startswith(b"\x7fELF")]), 7)
        # Whole paths: where the sources lie in /concord, bin/concord is another one.
        for folder in SOURCE, BUILD:
            told = re.compile(rb"(?<![\w./~+-])" + re.escape(os.fsencode(folder.resolve())) + rb"(?![\w+-])")
            for path in files:
                self.assertIsNone(told.search(path.read_bytes()), path.name)

    def test_every_link_of_a_document_leads_to_an_installed_file(self):
        complaints, links = [], 0
        for path in sorted([*self.prefix.rglob("*.md"), *(self.prefix / "share/doc").rglob("*.html")]):
            page = doc_text.Document(path, self.prefix)
            complaints += doc_text.broken_links(page, self.prefix)
            for target in re.findall(r'\]\(([^)\s#]+)|(?:href|src)="([^"#]+)', page.text):
                file = (path.parent / "".join(target)).resolve()
                if re.match("[a-z]+:", "".join(target)):
                    continue
                links += 1
                if not file.exists() or not file.is_relative_to(self.prefix.resolve()):
                    complaints.append(f"{page.name}: {''.join(target)} is not in the package")
        self.assertEqual(complaints, [])
        self.assertGreater(links, 300)
        readme = (self.prefix / "share/doc/concord/README.md").read_text()
        self.assertIn("../../../include/concord/concord_plugin.h", readme)

    def test_the_template_is_built_and_judged_from_the_package_alone(self):
        mine = self.work / "mine"
        share = self.prefix / "share/concord"
        self.run_in(self.work, "cp", "-r", share / "template", mine)
        self.run_in(mine, "make", f"CONCORD_INCLUDE={self.prefix / 'include/concord'}")
        self.run_in(mine, self.concord, "run", "--suite", "smoke", "--filter", "boundary/*",
                    "--backend", "./template.so", "--backend", "eigen", "--out", "r.json")
        self.run_in(mine, self.concord, "report", "r.json", "-o", "r.html")
        self.assertIn("template", (mine / "r.html").read_text())

    def test_convolutions_are_imported_and_judged_from_the_package_alone(self):
        (self.work / "layers").write_text("mb1ic3ih9oc4kh3ph1\n")
        said = self.run_in(self.work, self.concord, "run", "--model", "layers", "--backend", "eigen")
        self.assertIn("no failure among the 2 selected cases", said)
        self.assertIn("python3-onnx", self.field("Suggests"))

    def test_a_new_plugin_of_each_language_is_judged_from_the_package_alone(self):
        for language, build, backend in (("c", ["make"], "./template.so"),
                                         ("c++", ["make"], "./plugin.so"),
                                         ("python", [], f"exec:{sys.executable} plugin.py"),
                                         ("javascript", [], "exec:node plugin.js")):
            folder = self.work / f"new {language}"
            self.run_in(self.work, self.concord, "new-plugin", folder, "--language", language)
            if build:
                self.run_in(folder, *build)
            said = self.run_in(folder, self.concord, "run", "--filter", "resnet50/*", "--backend", backend)
            self.assertIn("no failure among", said, language)

    def test_a_cmake_project_judges_its_plugin_by_ctest(self):
        project = self.work / "project"
        self.run_in(self.work, "cp", "-r", self.prefix / "share/concord/template", project)
        with open(project / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write("enable_testing()\n"
                       "concord_add_conformance_test(conforms PLUGIN template SHARDS 2\n"
                       "                             OPTIONS --filter boundary/*/integers)\n"
                       "enable_language(CXX)\n"
                       "concord_add_googletest(cases PLUGIN template SHARDS 64 OPTIONS --threads 1)\n")
        self.run_in(project, "cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.run_in(project, "cmake", "--build", "build")
        self.assertIn("100% tests passed, 0 tests failed out of 2",
                      self.run_in(project / "build", "ctest", "-R", "conforms"))
        said = self.run_in(project / "build", "ctest", "-R", "^cases_64$", "-V")
        self.assertRegex(said, r"\[  PASSED  \] [1-9]\d* tests")
        self.assertTrue((project / "build/conforms_2.json").exists())

    def test_the_shipped_backends_and_vectors_are_found(self):
        listed = self.run_in(self.work, self.concord, "list", "--backends")
        for name in ("reference", "optimized", "eigen", "onednn", "xnnpack", "faulty", "legal"):
            self.assertIn(name, listed)
        self.run_in(self.work, self.concord, "vectors", "verify")

    def test_the_manual_names_every_command(self):
        page = (self.prefix / "share/man/man1/concord.1.gz")
        text = self.run_in(self.work, "zcat", page) if page.exists() else \
            page.with_suffix("").read_text()
        for command in ("run", "report", "replay", "vectors add"):
            self.assertIn(f".SS {command}\n", text)
        self.assertIn("\\-\\-sandbox", text)

    def test_the_shell_completes_commands_options_and_files(self):
        script = self.prefix / "share/bash-completion/completions/concord"

        def completions(*words):
            line = " ".join(f"'{word}'" for word in words)
            return self.run_in(SOURCE, "bash", "-c",
                               f"source '{script}'; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
                               "_concord; printf '%s\\n' \"${COMPREPLY[@]}\"").split()

        self.assertEqual(completions("concord", "repo"), ["report"])
        self.assertEqual(completions("concord", "run", "--thr"), ["--threads"])
        self.assertEqual(completions("concord", "vectors", "ver"), ["verify"])
        self.assertEqual(completions("concord", "run", "--problems", "READ"), ["README.md"])

    def test_pkg_config_names_the_folder_of_the_header(self):
        file = self.prefix / "share/pkgconfig/concord.pc"
        self.assertIn("Cflags: -I${prefix}/include/concord", file.read_text())


if __name__ == "__main__":
    unittest.main()

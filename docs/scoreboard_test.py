# SPDX-License-Identifier: Apache-2.0
"""A summary counts what results say, pages show what summaries say and are told when they are behind, and a comparison finds what changed."""

import contextlib
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import scoreboard
import scoreboard_kept
import scoreboard_view
from concord_report import command
from tests import reader, sample

DOCS = pathlib.Path(scoreboard.__file__).resolve().parent
SHIFTED = {"case": "pairs/1/f32/integers", "operation": "Convolution", "dtype": "f32", "fill": "integers",
           "problem": "Convolution f32 src=1x1x9x9 weights=1x1x3x5 data_format=NCX weights_format=OIX"}
OTHER = {**SHIFTED, "case": "pairs/2/f32/integers", "problem": SHIFTED["problem"].replace("3x5", "3x3")}
AMX, ZEN = ({"cpu": "A processor", "features": features, "cores": 2, "system": "Linux"}
            for features in (["amx_bf16", "avx2", "avx512f"], ["avx2", "avx512_bf16", "avx512f"]))


def case(number, word="PASS", **fields):
    result = sample.case(number, **{"class": "strict", "lowered": None, **fields})
    return sample.failed(result) if word == "FAIL" else result if word == "PASS" else sample.became(result, word, "it is so")


CASES = [case(1, "FAIL", **SHIFTED), case(2, "FAIL", **OTHER), case(3, **{**SHIFTED, "case": "pairs/3/f32/integers"}),
         case(4, "DECLINED", **{**SHIFTED, "case": "pairs/4/f32/integers"}), case(5, "DECLINED", **{**SHIFTED, "case": "pairs/5/f16/integers", "dtype": "f16"}),
         case(6, "HARNESS_ERROR", **{**SHIFTED, "case": "pairs/6/f32/integers"}),
         case(7, **{**SHIFTED, "case": "pairs/7/f32/wide", "fill": "wide", "tier": "statistical", "errors": sample.errors(64, 9, random.Random(1))})]
BENCH = {"threads": 1, "dtype": "f32", "data_format": "NXC", "batch": 1, "packed": True, "peak_flops": 1e11, "triad_bytes": 1e10, "clock": "processor",
         "layers": [{"name": str(ratio), "problem": "p", "flops_valid": 1e9, "competitors": [
             {"name": "concord", "ratio": [1, 1, 1], "seconds": [1]}, {"name": "cimg:neumann", "ratio": [ratio, ratio, ratio], "seconds": [ratio]},
             {"name": "memory", "ratio": [1, 1, 1], "seconds": [1]}]} for ratio in (1, 4)]}


class Scoreboard(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kept = self.folder / "board"
        self.kept.mkdir()

    def run_main(self, *words):
        """(exit code, standard output, standard error)"""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        error = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = command.run(lambda: scoreboard.main(["", *map(str, words)]))
        return code, out.buffer.getvalue().decode("utf-8"), error.getvalue()

    def added(self, cases=None, machine=AMX, kept=None, version="3.2.1", code=0, error=None, **run):
        document = sample.document(sample.backend("cimg:neumann", CASES if cases is None else cases, version=version, error=error), machine=machine,
                                   **{"started": "2026-11-23T20:00:00Z", **run})
        path = self.folder / "r.json"
        path.write_text(sample.text(document), encoding="utf-8")
        done = self.run_main("--kept", kept or self.kept, "add", path)
        self.assertEqual(done[0], code, done)
        return done[2]

    def page(self, suffix):
        self.assertEqual(self.run_main("--kept", self.kept, "page")[0], 0)
        return (self.folder / f"board{suffix}").read_text(encoding="utf-8")

    def copied(self, name, change):
        """Another folder of the same summaries, of which `change` alters the first."""
        folder = self.folder / name
        folder.mkdir()
        for path in self.kept.glob("*.json"):
            summary = json.loads(path.read_text(encoding="utf-8"))
            change(summary)
            (folder / path.name).write_text(json.dumps(summary), encoding="utf-8")
        return folder


class Summaries(Scoreboard):
    def test_a_row_counts_each_finding_and_no_trouble_of_the_machine(self):
        self.added()
        (row,) = json.loads((self.kept / "cimg_neumann_amx.json").read_text(encoding="utf-8"))["rows"]
        self.assertEqual(row["failed"], {"cimg_default_boundary": 1, scoreboard.NOT_EXPLAINED: 1})
        self.assertEqual((row["judged"], row["declined"], row["bits"]), (4, 1, 25.0))
        page = self.page(".md")
        self.assertRegex(page, r"\| Convolution \| f32 \| 4 \| 1 \| 1 \[cimg_default_boundary\]\(.*findings/cimg_default_boundary.cpp\), "
                         r"1 not explained \| strict \| 25\.0 \|")

    def test_a_listed_failure_is_explained_by_its_heading_on_the_processor_that_is_listed(self):
        for spec, version, name, machine, said in (
                ("xnnpack", "2022-02-16", "pairs/1/f32/special", ZEN, "NaN becomes -Inf"), ("eigen", "3", "pairs/1/f32/special", ZEN, "not explained"),
                ("xnnpack", "2023-01-01", "pairs/1/f32/special", ZEN, "not explained"),
                ("onednn", "2.6.3", "boundary/pointwise-3d-wider-than-a-tile/bf16/integers", AMX, "bf16 on AMX, pointwise in three dimensions, reads the wrong pixels"),
                ("onednn", "2.6.3", "boundary/pointwise-3d-wider-than-a-tile/bf16/integers", ZEN, "not explained")):
            document = sample.document(sample.backend(spec, [case(1, "FAIL", **{**SHIFTED, "case": name})], version=version), machine=machine)
            (backend,) = scoreboard.results.backends_of([scoreboard.results.File("r.json", document)])
            self.assertEqual(scoreboard.summary(backend)["rows"][0]["failed"], {said: 1}, (spec, version, machine))

    def test_what_is_no_whole_run_of_a_suite_is_refused(self):
        for said, changes in (("not judged on all", {"complete": False}), ("not judged on all", {"error": "it died"}), ("not a run of a suite", {"filter": "b*"}),
                              ("not a run of a suite", {"dtypes": ["f32"]}), ("not a run of a suite", {"operations": ["Convolution"]})):
            self.assertIn(said, self.added(code=2, **changes))
        self.assertEqual(list(self.kept.iterdir()), [])

    def test_broken_files_are_refused_and_named(self):
        path = self.folder / "broken.json"
        for written in ("", "{", "[]", '{"layers": []}', json.dumps(sample.document(sample.backend("b", CASES)))):
            path.write_text(written, encoding="utf-8")
            code, _, error = self.run_main("--kept", self.kept, "add", path)
            self.assertEqual(code, 2, written)
            self.assertIn("concord_bench" if "layers" in written else "broken.json", error)

    def test_an_entry_is_of_the_processor_of_its_run_and_replaces_the_older_one_there(self):
        self.added()
        self.added(machine=ZEN)
        (self.kept / "cimg_neumann_amx.json").rename(self.kept / "any_name.json")
        self.added(suite="full", started="2026-11-30T20:00:00Z")
        self.assertEqual({path.name for path in self.kept.iterdir()}, {"any_name.json", "cimg_neumann_avx_512_bf16.json"})
        page = self.page(".md")
        self.assertIn("| cimg:neumann | 3.2.1 | AMX | no | full, 7 cases | 2026-11-30 |", page)
        self.assertIn("| cimg:neumann | 3.2.1 | AVX-512 bf16 | no | smoke, 7 cases | 2026-11-23 |", page)
        self.assertIn("full, 7 cases, 2026-11-30, 2 threads, a processor with AMX: 2 passed, 2 failed, 2 declined, 1 harness error.", page)

    def test_processors_are_named_by_their_newest_instructions(self):
        for features, name in ((["avx", "sse4_1"], "AVX"), (["asimd", "sve"], "SVE"), (["asimd"], "NEON"), ([], "no vectors")):
            self.assertEqual(scoreboard.instruction_set(features), name)

    def test_speed_is_shown_where_it_was_measured_and_empty_elsewhere(self):
        self.added()
        self.added(machine=ZEN)
        (self.folder / "bench.json").write_text(json.dumps(BENCH), encoding="utf-8")
        kept, scoreboard.features_here = scoreboard.features_here, lambda: set(ZEN["features"])
        self.addCleanup(setattr, scoreboard, "features_here", kept)
        self.assertEqual(self.run_main("--kept", self.kept, "add", self.folder / "bench.json")[0], 0)
        (kept,) = (self.kept / "speed").iterdir()
        self.assertEqual(list(json.loads(kept.read_text(encoding="utf-8"))["libraries"]), ["cimg:neumann"])
        page = self.page(".md")
        rows = [line for line in page.splitlines() if line.startswith("| cimg:neumann | 3.2.1 |")]
        self.assertEqual([row.rsplit("|", 2)[1].strip() for row in rows], ["", "0.50 in f32"])
        said = "Speed: 0.50 of the engine's over 2 layers, 0.25 on the worst (f32, NXC, batch 1, 1 thread, weights packed: processor time, "
        self.assertEqual(page.count(said), 1)
        self.assertIn(said, reader.read(self.page(".html")).text)


class Pages(Scoreboard):
    def test_an_edited_page_is_told(self):
        self.added()
        for suffix, shown in ((".md", "| 25.0 |"), (".html", ">25.0<")):
            page = self.page(suffix)
            self.assertEqual(self.run_main("--kept", self.kept, "check")[0], 0)
            (self.folder / f"board{suffix}").write_text(page.replace(shown, shown.replace("0", "1")), encoding="utf-8")
            code, out, _ = self.run_main("--kept", self.kept, "check")
            self.assertEqual(code, 1)
            self.assertIn(f"board{suffix} is not what", out)

    def test_a_cell_of_the_matrix_needs_no_colour(self):
        self.added(CASES + [case(8, **{**SHIFTED, "case": "pairs/8/bf16/integers", "dtype": "bf16"})])
        self.added([case(9, **SHIFTED)], machine=ZEN, kept=self.kept)
        summary = json.loads((self.kept / "cimg_neumann_avx_512_bf16.json").read_text(encoding="utf-8"))
        (self.kept / "other.json").write_text(json.dumps({**summary, "backend": "other"}), encoding="utf-8")
        table = reader.read(self.page(".html")).one("table", "board")
        rows = [[cell.text for cell in row.all("td")] for row in table.one("tbody").all("tr")]
        self.assertEqual([[cell.text for cell in row.all("th")] for row in table.one("thead").all("tr")],
                         [["Backend", "Verdict", "Convolution", "Speed"], ["f32", "bf16"]])
        self.assertEqual(rows, [["✗ no", "2 of 4 failed", "✓ 1 passed", ""],
                                *[["✓ yes", "✓ 1 passed", "– not served", ""]] * 2])
        self.assertIn("✗ 2 of 4 | ✓ 1 |", self.page(".md"))

    def test_what_one_backend_alone_serves_is_said(self):
        self.added()
        for suffix in (".md", ".html"):
            self.assertIn("cimg:neumann alone serves Convolution.", self.page(suffix))
        self.assertNotIn("## Served and failed", self.page(".md"))

    def test_a_defect_leads_to_its_heading_its_program_and_its_text_to_file(self):
        self.added()
        section = next(each for each in reader.read(self.page(".html")).all("section") if each.attributes.get("id") == "defects")
        targets = [link.attributes["href"].partition("#")[0] for link in section.all("a")]
        ends = ["docs/findings.md", "", "docs/findings/cimg_default_boundary.cpp", "docs/findings/upstream/cimg_default_boundary.md"]
        self.assertEqual(len(targets), len(ends))
        for target, end in zip(targets, ends):
            self.assertTrue(target.endswith(end), target)
            self.assertTrue((self.folder / target).exists(), target)
            self.assertIn(f"({target}", self.page(".md"))
        self.assertEqual(scoreboard_view.finding("no such"), scoreboard_view.Finding("no such", "findings.md", None, None))

    def test_the_committed_page_is_small_reads_without_network_or_script_and_its_links_lead_somewhere(self):
        path = DOCS / "scoreboard.html"
        self.assertLess(path.stat().st_size, 250_000)
        text = path.read_text(encoding="utf-8")
        root = reader.read(text)
        self.assertEqual([each.tag for each in root.all() if each.tag in ("script", "link", "img", "iframe")], [])
        self.assertIn("default-src 'none'", text)
        ids = [each.attributes["id"] for each in root.all() if "id" in each.attributes]
        self.assertEqual(len(ids), len(set(ids)))
        for link in root.all("a"):
            target, _, anchor = link.attributes["href"].partition("#")
            self.assertTrue((DOCS / target).exists() if target else anchor in ids, link.attributes["href"])
            if anchor and target.endswith(".md"):
                self.assertIn(anchor, scoreboard_view.doc_text.Document(DOCS / target, DOCS.parent).anchors())

    def test_a_name_that_is_markup_stays_text(self):
        self.added()
        folder = self.copied("hostile", lambda each: each.update(version="<script>alert(1)</script>"))
        self.kept = folder
        self.folder = self.folder / "pages"
        self.assertEqual(self.run_main("--kept", folder, "page")[0], 0)
        self.assertNotIn("<script", folder.with_suffix(".html").read_text(encoding="utf-8"))


class Differences(Scoreboard):
    def changed(self, change):
        """What the comparison with the altered summaries says, as {what: (old, new)} and its Markdown."""
        self.added()
        new = self.copied("new", change)
        made = scoreboard.scoreboard_diff.Changes(scoreboard_kept.of(str(self.kept)), scoreboard_kept.of(str(new)))
        code, page, _ = self.run_main("diff", self.kept, new)
        self.assertEqual(code, 0)
        return {what: (old, now) for each in made.changes for what, old, now in each.rows}, page

    def test_the_same_has_no_difference(self):
        rows, page = self.changed(lambda each: None)
        self.assertEqual(rows, {})
        self.assertIn("# Nothing changed on the scoreboard", page)

    def test_versions_what_is_served_defects_and_bits(self):
        def change(each):
            row = each["rows"][0]
            row.update(judged=5, bits=24.0, failed={"cimg_default_boundary": 3, "cimg_even_kernel_nan": 1}, classes=["flush=yes"])
            each["rows"].append({**row, "operation": "AtrousConv2d", "failed": {}})
            each["version"] = "3.3"
        rows, page = self.changed(change)
        self.assertEqual(rows, {
            "version": ("3.2.1", "3.3"), "Convolution in f32: served": ("4", "5"), "Convolution in f32: class": ("strict", "flush=yes"),
            "AtrousConv2d in f32: served": ("no", "5"), "bits in f32": ("25.0", "24.0"), "failed, not explained": ("1", "none"),
            "failed by CImg 3.2.1: the default boundary condition shifts the image": ("1", "3"),
            "failed by CImg 3.2.1: even kernels spread NaN beside their window": ("none", "1")})
        self.assertIn("# 1 of 1 entry of the scoreboard changed", page)
        self.assertIn("| version | 3.2.1 | 3.3 |", page)

    def test_of_another_suite_counts_are_left_out_but_not_what_came_or_went(self):
        def change(each):
            each["rows"][0].update(judged=5, declined=9, failed={"cimg_default_boundary": 3})
            each["suite"] = "full"
        rows, page = self.changed(change)
        self.assertEqual(rows, {"judged on": ("smoke, 7 cases", "full, 7 cases"), "failed, not explained": ("1", "none")})
        self.assertIn("Judged on other cases", page)

    def test_backends_that_came_and_went_with_their_defects(self):
        self.added()
        new = self.copied("new", lambda each: each.update(backend="cimg"))
        for suffix in (".md", ".html"):
            self.assertEqual(self.run_main("diff", self.kept, new, self.folder / f"page{suffix}")[0], 0)
            page = (self.folder / f"page{suffix}").read_text(encoding="utf-8")
            text = page if suffix == ".md" else reader.read(page).text
            self.assertIn("cimg, AMX: new", text)
            self.assertIn("cimg:neumann, AMX: gone", text)
            self.assertIn("the default boundary condition shifts the image", text)
            self.assertIn("2 of 2 entries of the scoreboard changed", text)

    def test_speed(self):
        self.added()
        new = self.copied("new", lambda each: None)
        (new / "speed").mkdir()
        (new / "speed" / "s.json").write_text(json.dumps({"setting": "s", "dtype": "f32", "date": "2026-11-23", "processor": "AMX", "clock": "wall", "libraries": {
            "cimg:neumann": {"layers": 1, "speed": .5, "least": .25}}}), encoding="utf-8")
        self.assertIn("| speed (s) | not measured | 0.50 |", self.run_main("diff", self.kept, new)[1])
        self.assertIn("| speed (s) | 0.50 | not measured |", self.run_main("diff", new, self.kept)[1])

    def test_files_that_are_no_summaries_are_refused_by_name(self):
        self.added()
        for words in ((self.kept,), (self.kept, self.kept, self.folder / "page.txt")):
            self.assertEqual(self.run_main("diff", *words)[0], 2)
        for written, said in (("{", "cut short"), ("[]", "no object"), ('{"backend": 1}', "backend is missing or of another type")):
            (self.kept / "bad.json").write_text(written, encoding="utf-8")
            code, out, error = self.run_main("diff", self.kept, self.kept)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("bad.json", error)
            self.assertIn(said, error)


class Revisions(Scoreboard):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "repository"
        self.git("init", "--quiet", ".")
        self.commit("2026-11-20", {"README": "nothing"})
        self.added()
        summary = json.loads((self.kept / "cimg_neumann_amx.json").read_text(encoding="utf-8"))
        for day, version in (("2026-11-22", "1"), ("2026-11-24", "2")):
            self.commit(day, {"docs/scoreboard/a.json": json.dumps({**summary, "version": version})})
        self.git("tag", "broken")
        self.commit("2026-11-25", {"docs/scoreboard/a.json": "{"})

    def git(self, *words, day="2026-11-20"):
        self.root.mkdir(exist_ok=True)
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=self.root, check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "GIT_AUTHOR_DATE": f"{day}T23:30:00Z", "GIT_COMMITTER_DATE": f"{day}T23:30:00Z"})

    def commit(self, day, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "--quiet", "-m", day, day=day)

    def test_a_date_is_the_last_commit_of_that_day_or_before(self):
        for word, version in (("2026-11-22", "1"), ("2026-11-23", "1"), ("2026-11-24", "2"), ("HEAD~1", "2"), ("HEAD~2", "1")):
            board = scoreboard_kept.of(word, self.root)
            self.assertEqual(board.libraries[0]["version"], version, word)
            self.assertRegex(board.said, r"^[0-9a-f]{7,} of 2026-11-2\d$")

    def test_what_is_not_there_or_broken_is_named(self):
        for word, said in (("nosuch", "nosuch: neither a folder nor a revision nor a date"), ("--since=2020-01-01", "--since=2020-01-01: neither"), ("2026-11-19", "2026-11-19: no commit is that old"),
                           ("2026-02-30", "2026-02-30: no date: "), ("2026-11-20", "2026-11-20: docs/scoreboard: has no summary"), ("HEAD~3", "HEAD~3: docs/scoreboard: has no summary"),
                           ("2026-11-25", "2026-11-25: docs/scoreboard/a.json: "), (str(self.root), ": has no summary of a backend")):
            with self.assertRaises(scoreboard_kept.Refusal) as refused:
                scoreboard_kept.of(word, self.root)
            self.assertIn(said, str(refused.exception))

    def test_the_program_exits_with_2(self):
        done = subprocess.run([sys.executable, "-B", DOCS / "scoreboard.py", "diff", "nosuch", "HEAD"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "concord: nosuch: neither a folder nor a revision nor a date such as 2026-11-23\n")


class Nightly(Scoreboard):
    def made(self, code):
        """What the nightly script does where `concord run` writes results and exits with `code`."""
        document = sample.document(sample.backend("onednn", [case(1, **SHIFTED)], version="9.9"), machine=ZEN)
        (self.folder / "r.json").write_text(sample.text(document), encoding="utf-8")
        program = self.folder / "concord"
        program.write_text(f'#!/bin/sh\nfor last; do :; done\ncp "{self.folder}/r.json" "$last"\nexit {code}\n', encoding="utf-8")
        program.chmod(0o755)
        return subprocess.run([DOCS / "scoreboard_nightly.sh", program, self.folder / "out"], capture_output=True, check=False).returncode

    def test_the_board_is_made_anew_beside_the_one_that_is_kept(self):
        before = {path: path.read_bytes() for path in DOCS.glob("scoreboard*") if path.is_file()}
        self.assertEqual(self.made(1), 0)
        for name in ("scoreboard.md", "scoreboard.html", "changes.md", "changes.html"):
            self.assertIn("9.9", (self.folder / "out" / name).read_text(encoding="utf-8"), name)
        self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_a_run_without_a_verdict_fails_it(self):
        self.assertNotEqual(self.made(2), 0)


if __name__ == "__main__":
    unittest.main()

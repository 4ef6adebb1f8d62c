# SPDX-License-Identifier: Apache-2.0
"""The page: every number counted again from the results, by other means than the report's own."""

import base64
import collections
import hashlib
import re
import time
import unittest
import urllib.parse

from concord_report import case_list, page, report, results, verdict
from concord_report.sections import failures, operations
from tests import reader, sample

BROKEN = ("FAIL", "CLAIM_BROKEN", "CRASH", "HANG")
VERDICTS = {"passed": "PASS", "failed": "FAIL", "declined": "DECLINED", "vacuous": "VACUOUS",
            "claim broken": "CLAIM_BROKEN", "crashed": "CRASH", "hung": "HANG",
            "harness error": "HARNESS_ERROR"}


def made(*documents, most=20):
    files = [results.File(f"file{i}.json", document) for i, document in enumerate(documents)]
    return report.Report.of(files, most)


def numbers_in(cell):
    """{"passed": 3, ...} of one cell of the matrix."""
    words = {}
    for part in cell.one(css="numbers").all(css="n"):
        name, _, count = part.text.rpartition(" ")
        words[re.sub(r"^\W+ ?", "", name)] = int(count.replace(",", ""))
    return words


class Numbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = sample.rich(700)
        cls.page = page.render(made(cls.document, most=5))
        cls.root = reader.read(cls.page)
        cls.sections = {s.attributes["id"]: s for s in cls.root.all("section")}

    def results_of(self, column):
        return self.document["backends"][column]["results"]

    def test_each_backend_shows_its_verdicts(self):
        shown = list(self.sections["verdicts"].all("tr", "backend"))
        self.assertEqual(len(shown), 5)
        for column, row in enumerate(shown):
            counted = collections.Counter(r["verdict"] for r in self.results_of(column))
            sums = numbers_in(row)
            for word in ("passed", "failed", "declined"):
                self.assertIn(word, sums)
            self.assertEqual({VERDICTS[w]: n for w, n in sums.items() if n}, dict(counted))

    def test_the_first_screen_explains_each_sign_that_it_shows_and_no_other(self):
        verdicts = self.sections["verdicts"]
        signs = {part.text.split(" ")[0] for row in verdicts.all("tr", "backend") for part in row.all(css="n")}
        told = {part.text.split(" ", 1)[0]: part.text.split(" ", 1)[1] for part in verdicts.one(css="legend").all(css="n")}
        self.assertEqual({sign[0] for sign in signs}, set(told))
        self.assertLessEqual(set(told.values()), set(VERDICTS))
        quiet = reader.read(page.render(made(sample.document(sample.backend("b", [sample.case(1)])))))
        self.assertEqual([part.text for part in quiet.one(css="legend").all(css="n")], ["✓ passed", "✗ failed", "– declined"])

    def test_a_declined_case_is_never_counted_as_passed(self):
        eigen = list(self.sections["verdicts"].all("tr", "backend"))[1]
        counted = collections.Counter(r["verdict"] for r in self.results_of(1))
        self.assertGreater(counted["DECLINED"], counted["PASS"])
        self.assertIn("100 % of judged passed", eigen.text)
        self.assertEqual(numbers_in(eigen)["declined"], counted["DECLINED"])

    def test_a_backend_that_declines_everything_passed_nothing(self):
        declined = [sample.became(sample.case(i), "DECLINED", "no") for i in range(9)]
        root = reader.read(page.render(made(sample.document(sample.backend("shy", declined)))))
        self.assertIn("no case was judged", root.text)
        self.assertNotIn("100 %", root.text.partition("What the words mean")[0])

    def test_the_style_has_the_sign_of_every_verdict(self):
        for word in verdict.WORDS:
            self.assertIn(f'.brief .{word.lower()}::before {{ content: "{verdict.SIGNS[word]} ";', self.page)

    def test_every_cell_of_the_matrix_counts_its_cases(self):
        table = list(self.sections["matrix"].all("table"))[0]
        seen = set()
        for body in table.all("tbody"):
            rows = list(body.all("tr"))
            dimension = rows[0].text
            for row in rows[1:]:
                value = row.one("th").text
                seen.add((dimension, value))
                for column, cell in enumerate(row.all("td")):
                    self.check_cell(dimension, value, column, cell)
        for result in self.results_of(0):
            self.assertIn(("Operation", result["operation"]), seen)
            self.assertIn(("Dtype", result["dtype"]), seen)
            self.assertIn(("Data", result["fill"]), seen)
            for trait in result["traits"]:
                self.assertIn(("Trait", trait), seen)

    def check_cell(self, dimension, value, column, cell):
        keep = {"All cases": lambda r: True, "Operation": lambda r: r["operation"] == value,
                "Dtype": lambda r: r["dtype"] == value, "Data": lambda r: r["fill"] == value,
                "Trait": lambda r: value in r["traits"],
                "Family": lambda r: r["case"].startswith(value + "/")}[dimension]
        counted = collections.Counter(r["verdict"] for r in self.results_of(column) if keep(r))
        shown = numbers_in(cell)
        self.assertEqual({VERDICTS[n]: c for n, c in shown.items() if c}, dict(counted))
        judged = counted["PASS"] + sum(counted[word] for word in BROKEN)
        percent = cell.one(css="percent").text
        if not judged:
            self.assertEqual(percent, "–")
        else:
            exact = 100 * counted["PASS"] / judged
            self.assertLessEqual(float(percent.rstrip(" %")), exact)
            self.assertAlmostEqual(float(percent.rstrip(" %")), exact, delta=0.1001)

    def test_failures_beyond_the_first_are_linked_to_in_the_list_and_counted(self):
        for most in 1, 5, 1000:
            root = reader.read(page.render(made(self.document, most=most)))
            for column in 2, 3:
                label = self.document["backends"][column]["backend"]
                broken = collections.Counter(r["verdict"] for r in self.results_of(column)
                                             if r["verdict"] in BROKEN)
                self.assertEqual(self.told(root, label), broken)

    def told(self, root, label):
        """How many failures of a backend the page shows in full or counts beside a link to the rest."""
        counted = collections.Counter()
        for name in "failures", "worker_failures":
            section = next(s for s in root.all("section") if s.attributes["id"] == name)
            of = None
            for element in section.all():
                if element.tag == "h3":
                    of = element.text
                if of is None or not of.startswith(label):
                    continue
                if element.tag == "article":
                    counted[VERDICTS[element.one(css="badge").text.partition(" ")[2]]] += 1
                if element.tag == "a" and "in the list" in element.text:
                    fields = dict(urllib.parse.parse_qsl(element.attributes["href"]))
                    self.assertEqual(fields["backend"], label)
                    counted[fields["verdict"]] += int(element.text.split()[0].replace(",", ""))
        return collections.Counter({word: n for word, n in counted.items() if word in BROKEN})

    def test_failures_are_counted_in_their_headings(self):
        for column, heading in ((2, 0), (3, 1)):
            failed = [r for r in self.results_of(column) if r["verdict"] == "FAIL"]
            title = list(self.sections["failures"].all("h3"))[heading].text
            self.assertIn(f"{len(failed)} failures", title)
            in_full = [g for g in failures.groups(self.results_of(column), 5) if g.shown]
            self.assertLessEqual(len(in_full), 5)

    def test_ten_thousand_failures_are_a_page_that_a_browser_can_hold(self):
        cases = [sample.failed(sample.case(i)) for i in range(10000)]
        began = time.monotonic()
        shown = page.render(made(sample.document(sample.backend("b", cases)), most=10))
        self.assertLess(time.monotonic() - began, 120)  # 8 s where nothing else runs
        self.assertEqual(len(case_list.listed(made(sample.document(sample.backend("b", cases))))
                             ["backends"][0]["details"]), 10000)
        self.assertLess(len(shown), 150 * len(cases))

    def test_a_group_is_named_by_its_trait_only_if_the_trait_sets_it_apart(self):
        grouped = [sample.failed(c) if "grouped" in c["traits"] else c
                   for c in map(sample.case, range(200))]
        spread = [sample.failed(c) if int(c["seed"]) % 3 == 0 else c
                  for c in map(sample.case, range(200))]
        self.assertEqual({g.trait for g in failures.groups(grouped, 5)}, {"grouped"})
        self.assertIn("", {g.trait for g in failures.groups(spread, 5)})
        for results_ in (grouped, spread):
            self.assertEqual(sum(g.size for g in failures.groups(results_, 5)),
                             sum(r["verdict"] == "FAIL" for r in results_))

    def test_a_failure_is_not_filed_under_a_trait_that_its_smallest_form_lacks(self):
        grouped = [sample.failed(c) if {"grouped", "strided"} <= set(c["traits"]) else c
                   for c in map(sample.case, range(200))]
        first = next(c for c in grouped if c["verdict"] == "FAIL")
        shrunk = sample.shrunk(first["case"])
        shrunk["smallest"]["traits"] = ["strided", "NCX", "OIX"]
        filed = {c["case"]: g.trait for g in failures.groups(grouped, 5, [shrunk]) for c in g.cases}
        self.assertNotIn(filed[first["case"]], set(first["traits"]) - {"strided", "NCX", "OIX"})

    def test_first_screen_and_section_show_the_same_diagnosis(self):
        cases = [sample.failed(sample.case(n)) if n % 9 == 0 else sample.case(n) for n in range(90)]
        backend = sample.backend("b", cases, diagnosis=sample.diagnosis(),
                                 shrunk=[sample.shrunk(cases[0]["case"])])
        root = reader.read(page.render(made(sample.document(backend))))
        row = root.one("tr", css="backend").text
        section = next(s for s in root.all("section") if s.attributes["id"] == "smallest").text
        for shown in row, section:
            self.assertEqual(shown.count(sample.diagnosis()["sentence"]), 1)
        self.assertIn(backend["shrunk"][0]["smallest"]["problem"], section)

    def test_the_program_of_the_smallest_case_can_be_downloaded(self):
        cases = [sample.failed(sample.case(0)), sample.case(1)]
        failure = sample.shrunk(cases[0]["case"])
        source = "/* é */\n" + "x" * 5000  # longer than what foreign text is cut to
        failure["smallest"]["source"] = {"name": "a \"b.c", "text": source}
        root = reader.read(page.render(made(sample.document(sample.backend("b", cases, shrunk=[failure])))))
        link = next(a for a in root.all("a") if "download" in a.attributes)
        self.assertEqual(link.attributes["download"], "a \"b.c")
        packed = link.attributes["href"].removeprefix("data:text/plain;charset=utf-8;base64,")
        self.assertEqual(base64.b64decode(packed).decode("utf-8"), source)
        self.assertIn("tap by tap", root.text)

    def test_each_level_of_an_attribute_is_counted_by_operation_and_dtype(self):
        cases = [sample.case(i) for i in range(60)]
        cases[7] = sample.failed(cases[7])
        made_ = made(sample.document(sample.backend("b", cases)))
        of = cases[7]
        ((_, _, levels),) = operations.build(made_)["backends"]
        rows = dict(dict(levels)[of["operation"]])
        for trait, by_dtype in rows.items():
            for dtype, tally in by_dtype.items():
                same = [c for c in cases if c["operation"] == of["operation"] and c["dtype"] == dtype and trait in c["traits"]]
                self.assertEqual((tally.total, tally["FAIL"]), (len(same), sum(c["verdict"] == "FAIL" for c in same)))
        mine = set(of["traits"]) & set(rows)
        self.assertTrue(mine)
        everywhere = set.intersection(*(set(c["traits"]) for c in cases if c["operation"] == of["operation"]))
        self.assertEqual(everywhere & set(rows), set())
        root = reader.read(page.render(made_))
        table = next(t for t in root.all("table") if "levels" in t.attributes.get("class", ""))
        self.assertEqual(table.attributes["data-backend"], "b")
        body = next(b for b in table.all("tbody") if b.attributes["data-operation"] == of["operation"])
        self.assertLessEqual(mine, {row.one("th").text for row in body.all("tr")})

    def test_an_operation_that_was_declined_whole_has_no_levels(self):
        cases = [sample.case(i) for i in range(60)]
        declined = [sample.became(c, "DECLINED", "no") if c["operation"] == "Convolution1" else c for c in cases]
        ((_, _, levels),) = operations.build(made(sample.document(sample.backend("b", declined))))["backends"]
        self.assertEqual([operation for operation, _ in levels], ["AtrousConv2d", "Convolution"])

    def test_a_failure_shows_element_got_want_accepted_and_replay(self):
        case = sample.failed(sample.case(4), got=1.5, want=1.25, allowed=0.125, margin=2.0)
        root = reader.read(page.render(made(sample.document(sample.backend("b", [case])))))
        entry = next(root.all(css="entry"))
        for text in ("[0, 1, 2, 3]", "1.5", "1.25", "from 1.125 to 1.375", case["problem"], case["replay"],
                     case["reason"], "3 of"):
            self.assertIn(text, entry.text)

    def test_a_class_under_which_failures_vanish_is_told(self):
        cases = [sample.failed(sample.case(i)) for i in range(12)]
        backend = sample.backend("b", cases, would_conform=[sample.neighbour()])
        root = reader.read(page.render(made(sample.document(backend))))
        self.assertIn("b would conform as flush=yes: 12 of 12 failures pass under it", root.text)
        silent = reader.read(page.render(made(sample.document(sample.backend("b", cases)))))
        self.assertNotIn("would conform", silent.text)

    def test_trouble_is_counted_by_kind(self):
        for word, name in (("CRASH", "crashed"), ("HANG", "hung"), ("CLAIM_BROKEN", "claim broken"),
                           ("HARNESS_ERROR", "harness error"), ("VACUOUS", "vacuous")):
            count = sum(r["verdict"] == word for r in self.results_of(3))
            self.assertGreater(count, 0)
            self.assertRegex(self.sections["worker_failures"].text,
                             rf"{name} {count} cases?:")

    def test_declined_cases_are_counted_by_reason(self):
        counted = collections.Counter(r["reason"] for r in self.results_of(1)
                                      if r["verdict"] == "DECLINED")
        shown = {row[1].text: int(row[0].text) for row in
                 (list(tr.all("td")) for tr in self.sections["declined"].all("tr")) if row}
        self.assertEqual(shown, dict(counted))

    def test_the_worst_margin_of_each_dtype_is_shown(self):
        rows = [[td.text for td in tr.all("td")] for tr in self.sections["margins"].all("tr")]
        rows = {(r[0], r[1], r[2]): r for r in rows if r}
        self.assertEqual(len(rows), 3 * 2 + 2 + 3 * 2 + 5)  # rough fails all of bf16, interval
        for (dtype, tier, label), row in rows.items():
            backend = next(b for b in self.document["backends"] if b["backend"] == label)
            margins = [r["margin"] for r in backend["results"] if r["verdict"] == "PASS"
                       and r["dtype"] == dtype and r["tier"] == tier]
            self.assertEqual(int(row[3]), len(margins))
            self.assertEqual(float(row[6]), float(f"{max(margins):.3g}"))

    def test_adapter_parts_are_counted_over_judged_cases(self):
        count = sum(r["adapter_part"] != "" for r in self.results_of(1) if r["verdict"] == "PASS")
        self.assertIn(f"{count} auto_pad, layout of weights", self.sections["adapters"].text)

    def test_lowered_cases_are_counted_by_operation_and_a_failure_shows_the_line(self):
        line = "Convolution f32 src=1x2x1 weights=1x1x1 data_format=NCX weights_format=OIX"
        cases = [dict(sample.case(i), lowered=line) for i in range(7)]
        shown = page.render(made(sample.document(sample.backend(
            "onednn", [sample.failed(cases[0]), *cases[1:]]), lower=True)))
        self.assertIn(line, shown)
        counted = sum(r["operation"] == "AtrousConv2d" for r in cases)
        self.assertRegex(shown, f'<td class="right">{counted}</td><td>AtrousConv2d</td>')

    def test_cases_that_differ_are_counted(self):
        verdicts = collections.defaultdict(set)
        for backend in self.document["backends"]:
            for r in backend["results"]:
                verdicts[r["case"]].add(r["verdict"])
        differing = sum(len(found) > 1 for found in verdicts.values())
        text = self.sections["differences"].text
        self.assertIn(f"{len(verdicts)} cases compared", text)
        self.assertIn(f"{differing} not.", text)
        listed = sum(int(s.text.split()[0]) for s in self.sections["differences"].all("summary"))
        left = sum(int(p.text.split()[1]) for p in self.sections["differences"].children
                   if isinstance(p, reader.Element) and "left-out" in p.classes)
        self.assertEqual(listed + left, differing)

    def test_the_run_and_its_command_are_shown(self):
        for text in ("smoke", "2026-01-31T12:34:56Z", "A processor at 3 GHz", "Linux 6.1",
                     "concord run --suite smoke"):
            self.assertIn(text, self.sections["runs"].text)

    def test_only_the_script_of_the_page_may_run(self):
        (policy,) = [m.attributes["content"] for m in self.root.all("meta")
                     if m.attributes.get("http-equiv") == "Content-Security-Policy"]
        script = re.findall("<script>(.*?)</script>", self.page, re.DOTALL)[0]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        self.assertIn(f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'", policy)

    def test_the_page_needs_no_network_and_no_script(self):
        self.assertNotRegex(self.page, r"(src|href)=\"(?!#|data:text/plain)")
        self.assertNotIn("@import", self.page)
        self.assertNotIn("url(", self.page)
        for element in self.root.all():
            if "hidden" in element.attributes:  # what only the script fills
                self.assertIn(element.attributes["id"], ("case", "choose", "list", "pager"))
            self.assertFalse([a for a in element.attributes if a.startswith("on")])


class Reach(unittest.TestCase):
    """What limits the numbers is said on top."""

    def notices(self, *documents):
        return reader.read(page.render(made(*documents))).one(css="notices").text

    def test_an_interrupted_run_is_not_the_whole_suite(self):
        document = sample.document(sample.backend("b", [sample.case(1)]), complete=False, cases=40)
        self.assertIn("interrupted", self.notices(document))
        self.assertIn("1 of 40 selected cases have a result", self.notices(document))

    def test_a_backend_that_could_not_be_loaded_is_named(self):
        self.assertIn("./libvendor.so cannot be loaded", self.notices(sample.rich(3)))

    def test_shards_filters_and_different_seeds_are_told(self):
        first = sample.document(sample.backend("b", [sample.case(1)]), shard="2/5", filter="unet/*")
        second = sample.document(sample.backend("b", [sample.case(1)]), seed=7)
        said = self.notices(first, second)
        for text in ("shard 2/5", "'unet/*'", "different seeds: 1, 7"):
            self.assertIn(text, said)

    def test_a_whole_run_has_no_notice(self):
        root = reader.read(page.render(made(sample.document(sample.backend("b", [sample.case(1)])))))
        self.assertEqual(list(root.all(css="notices")), [])


class SeveralFiles(unittest.TestCase):
    def test_backends_of_several_files_stand_side_by_side(self):
        cases = [sample.case(i) for i in range(30)]
        first = sample.document(sample.backend("a", cases))
        second = sample.document(sample.backend("a", [sample.failed(r) for r in cases]))
        root = reader.read(page.render(made(first, second)))
        sections = {s.attributes["id"]: s for s in root.all("section")}
        names = [row.one("th").text for row in sections["verdicts"].all("tr", "backend")]
        self.assertEqual(names, ["a [file0.json, 1] a 1.2.3", "a [file1.json, 2] a 1.2.3"])
        self.assertIn("30 cases compared, 0 with the same verdict everywhere, 30 not.",
                      sections["differences"].text)
        self.assertEqual(root.one("h1").text, "1 of 2 backends conforms; 1 does not")

    def test_beside_a_backend_without_a_verdict_the_title_counts_those_that_do_not_conform(self):
        cases = [sample.case(i) for i in range(3)]
        bad, silent = (sample.backend(name, cases, conforms=conforms) for name, conforms in (("bad", "no"), ("silent", "unknown")))
        root = reader.read(page.render(made(sample.document(sample.backend("good", cases), bad, silent))))
        self.assertEqual(root.one("h1").text, "1 of 3 backends conforms; 1 does not; 1 without a verdict")

    def test_many_backends_are_told_by_verdict_and_counted(self):
        cases = [sample.case(i) for i in range(3)]
        bad = [sample.failed(cases[0])] + cases[1:]
        root = reader.read(page.render(made(sample.document(
            *(sample.backend(f"b{i}", bad if i > 5 else cases) for i in range(9))))))
        section = next(s for s in root.all("section") if s.attributes["id"] == "differences")
        self.assertIn("1 case ✓ passed b0, b1, b2, b3 and 2 more ✗ failed b6, b7, b8",
                      section.one("summary").text)

    def test_the_same_id_with_other_data_is_not_compared(self):
        first = sample.document(sample.backend("a", [sample.case(1)]))
        other = sample.failed({**sample.case(1), "seed": "99"})
        second = sample.document(sample.backend("b", [other]))
        section = next(s for s in reader.read(page.render(made(first, second))).all("section")
                       if s.attributes["id"] == "differences")
        self.assertIn("0 cases compared", section.text)


class Hostile(unittest.TestCase):
    ATTACK = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\x1b[31m\u202e\ud800{{7*7}}</style>"

    def test_names_break_between_their_words(self):
        backend = sample.backend("./lib/vendor_2.so:fast=1", [sample.case(0)])
        backend["results"][0]["operation"] = "ContinuousBackwardData"
        shown = page.render(made(sample.document(backend)))
        self.assertIn("Continuous<wbr>Backward<wbr>Data</th>", shown)
        self.assertIn('<th scope="row">./<wbr>lib/<wbr>vendor_<wbr>2.<wbr>so:<wbr>fast=<wbr>1 ', shown)

    def test_text_without_end_is_cut_in_the_middle(self):
        backend = sample.backend("x" * 10000 + "the_end", [sample.case(0)])
        shown = page.render(made(sample.document(backend)))
        root = reader.read(shown)
        self.assertRegex(root.one("tr", "backend").one("th").text,
                         r"^x{96} … \(9,887 characters more\) … x+the_end ")
        self.assertLess(len(shown), 75000)

    def test_no_foreign_text_becomes_markup(self):
        attack = self.ATTACK
        case = sample.failed({**sample.case(1), "case": attack, "problem": attack,
                              "operation": attack, "fill": attack, "origin": attack, "note": attack,
                              "traits": [attack], "replay": attack, "class": attack,
                              "adapter_part": attack, "implementation": attack}, reason=attack)
        declined = sample.became({**sample.case(2), "problem": attack}, "DECLINED", attack)
        crashed = sample.became({**sample.case(3), "implementation": attack}, "CRASH", attack)
        passed = {**sample.case(28), "case": attack + "2", "class": attack, "adapter_part": attack}
        backend = sample.backend(attack, [case, declined, crashed, passed], name=attack,
                                 version=attack, headline=attack, path=attack, error=attack,
                                 **{"class": attack})
        document = sample.document(backend, backend, suite=attack, filter=attack, command=[attack],
                                   machine={"cpu": attack, "features": [attack], "cores": 1, "system": attack})
        document["concord"]["version"] = attack
        rendered = page.render(made(document))
        root = reader.read(rendered)
        kinds = [script.attributes.get("type") for script in root.all("script")]
        self.assertEqual(kinds, ["application/octet-stream", None])
        self.assertEqual(len(list(root.all("style"))), 1)
        self.assertEqual(list(root.all("img")), [])
        self.assertNotIn("49", rendered.replace("\n", "")[:200])
        for acting in ("\x1b", "\u202e", "\ud800"):
            self.assertNotIn(acting, rendered)
        self.assertIn(r"\x1b[31m\u202e\ud800{{7*7}}", root.text)


if __name__ == "__main__":
    unittest.main()

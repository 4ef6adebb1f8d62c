# SPDX-License-Identifier: Apache-2.0
"""Whatever a backend says of itself and of its refusals, it cannot act on a terminal, in a page or in JUnit."""

import os
import re
import shlex
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from command_harness import concord, main, read_json

ATTACK = ("\x1b[2J\x07<script>alert(1)</script>'\"><img src=x onerror=alert(1)>]]>&{{7*7}}\r\x9b31m\u202e"
          "\nreference: conforms - 2,538 passed")
# An exec backend in which everything that can be text is the attack; at last it dies with it.
PROGRAM = f"""
import json, os, sys
attack = {ATTACK!r}
for line in sys.stdin:
    request = json.loads(line)["request"]
    answer = {{"status": 1, "reason": attack}}
    if request == "load":
        answer = {{"name": attack, "version": attack}}
    elif request == "open":
        answer = {{"status": 0}}
    elif request == "query" and sys.argv[1] == "dies":
        sys.stderr.buffer.write(attack.replace("\\n", " ").encode() + b"\\xff")
        sys.stderr.flush()
        os._exit(3)
    elif request == "query" and sys.argv[1] == "babbles":
        print(attack.replace("\\n", " "), flush=True)
        continue
    elif request == "query" and sys.argv[1] == "claims":
        answer = {{"status": 0, "dst_dims": [1], "adapter_part": attack, "implementation": attack}}
    print(json.dumps(answer), flush=True)
    if request == "close":
        break
"""
# What no output may hold: control characters, changes of direction, and a line that Concord did not write.
ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
FORGED = re.compile("^reference: conforms", re.MULTILINE)


class ForeignText(unittest.TestCase):
    def harmless(self, text):
        self.assertIsNone(ACTING.search(text), text)
        self.assertIsNone(FORGED.search(text), text)

    def test_it_is_shown_and_cannot_act(self):
        with tempfile.TemporaryDirectory() as folder:
            def path(name):
                return os.path.join(folder, name)

            with open(path("backend.py"), "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            for way in "declines", "dies", "babbles", "claims":
                with self.subTest(way):
                    backend = f"exec:{sys.executable} -B {shlex.quote(path('backend.py'))} {way}"
                    _, out, err = concord(
                        "run", "--backend", backend, "--filter", "*resnet50/conv1/f32/*", "--shrink", "0",
                        "--out", path("r.json"), "--junit", path("j.xml"))
                    self.harmless(out + err)
                    self.assertIn({"dies": "\\x9b31m", "babbles": "\\x1b[2J"}.get(way, ""), out)
                    root = xml.etree.ElementTree.parse(path("j.xml")).getroot()
                    self.assertIsNone(root.find(".//script"))
                    shown = str(read_json(path("r.json")))
                    self.assertIsNone(ACTING.search(shown))
                    self.assertIn("x1b[2J", shown)
                    code, out, err = concord("report", path("r.json"), "-o", path("r.html"))
                    self.assertEqual(code, 0, err)
                    with open(path("r.html"), encoding="utf-8") as file:
                        page = file.read()
                    self.harmless(page)
                    # The packed cases and the program that shows them, which alone may run.
                    self.assertEqual(page.count("<script"), 2)
                    self.assertEqual(page.count("<script>"), 1)
                    self.assertNotIn("<img", page)
                    self.assertIn("&lt;img", page)
                    for arguments in ("report", path("r.json"), "--format", "md"), (
                            "diff", path("r.json"), path("r.json")):
                        self.harmless(concord(*arguments)[1])


if __name__ == "__main__":
    main()

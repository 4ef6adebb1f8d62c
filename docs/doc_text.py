# SPDX-License-Identifier: Apache-2.0
"""A Markdown document as far as its checks need it: code blocks, code spans, links and headings."""

import re

FENCE = re.compile(r"^\s*(```|~~~)")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PLAYED = re.compile(r"^<!-- (?:(?P<session>session)|file: (?P<file>[\w./-]+)) -->$")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def slug(heading):
    """A heading's anchor as GitHub makes it, where no other heading has it."""
    text = re.sub(r"[`*]|\]\([^)]*\)|\[", "", COMMENT.sub("", heading)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def documents(root):
    """The documents that are checked."""
    return [*sorted(root.glob("CITATION.cff")), *sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]


class Document:
    def __init__(self, path, root):
        self.path, self.name = path, str(path.relative_to(root))
        self.text = path.read_text(encoding="utf-8")
        self.lines = self.text.split("\n")
        self.code = self._code()
        self.played = list(self._played())

    def _code(self):
        """Which lines are code: fenced, or indented by four after an empty line or more code."""
        code, fenced, list_item = [], False, False
        for number, line in enumerate(self.lines):
            if FENCE.match(line):
                fenced = not fenced
                code.append(False)
                continue
            before = self.lines[number - 1] if number else ""
            list_item = bool(re.match(r"\s*([-*]|\d+\.) ", line)) or (list_item and bool(
                not line.strip() or line.startswith(" ")))
            depth = 7 if list_item else 4
            indented = line.startswith(" " * depth) and (not before.strip() or code[-1])
            code.append(fenced or indented)
        return code

    def _played(self):
        """(name of the file to write or None for a session, number of its first line, lines) of the blocks behind a
        mark of check_sessions.py.
        """
        for number, line in enumerate(self.lines, 1):
            if not (mark := PLAYED.match(line)) or self.code[number - 1]:
                continue
            first = next((i for i in range(number, len(self.lines)) if self.code[i]), len(self.lines))
            last = next((i for i in range(first, len(self.lines)) if not self.code[i]), len(self.lines))
            block = self.lines[first:last]
            fenced = first > 0 and FENCE.match(self.lines[first - 1])
            yield mark["file"], first + 1, block if fenced else [text.removeprefix("    ") for text in block]

    def prose(self):
        """(line number from 1, text) of what is no code."""
        return [(number, line) for number, (line, code) in enumerate(zip(self.lines, self.code), 1)
                if not code and not FENCE.match(line)]

    def blocks(self):
        """(line number from 1, line) of the code, a command continued by a backslash as one line. Without the blocks
        that check_sessions.py runs.
        """
        joined, start = "", 0
        played = {first + i for _, first, block in self.played for i in range(len(block))}
        for number, (line, code) in enumerate(zip(self.lines, self.code), 1):
            if not code or number in played:
                continue
            start = start if joined else number
            joined += line.strip()
            if joined.endswith("\\"):
                joined = joined[:-1]
                continue
            yield start, joined
            joined = ""

    def spans(self):
        """(line number from 1, text) of each code span in prose."""
        for number, line in self.prose():
            for span in SPAN.findall(COMMENT.sub("", line)):
                yield number, span

    def anchors(self):
        """Every heading as GitHub makes an anchor of it."""
        found = set()
        for _, line in self.prose():
            if heading := re.match(r"#+ (.*)", line):
                anchor = slug(heading[1])
                found.add(next(s for s in (anchor, *(f"{anchor}-{i}" for i in range(1, 99))) if s not in found))
        return found


def wrong_versions(document, root):
    """Names of the package, and the entry for citations, that have another version than CMakeLists.txt."""
    version = re.search(r"project\(concord VERSION (\S+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    for number, line in enumerate(document.lines, 1):
        for said in re.findall(r"\bconcord_(\d+\.\d+\.\d+)_|^version: (\S+)$", line):
            if "".join(said) != version:
                yield f"{document.name}:{number}: version {''.join(said)} is {version} in CMakeLists.txt"


def broken_links(document, root):
    """Links within the sources that lead nowhere."""
    for number, line in document.prose():
        for target in LINK.findall(COMMENT.sub("", SPAN.sub("", line))):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (document.path.parent / path).resolve() if path else document.path
            if not file.exists():
                yield f"{document.name}:{number}: {target} is not there"
            elif anchor and file.suffix == ".md" and anchor not in Document(file, root).anchors():
                yield f"{document.name}:{number}: {target} has no such heading"


def unlisted_notes(root):
    """Notes that the page of their folder does not list."""
    notes = root / "docs/notes"
    page = (notes / "README.md").read_text(encoding="utf-8") if notes.is_dir() else ""
    return [f"docs/notes/README.md: does not list {path.name}" for path in sorted(notes.glob("2*.md"))
            if f"({path.name})" not in page]

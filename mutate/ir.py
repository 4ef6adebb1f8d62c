# SPDX-License-Identifier: Apache-2.0
"""LLVM IR as text: which instruction belongs to which line of which source file, and how a module
looks with one instruction replaced, or with a mark stored in each block that runs.

Nothing here parses IR fully. It relies on how LLVM 14 prints it: an instruction a line, two spaces
before it, its debug location at the end.
"""

import pathlib
import re
from typing import NamedTuple

DEBUG = re.compile(r",? !dbg !(\d+)")
LOCATION = re.compile(r"!(\d+) = (?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, "
                      r"scope: !(\d+)(?:, inlinedAt: !(\d+))?")
SCOPE = re.compile(r"!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock|LexicalBlockFile)"
                   r"\((?:name: \"((?:[^\"\\]|\\.)*)\")?.*?")
FILE = re.compile(r'!(\d+) = (?:distinct )?!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')
DEFINE = re.compile(r"define .*@(\"[^\"]*\"|[\w.$-]+)\(")
LABEL = re.compile(r'(?:[\w.$-]+|"[^"]*"):')
# Words that promise what a mutated, or a marked, function may not keep; and what -fno-inline-functions
# leaves behind, since functions are to be inlined once they are mutated.
PROMISES = re.compile(r"\b(?:mustprogress|willreturn|nofree|nosync|norecurse|readnone|readonly|"
                      r"writeonly|argmemonly|inaccessiblememonly|inaccessiblemem_or_argmemonly|"
                      r"speculatable|noinline) ?")
MARKS = "concord_mutate_marks"


class Place(NamedTuple):
    """Where an instruction comes from: a file relative to the root of the sources."""
    file: str
    line: int
    column: int
    function: str


class Instruction(NamedTuple):
    """Line `index` of the module's text, without its debug location."""
    index: int
    text: str
    place: Place
    block: int  # counts the blocks of the whole module


class _Debug:
    """The debug locations of a module."""

    def __init__(self, lines, root):
        self._root = str(pathlib.Path(root)) + "/"
        self._locations, self._scopes, self._files = {}, {}, {}
        for line in lines:
            if not line.startswith("!"):
                continue
            if match := LOCATION.match(line):
                self._locations[match.group(1)] = match.groups()[1:]
            elif match := FILE.match(line):
                self._files[match.group(1)] = str(pathlib.Path(match.group(3), match.group(2)))
            elif match := SCOPE.match(line):
                fields = dict(re.findall(r"\b(scope|file): !(\d+)", line))
                self._scopes[match.group(1)] = (match.group(2), fields)

    def place(self, number, wanted):
        """The innermost place in a file that `wanted` accepts, or None."""
        while number in self._locations:
            line, column, scope, inlined_at = self._locations[number]
            name, fields = self._scopes.get(scope, (None, {}))
            path = self._files.get(fields.get("file"), "")
            while name is None and "scope" in fields and fields["scope"] in self._scopes:
                name, fields = self._scopes[fields["scope"]]
            if path.startswith(self._root) and wanted(path[len(self._root):]) and int(line) > 0:
                return Place(path[len(self._root):], int(line), int(column or 0), name or "?")
            number = inlined_at
        return None


class Module:
    """The text of a module, compiled with -gline-tables-only."""

    def __init__(self, text, root):
        self.lines = text.split("\n")
        self._debug = _Debug(self.lines, root)
        self.blocks = 0

    def instructions(self, wanted):
        """Those of all functions whose place lies in a file that `wanted(relative path)` accepts."""
        places = {}
        for index, line, block in self._body():
            match = DEBUG.search(line)
            if not match or not line.startswith("  ") or line.startswith("   "):
                continue
            number = match.group(1)
            if number not in places:
                places[number] = self._debug.place(number, wanted)
            if places[number]:
                yield Instruction(index, plain(line), places[number], block)

    def _body(self):
        """Every line inside a function: (index, line, number of its block)."""
        inside = False
        self.blocks = 0
        for index, line in enumerate(self.lines):
            if inside and line == "}":
                inside = False
            elif DEFINE.match(line):
                inside = True
                self.blocks += 1
            elif inside and LABEL.match(line):
                self.blocks += 1
            elif inside:
                yield index, line, self.blocks - 1

    def text(self, index=None, replacement=()):
        """The module without debug locations and, if given, line `index` replaced by others."""
        lines = list(self.lines)
        if index is not None:
            lines[index] = "\n".join(replacement)
        return "\n".join(plain(line) for line in lines if not line.startswith("!llvm.dbg.cu"))

    def marked_text(self, first):
        """The module in which block b stores 1 to MARKS[first + b] when it is entered."""
        lines = [plain(line) for line in self.lines if not line.startswith("!llvm.dbg.cu")]
        out, block, due, open_pad = [], first - 1, False, False
        store = f"  store i8 1, i8* getelementptr ([0 x i8], [0 x i8]* @{MARKS}, i64 0, i64 {{}})"
        inside = False
        for line in lines:
            enters = bool(DEFINE.match(line))
            if inside and line == "}":
                inside = False
            elif enters or (inside and LABEL.match(line)):
                inside, block, due, open_pad = True, block + 1, True, False
            elif inside and due:
                is_pad = " = landingpad " in line
                belongs = " = phi " in line or is_pad or (open_pad and line.startswith("    "))
                open_pad = is_pad or (open_pad and belongs)
                if not belongs and line.strip():
                    out.append(store.format(block))
                    due = False
            out.append(line)
        # After the types and before the first function; IR does not care where.
        out.append(f"@{MARKS} = external hidden global [0 x i8]")
        return "\n".join(out)


def plain(line):
    """`line` without its debug location, and without promises that may no longer hold."""
    if " !dbg " in line:
        line = DEBUG.sub("", line)
    if not line.startswith("attributes #"):
        return line
    # A group without any attribute is no IR; one in quotes means nothing to the compiler.
    return PROMISES.sub("", line).replace("{ }", '{ "none" }')

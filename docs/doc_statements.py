# SPDX-License-Identifier: Apache-2.0
"""docs/statements.md: does everything exist that its rows name, and do its counts hold?

A row of a table is | number | statement | implemented in | told apart by | state |. The third and fourth cell
name, in backticks, a file, FILE:WORD, a test SUITE.NAME, a problem FAMILY/NAME of conformance/catalog, a planted
bug faulty:NAME, or ctest:NAME. A row that holds names at least one thing in each.
"""

import re

import doc_text

PAGE = "docs/statements.md"
ROW = re.compile(r"\|\s*([A-Z]+\d+)\s*\|")
STATES = ("holds", "background", "partly", "missing")


class Sources:
    """What may be named, read once."""

    def __init__(self, root, build):
        self.root = root
        self.catalog = root / "conformance/catalog"
        self.bugs = "\n".join(path.read_text() for path in sorted((root / "backends/faulty").glob("*_bugs.cpp")))
        self.tests = set()
        for path in root.glob("*/**/*_test.cpp"):
            if not path.relative_to(root).parts[0].startswith("build"):
                self.tests |= {".".join(found) for found in re.findall(
                    r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE)}
        self.ctests = set()
        for path in build.rglob("CTestTestfile.cmake"):
            self.ctests |= set(re.findall(r"^add_test\((?:\[=\[)?([^\s\]]+)", path.read_text(), re.MULTILINE))

    def lack(self, name):
        """What is wrong with a name; None if it exists."""
        kind, _, rest = name.partition(":")
        if kind == "faulty":
            return None if f'{{"{rest}"' in self.bugs else "no such planted bug"
        if kind == "ctest":
            return None if rest in self.ctests else "no such test of CTest"
        if re.fullmatch(r"[A-Z]\w*\.[A-Z]\w*", name):
            return None if name in self.tests else "no such test"
        if re.fullmatch(r"[a-z]\w*/[^/.:]+", name):
            lines = self.catalog / (kind.split("/")[0] + ".txt")
            case = name.split("/")[1]
            if lines.is_file() and re.search(rf"^{re.escape(case)}:", lines.read_text(), re.MULTILINE):
                return None
            return "no such problem of the catalog"
        path = self.root / kind
        if not path.is_file():
            return "no such file"
        if rest and not re.search(rf"\b{re.escape(rest)}\b", path.read_text(encoding="utf-8")):
            return f"{kind} has no {rest}"
        return None


def row_complaints(cells, sources):
    """What is wrong with one row."""
    if len(cells) != 5:
        yield f"{len(cells)} cells"
        return
    where, how, state = cells[2:]
    word = re.match(r"\w*", state)[0]
    reason = ": " in state
    if word not in STATES or reason != (word != "holds") and (word != "background" or reason):
        yield f"its state is `{state}`"
    for cell in (where, how):
        names = doc_text.SPAN.findall(cell)
        if word != "missing" and not (names or word == "background" and reason):
            yield "it names nothing"
        for name in names:
            if lack := sources.lack(name):
                yield f"`{name}`: {lack}"


def complaints(root, build):
    """Every complaint about the page, as FILE:LINE: what is wrong; none where there is no page."""
    path = root / PAGE
    if not path.is_file():
        return
    sources = Sources(root, build)
    section, counted, seen, stated = "", {}, set(), []
    for number, line in doc_text.Document(path, root).prose():
        if line.startswith("## "):
            section = line[3:]
            counted[section] = dict.fromkeys(STATES, 0)
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not section and cells and re.fullmatch(r"\d+", cells[-1]):
            stated.append((number, cells))
        if not (row := ROW.match(line)):
            continue
        if row[1] in seen:
            yield f"{PAGE}:{number}: {row[1]} is there twice"
        seen.add(row[1])
        for complaint in row_complaints(cells, sources):
            yield f"{PAGE}:{number}: {row[1]}: {complaint}"
        if len(cells) == 5 and (word := re.match(r"\w*", cells[4])[0]) in STATES:
            counted[section][word] += 1
    for number, (name, *numbers) in stated:
        found = counted.pop(name, {})
        if [int(n) for n in numbers] != [sum(found.values()), *found.values()]:
            yield f"{PAGE}:{number}: {name} has {[sum(found.values()), *found.values()]}"
    for name in counted:
        yield f"{PAGE}: {name} is not in the table of counts"

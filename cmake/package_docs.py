#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""package_docs.py SOURCE OUT DOCDIR INCLUDEDIR DATADIR: writes the documents as the package has them to OUT.

Links to files that are installed elsewhere lead there from DOCDIR; of links to what only the sources have, the text stays. The directories are
relative to the prefix.
"""

import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))

import doc_text  # pylint: disable=wrong-import-position

LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
# What is installed besides the documents: the place in the sources, that in the prefix.
ELSEWHERE = {
    "plugin/concord_plugin.h": "{include}/concord/concord_plugin.h",
    "plugin/template/template.c": "{data}/concord/template/template.c",
    "plugin/starters/cpp/concord_convolution.h": "{data}/concord/starters/cpp/concord_convolution.h",
    "backends/optional.txt": "{data}/concord/optional_backends.txt",
    "slurm/concord-array.sh": "{data}/concord/concord-array.sh",
}
PAGES = ("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "vectors/README.md")
SUFFIXES = (".md", ".json", ".svg", ".html", ".yml", ".toml")


def documents(source):
    """The files that the package has, relative to the sources."""
    found = [pathlib.Path(name) for name in PAGES]
    for path in sorted((source / "docs").rglob("*")):
        # A finding's program shows a defect by the library alone.
        shows = path.parent.name == "findings" and path.suffix in (".cpp", ".h", ".js", ".py") and "_test" not in path.name
        if path.is_file() and "__pycache__" not in path.parts and (path.suffix in SUFFIXES or shows):
            found.append(path.relative_to(source))
    return found


class Package:
    def __init__(self, source, docs, include, data):
        self.source, self.docs = source, pathlib.PurePosixPath(docs)
        self.files = documents(source)
        here = {str(path) for path in self.files}
        self.there = {**{name: self.docs / name for name in here | {str(pathlib.Path(name).parent) for name in here}},
                      **{name: place.format(include=include, data=data) for name, place in ELSEWHERE.items()}}

    def target(self, document, target):
        """The target of a link as the package has it; None if it does not have it."""
        path, mark, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", target):
            return target
        name = os.path.relpath((self.source / document).parent / path, self.source)
        if name not in self.there or name == ".":
            return None
        return os.path.relpath(self.there[name], (self.docs / document).parent) + mark + anchor

    def text(self, document):
        """The text of a document with its links as the package has them."""
        page = doc_text.Document(self.source / document, self.source)

        def link(match):
            number = page.text.count("\n", 0, match.start())
            line = page.text[page.text.rfind("\n", 0, match.start()) + 1:]
            column = len(line) - len(page.text) + match.start()
            line = line.partition("\n")[0]
            in_code = page.code[number] or any(span.start() < column < span.end() for span in doc_text.SPAN.finditer(line))
            if in_code:
                return match[0]
            target = self.target(document, match["target"])
            return match["text"] if target is None else match[0].replace(f"]({match['target']})", f"]({target})")

        return LINK.sub(link, page.text)

    def write(self, out):
        for document in self.files:
            to = out / document
            to.parent.mkdir(parents=True, exist_ok=True)
            if document.suffix == ".md":
                to.write_text(self.text(document), encoding="utf-8")
            else:
                shutil.copyfile(self.source / document, to)


def main():
    source, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    shutil.rmtree(out, ignore_errors=True)
    Package(source, *sys.argv[3:]).write(out)


if __name__ == "__main__":
    main()
